// Tests of the account check on a hot account, which many clients change concurrently.
#include <gtest/gtest.h>

#include <tuple>

#include "history/history_builder.h"

namespace finality::history {
namespace {

using namespace test;

struct Hot {
  std::vector<Operation> history;
  std::vector<std::size_t> snapshots;
};

Hot hot_account(int clients, int rounds, bool alike) {
  Hot hot;
  HistoryBuilder builder;
  builder.post("/v1/accounts", R"({"currency":"CNY","overdraft":1000000000})", 201, account("acc_till", 0, 0, 1));
  builder.post("/v1/accounts", R"({"currency":"CNY"})", 201, account("acc_alice", 0, 0, 1));
  hot.history = builder.history;
  std::uint64_t chance = 7;
  const auto draw = [&](std::uint64_t below) {
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((chance >> 33) % below);
  };
  std::int64_t balance = 0, version = 1, now = 1000;
  for (int round = 0; round < rounds; ++round, now += clients * 10)
    for (int client = 0; client < clients; ++client) {
      // The server executes the requests sequentially. A client sends a request only after the response to its previous
      // request.
      const std::int64_t at = now + client * 10, pause = clients * 5;
      Operation operation = builder.history.back();
      const int amount = alike ? 1 : static_cast<int>(1 + draw(400));
      const std::string reference = fmt::format("{}-{}", round, client);
      operation.call = at - draw(static_cast<std::uint64_t>(pause)),
      operation.returned = at + 1 + draw(static_cast<std::uint64_t>(pause));
      if ((client + round) % 8 == 7) {
        operation.method = "GET", operation.path = "/v1/accounts/acc_alice", operation.body = {},
        operation.status = 200;
        operation.answer =
            json::parse(account("acc_alice", static_cast<int>(balance), 0, static_cast<int>(version))).as_object();
        hot.snapshots.push_back(hot.history.size());
      } else {
        operation.path = "/v1/transfers";
        operation.body = json::parse(transfer_body("acc_till", "acc_alice", amount, reference)).as_object();
        operation.answer = json::parse(transfer("acc_till", "acc_alice", amount, reference)).as_object();
        balance += amount, version += 1;
        if (draw(50) == 0) operation.status = 0, operation.answer = {}, operation.returned = kNever;
      }
      hot.history.push_back(std::move(operation));
    }
  return hot;
}

class HotAccount : public testing::TestWithParam<std::tuple<int, bool>> {};

// Two transfers of the same amount are requested in sequence and not answered. The responses to the retries show that
// the server executed the second transfer ("soon") long before the first ("late").
TEST(history, among_equal_changes_the_most_urgent_is_assigned_first) {
  HistoryBuilder builder;
  const auto look = [&](int balance, int version) {
    builder.get("/v1/accounts/acc_alice", account("acc_alice", balance, 0, version));
  };
  const auto request = [&](int amount, std::string_view reference, int status) {
    builder.post("/v1/transfers", transfer_body("acc_alice", "acc_till", amount, reference), status,
                 status == 0 ? "" : transfer("acc_alice", "acc_till", amount, reference));
  };
  builder.post("/v1/accounts", R"({"currency":"CNY","overdraft":1000000000})", 201, account("acc_till", 0, 0, 1));
  builder.post("/v1/accounts", R"({"currency":"CNY"})", 201, account("acc_alice", 0, 0, 1));
  builder.post("/v1/transfers", transfer_body("acc_till", "acc_alice", 100, "begin"), 201,
               transfer("acc_till", "acc_alice", 100, "begin"));
  look(100, 2);
  request(5, "late", 0);
  request(5, "soon", 0);
  look(95, 3);
  request(7, "other", 201);
  request(5, "soon", 200);
  look(88, 4);
  look(83, 5);
  request(5, "late", 200);
  const Report report = check(builder.history);
  EXPECT_EQ(text_of(report), "");
}

TEST_P(HotAccount, is_explained) {
  const auto [clients, alike] = GetParam();
  const Report report = check(hot_account(clients, 4096 / clients, alike).history);
  EXPECT_EQ(text_of(report), "");
  EXPECT_EQ(report.accounts, 2u);
  EXPECT_EQ(report.undecided, 0u);
}

TEST_P(HotAccount, is_not_explained_once_an_update_is_lost) {
  const auto [clients, alike] = GetParam();
  Hot hot = hot_account(clients, 4096 / clients, alike);
  for (std::size_t i = hot.snapshots.size() / 2; i < hot.snapshots.size(); ++i) {
    auto& balance = hot.history[hot.snapshots[i]].answer["balance"];
    balance = balance.as_int64() - 1'000'000;
  }
  const Report report = check(hot.history);
  ASSERT_FALSE(report.impossible.empty());
  EXPECT_EQ(report.impossible.front().rule, "balances match the requests");
}

INSTANTIATE_TEST_SUITE_P(histories, HotAccount, testing::Combine(testing::Values(4, 16), testing::Bool()));

// If the search reaches its limit, the check falls back to bounds, which must not report false positives.
TEST(history, an_account_beyond_the_search_limit_has_no_violations) {
  for (const bool alike : {false, true}) EXPECT_EQ(text_of(check(hot_account(64, 32, alike).history)), "");
}

// The hold is refused, and created after a credit. No response shows the end of the hold.
TEST(history, a_refused_hold_may_be_requested_again_after_a_credit) {
  HistoryBuilder builder;
  const auto look = [&](int balance, int version) {
    builder.get("/v1/accounts/acc_alice", account("acc_alice", balance, 0, version));
  };
  const auto come_in = [&](int amount, std::string_view reference) {
    builder.post("/v1/transfers", transfer_body("acc_till", "acc_alice", amount, reference), 201,
                 transfer("acc_till", "acc_alice", amount, reference));
  };
  const std::string body =
      R"({"account":"acc_alice","credit_account":"acc_till","amount":15,"currency":"CNY","reference":"h1"})";
  builder.post("/v1/accounts", R"({"currency":"CNY","overdraft":1000000000})", 201, account("acc_till", 0, 0, 1));
  builder.post("/v1/accounts", R"({"currency":"CNY"})", 201, account("acc_alice", 0, 0, 1));
  come_in(10, "first");
  look(10, 2);
  builder.post("/v1/holds", body, 422, problem("insufficient_balance"));
  come_in(9, "second");
  builder.post("/v1/holds", body, 201, hold("held", 0));
  look(19, 5);
  EXPECT_EQ(text_of(check(builder.history)), "");
}

}  // namespace
}  // namespace finality::history
