// Tests of the history checks. A consistent history passes, and each copy of this history with one wrong response
// fails.
#include <gtest/gtest.h>
#include <boost/json/serialize.hpp>

#include <functional>

#include "history/history_builder.h"
#include "history/json_lines.h"

namespace finality::history {
namespace {

using namespace test;

// Indexes of requests in the consistent history. The tests change responses at these indexes.
enum Place : std::size_t {
  open_till,
  open_alice,
  pay_in,
  look_100,
  spend,
  spend_again,
  look_20,
  spend_too_much,
  set_aside,
  look_held,
  post_hold,
  look_10,
  unanswered,
  look_15,
  take_back,
  look_10_again,
  lock_a,
  unlock_a,
  lock_b,
  spend_by_b,
  look_9,
  statement,
  freeze,
  unfreeze,
  order_1,
  order_1_again,
  other_body,
  second_payment,
  look_pending,
  look_paid,
  look_payment,
  close_paid,
  pay_paid,
  refund_60,
  look_refund,
  refund_too_much,
  refund_40,
  look_refunded,
  order_2,
  close_2,
  pay_closed,
  look_closed,
  list_refunds,
};

std::vector<Operation> good_history() {
  HistoryBuilder builder;
  const auto alice = [](int balance, int held, int version, std::string_view state = "open") {
    return account("acc_alice", balance, held, version, state);
  };
  const auto move = [&](std::string_view from, std::string_view to, int amount,
                        std::string_view reference) -> Operation& {
    return builder.post("/v1/transfers", transfer_body(from, to, amount, reference), 201,
                        transfer(from, to, amount, reference));
  };
  builder.post("/v1/accounts", R"({"currency":"CNY","overdraft":1000000000})", 201, account("acc_till", 0, 0, 1));
  builder.post("/v1/accounts", R"({"currency":"CNY"})", 201, alice(0, 0, 1));
  move("acc_till", "acc_alice", 100, "t1");
  builder.get("/v1/accounts/acc_alice", alice(100, 0, 2));
  move("acc_alice", "acc_till", 80, "t2").key = "k2";
  Operation& again = move("acc_alice", "acc_till", 80, "t2");
  again.key = "k2", again.replayed = true;
  builder.get("/v1/accounts/acc_alice", alice(20, 0, 3));
  builder.post("/v1/transfers", transfer_body("acc_alice", "acc_till", 50, "t3"), 422, problem("insufficient_balance"));
  builder.post("/v1/holds",
               R"({"account":"acc_alice","credit_account":"acc_till","amount":15,"currency":"CNY","reference":"h1"})",
               201, hold("held", 0));
  builder.get("/v1/accounts/acc_alice", alice(20, 15, 4));
  builder.post("/v1/holds/hol_1/post", R"({"amount":10})", 200, hold("posted", 10));
  builder.get("/v1/accounts/acc_alice", alice(10, 0, 5));
  builder.post("/v1/transfers", transfer_body("acc_till", "acc_alice", 5, "t4"), 0, "");
  builder.get("/v1/accounts/acc_alice", alice(15, 0, 6));
  builder.post("/v1/transfers/reverse", R"({"reference":"t4"})", 200,
               transfer("acc_till", "acc_alice", 5, "t4", "reversed"));
  builder.get("/v1/accounts/acc_alice", alice(10, 0, 7));
  builder.post("/v1/accounts/acc_alice/lock", R"({"owner":"a","ttl":9})", 200,
               R"({"object":"account_lock","token":"1-a"})");
  builder.post("/v1/accounts/acc_alice/unlock", R"({"token":"1-a"})", 200, alice(10, 0, 9));
  builder.post("/v1/accounts/acc_alice/lock", R"({"owner":"b","ttl":9})", 200,
               R"({"object":"account_lock","token":"2-b"})");
  move("acc_alice", "acc_till", 1, "t5").body["lock_token"] = "2-b";
  builder.get("/v1/accounts/acc_alice", alice(9, 0, 11));
  builder.get("/v1/accounts/acc_alice/entries",
              fmt::format(
                  R"({{"object":"list","has_more":false,"data":[{},{},{},{},{},{}]}})", entry(6, "t5", -1, 10),
                  [] {
                    std::string back = entry(5, "t4", -5, 15);
                    return back.replace(back.find("\"type\":\"transfer\""), 17, R"("type":"transfer_reversed")");
                  }(),
                  entry(4, "t4", 5, 10), entry(3, "h1", -10, 20), entry(2, "t2", -80, 100), entry(1, "t1", 100, 0)));
  builder.post("/v1/accounts/acc_alice/freeze", "", 200, alice(9, 0, 12, "frozen"));
  builder.post("/v1/accounts/acc_alice/unfreeze", "", 200, alice(9, 0, 13));

  const std::string body = R"({"merchant_order_no":"n1","amount":100,"currency":"CNY","subject":"Tea"})";
  const std::string first = order("pending", 0, 1, payment("pay_1", "pending", 1));
  builder.post("/v1/orders", body, 201, first).key = "k1";
  Operation& repeated = builder.post("/v1/orders", body, 201, first);
  repeated.key = "k1", repeated.replayed = true;
  builder.post("/v1/orders", R"({"merchant_order_no":"n9","amount":1})", 422, problem("idempotency_key_reused")).key =
      "k1";
  builder.post("/v1/orders/ord_1/payments", R"({"channel":"sandbox"})", 201, payment("pay_2", "pending", 1));
  const std::string both = payment("pay_1", "pending", 1) + "," + payment("pay_2", "pending", 1);
  const std::string one_won = payment("pay_1", "succeeded", 2) + "," + payment("pay_2", "pending", 1);
  builder.get("/v1/orders/ord_1", order("pending", 0, 2, both));
  builder.get("/v1/orders/ord_1", order("succeeded", 0, 3, one_won));
  builder.get("/v1/payments/pay_2", payment("pay_2", "closed", 2));
  builder.post("/v1/orders/ord_1/close", "", 409, problem("order_succeeded"));
  builder.post("/v1/orders/ord_1/payments", R"({"channel":"sandbox"})", 409, problem("order_not_payable", "succeeded"));
  builder.post("/v1/refunds", refund_body("ref_1", 60), 201, refund("ref_1", 60, "pending"));
  builder.get("/v1/refunds/ref_1", refund("ref_1", 60, "succeeded"));
  builder.post("/v1/refunds", refund_body("ref_2", 50), 409, problem("refund_exceeds_paid"));
  builder.post("/v1/refunds", refund_body("ref_3", 40), 201, refund("ref_3", 40, "succeeded"));
  builder.get("/v1/orders/ord_1",
              order("succeeded", 100, 9, payment("pay_1", "succeeded", 2) + "," + payment("pay_2", "closed", 2)));
  builder.post("/v1/orders", R"({"merchant_order_no":"n2","amount":70,"currency":"CNY","subject":"Tea"})", 201,
               closed_order("pending", 1));
  builder.post("/v1/orders/ord_2/close", "", 200, closed_order("closed", 2));
  builder.post("/v1/orders/ord_2/payments", R"({"channel":"sandbox"})", 409, problem("order_not_payable", "closed"));
  builder.get("/v1/orders/ord_2", closed_order("closed", 2));
  builder.get("/v1/refunds?order=ord_1", list_of({refund("ref_1", 60, "succeeded"), refund("ref_3", 40, "succeeded")}));
  return builder.history;
}

void set(json::object& fields, std::string_view name, json::value value) { fields[name] = std::move(value); }

/// Makes two requests overlap in time, like concurrent requests of two clients.
void overlap(Operation& first, Operation& second) { std::swap(first.returned, second.returned); }

json::object& payment_in(Operation& operation, std::size_t which) {
  return operation.answer.at("payments").as_array().at(which).as_object();
}

struct Forgery {
  std::string_view name;
  std::function<void(std::vector<Operation>&)> forge;
  std::string_view object, rule;
};

const Forgery kForgeries[] = {
    {"a stale read of an account", [](auto& all) { all[look_held].answer = all[look_100].answer; }, "acc_alice",
     "versions never decrease"},
    {"a stale read of an order", [](auto& all) { all[look_refunded].answer = all[look_pending].answer; }, "ord_1",
     "versions never decrease"},
    {"one version, two balances", [](auto& all) { set(all[look_20].answer, "version", 2); }, "acc_alice",
     "one content per version"},
    {"a lost update",
     [](auto& all) {
       for (const Place at : {look_20, look_held, look_10, look_15, look_10_again, unlock_a, look_9, freeze, unfreeze})
         set(all[at].answer, "balance", all[at].answer.at("balance").as_int64() + 80);
     },
     "acc_alice", "balances match the requests"},
    {"a balance without an explanation", [](auto& all) { set(all[look_15].answer, "balance", 16); }, "acc_alice",
     "balances match the requests"},
    {"a transfer posted twice", [](auto& all) { set(all[look_20].answer, "balance", -60); }, "acc_alice",
     "balances match the requests"},
    {"more changes than versions",
     [](auto& all) { all[look_held].answer = {}, set(all[look_10].answer, "version", 4); }, "acc_alice",
     "balances match the requests"},
    {"a held amount without a hold", [](auto& all) { set(all[look_10].answer, "held", 3); }, "acc_alice",
     "balances match the requests"},
    {"money spent twice",
     [](auto& all) {
       all.resize(look_100 + 1);
       for (const auto* reference : {"d1", "d2"}) {
         Operation spent = all[pay_in];
         spent.call = all.back().returned + 1, spent.returned = spent.call + 1;
         spent.body = json::parse(transfer_body("acc_alice", "acc_till", 80, reference)).as_object();
         spent.answer = json::parse(transfer("acc_alice", "acc_till", 80, reference)).as_object();
         all.push_back(spent);
       }
     },
     "acc_alice", "an account stays within its limit"},
    {"a refusal despite sufficient balance", [](auto& all) { set(all[spend_too_much].body, "amount", 20); },
     "acc_alice", "a refusal has a reason"},
    {"account_frozen without a freeze",
     [](auto& all) { all[spend_too_much].answer = json::parse(problem("account_frozen")).as_object(); }, "acc_alice",
     "a refusal has a reason"},
    {"account_locked without a lock",
     [](auto& all) {
       all[spend_too_much].answer = json::parse(problem("account_locked")).as_object();
       all[spend_too_much].status = 409;
     },
     "acc_alice", "a refusal has a reason"},
    {"a transfer out of a frozen account",
     [](auto& all) {
       std::swap(all[spend_by_b].call, all[freeze].call), std::swap(all[spend_by_b].returned, all[freeze].returned);
     },
     "acc_alice", "a frozen account is not debited"},
    {"a write with a stale lock token", [](auto& all) { set(all[spend_by_b].body, "lock_token", "1-a"); }, "acc_alice",
     "a stale lock token is rejected"},
    {"a refused transfer that moved money",
     [](auto& all) {
       set(all[unanswered].answer, "code", "account_frozen");
       all[unanswered].status = 422;
       all[unanswered].returned = all[unanswered].call + 1;
     },
     "acc_alice", "every movement has a request"},
    {"a hold refused because of itself",
     [](auto& all) {
       Operation twice = all[set_aside];
       twice.status = 422, twice.answer = json::parse(problem("insufficient_balance")).as_object();
       all.push_back(twice);
     },
     "acc_alice", "a refusal has a reason"},
    {"a hold both posted and voided",
     [](auto& all) {
       Operation voided = all[post_hold];
       voided.path = "/v1/holds/hol_1/void";
       voided.body = {};
       voided.answer = json::parse(hold("voided", 0)).as_object();
       set(voided.answer, "version", 3);
       all.push_back(voided);
     },
     "hol_1", "final states never change"},
    {"a missing entry",
     [](auto& all) {
       auto& lines = all[statement].answer.at("data").as_array();
       lines.erase(lines.begin());
     },
     "acc_alice", "a statement is complete"},
    {"an entry that does not begin where the last one ended",
     [](auto& all) {
       json::object& line = all[statement].answer.at("data").as_array().at(0).as_object();
       set(line, "balance_before", 11), set(line, "balance_after", 10);
     },
     "acc_alice", "balances of entries are consistent"},
    {"a transfer with two entries",
     [](auto& all) {
       auto& lines = all[statement].answer.at("data").as_array();
       lines.insert(lines.begin(), json::parse(entry(7, "t5", -1, 9)));
     },
     "acc_alice", "one entry per posting"},
    {"an entry without a request",
     [](auto& all) {
       auto& lines = all[statement].answer.at("data").as_array();
       lines.insert(lines.begin(), json::parse(entry(7, "t9", -1, 9)));
     },
     "acc_alice", "every movement has a request"},
    {"two answers with one key",
     [](auto& all) {
       set(all[spend_again].answer, "id", "tra_other");
       set(all[spend_again].answer, "reference", "t2");
     },
     "k2", "one response per key"},
    {"a refusal, then success with one key",
     [](auto& all) {
       all[spend].status = 422;
       all[spend].answer = json::parse(problem("insufficient_balance")).as_object();
     },
     "k2", "one response per key"},
    {"a request executed twice with one key", [](auto& all) { all[spend_again].replayed = false; }, "k2",
     "one response per key"},
    {"another request executed with one key",
     [](auto& all) {
       all[other_body].status = 201;
       all[other_body].answer = json::parse(closed_order("pending", 1)).as_object();
       set(all[other_body].answer, "merchant_order_no", "n9"), set(all[other_body].answer, "amount", 1);
     },
     "k1", "one request per key"},
    {"a replayed answer without an earlier request",
     [](auto& all) { all[look_closed].key = "k7", all[look_closed].replayed = true, all[look_closed].method = "POST"; },
     "k7", "one response per key"},
    {"two orders with one number",
     [](auto& all) {
       set(all[order_2].body, "merchant_order_no", "n1");
       for (const Place at : {order_2, close_2, look_closed}) set(all[at].answer, "merchant_order_no", "n1");
     },
     "ord_2", "one object per number"},
    {"an answer to another request", [](auto& all) { set(all[order_2].body, "amount", 71); }, "ord_2",
     "a response matches its request"},
    {"an acknowledged order is not found",
     [](auto& all) {
       all[look_closed].status = 404, all[look_closed].answer = json::parse(problem("not_found")).as_object();
     },
     "ord_2", "acknowledged objects exist"},
    {"an acknowledged number is not found",
     [](auto& all) {
       all[look_closed].path = "/v1/orders?merchant_order_no=n2";
       all[look_closed].answer = json::parse(R"({"object":"list","has_more":false,"data":[]})").as_object();
     },
     "ord_2", "acknowledged objects exist"},
    {"two succeeded payments", [](auto& all) { set(all[look_payment].answer, "state", "succeeded"); }, "ord_1",
     "one succeeded payment per succeeded order"},
    {"two succeeded payments in one answer",
     [](auto& all) { set(payment_in(all[look_paid], 1), "state", "succeeded"); }, "ord_1",
     "one succeeded payment per succeeded order"},
    {"a succeeded order without a succeeded payment",
     [](auto& all) { set(payment_in(all[look_paid], 0), "state", "pending"); }, "ord_1",
     "one succeeded payment per succeeded order"},
    {"a final state that changed",
     [](auto& all) { set(all[look_closed].answer, "state", "failed"), set(all[look_closed].answer, "version", 3); },
     "ord_2", "final states never change"},
    {"an order both closed and succeeded", [](auto& all) { set(all[pay_paid].answer, "state", "closed"); }, "ord_1",
     "final states never change"},
    {"a closed order that is open again",
     [](auto& all) { all[pay_closed].answer = json::parse(problem("payment_in_progress")).as_object(); }, "ord_2",
     "final states never change"},
    {"a payment created on a closed order",
     [](auto& all) {
       all[pay_closed].status = 201;
       all[pay_closed].answer = json::parse(payment("pay_3", "pending", 1)).as_object();
       set(all[pay_closed].answer, "order", "ord_2");
     },
     "ord_2", "no new payment on a closing or final order"},
    {"a payment that changed its amount",
     [](auto& all) {
       set(payment_in(all[look_refunded], 1), "amount", 99), set(payment_in(all[look_refunded], 1), "version", 3);
     },
     "pay_2", "fixed fields never change"},
    {"refunds above the paid amount",
     [](auto& all) {
       all[refund_too_much].status = 201;
       all[refund_too_much].answer = json::parse(refund("ref_2", 50, "succeeded")).as_object();
     },
     "pay_1", "refunds never exceed the paid amount"},
    {"a refund refused within the paid amount", [](auto& all) { set(all[refund_too_much].body, "amount", 40); },
     "pay_1", "a refusal has a reason"},
    {"a refund refused because of itself",
     [](auto& all) {
       Operation twice = all[refund_60];
       twice.status = 409, twice.answer = json::parse(problem("refund_exceeds_paid")).as_object();
       all.push_back(twice);
     },
     "pay_1", "a refusal has a reason"},
    {"a refunded amount without a refund", [](auto& all) { set(all[look_refunded].answer, "refunded_amount", 130); },
     "ord_1", "refunded_amount matches the refunds"},
    {"a refund missing from the refunded amount",
     [](auto& all) { set(all[look_refunded].answer, "refunded_amount", 40); }, "ord_1",
     "refunded_amount matches the refunds"},
    {"a succeeded refund that failed later",
     [](auto& all) {
       Operation undone = all[look_refund];
       undone.call = all.back().returned + 1, undone.returned = undone.call + 1;
       set(undone.answer, "state", "failed"), set(undone.answer, "version", 3);
       all.push_back(undone);
     },
     "ref_1", "final states never change"},
};

class Forged : public testing::TestWithParam<Forgery> {};

TEST_P(Forged, is_impossible) {
  std::vector<Operation> history = good_history();
  GetParam().forge(history);
  const Report report = check(history);
  const bool found = std::ranges::any_of(report.impossible, [](const Impossibility& violation) {
    return violation.object == GetParam().object && violation.rule == GetParam().rule;
  });
  EXPECT_TRUE(found) << "expected " << GetParam().object << ": " << GetParam().rule << ", found:\n" << text_of(report);
}

INSTANTIATE_TEST_SUITE_P(histories, Forged, testing::ValuesIn(kForgeries), [](const auto& param) {
  std::string name(param.param.name);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
});

TEST(history, a_consistent_history_has_no_violations) {
  const Report report = check(good_history());
  EXPECT_EQ(text_of(report), "");
  EXPECT_EQ(report.accounts, 2u);
  EXPECT_EQ(report.undecided, 0u);
  EXPECT_EQ(report.unanswered, 1u);
}

TEST(history, the_order_of_the_lines_does_not_matter) {
  std::vector<Operation> history = good_history();
  std::ranges::reverse(history);
  EXPECT_EQ(text_of(check(history)), "");
}

TEST(history, overlapping_requests_may_have_happened_in_either_order) {
  std::vector<Operation> history = good_history();
  overlap(history[look_20], history[spend_too_much]);
  overlap(history[look_pending], history[look_paid]);
  EXPECT_EQ(text_of(check(history)), "");
  std::swap(history[look_pending].answer, history[look_paid].answer);
  EXPECT_EQ(text_of(check(history)), "");
}

TEST(history, an_unanswered_request_may_or_may_not_have_been_executed) {
  std::vector<Operation> history = good_history();
  history.resize(look_15 + 1);
  EXPECT_EQ(text_of(check(history)), "");
  history[look_15].answer = history[look_10].answer;
  EXPECT_EQ(text_of(check(history)), "");
}

TEST(history, a_finding_shows_the_shortest_window) {
  std::vector<Operation> history = good_history();
  history[look_15].answer["balance"] = 16;
  const Report report = check(history);
  ASSERT_FALSE(report.impossible.empty());
  EXPECT_EQ(report.impossible.front().operations, (std::vector<std::size_t>{look_10, unanswered, look_15, take_back}));
}

TEST(history, lines_are_read_as_they_were_written) {
  for (const Operation& operation : good_history()) {
    const auto read = parse_operation(to_line(operation));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(to_line(*read), to_line(operation));
    EXPECT_EQ(read->returned, operation.returned);
  }
}

TEST(history, an_invalid_line_is_rejected) {
  const std::pair<std::string_view, std::string_view> wrong[] = {
      {"{", "invalid JSON"},
      {"[]", "must be a JSON object"},
      {R"({"call":1,"method":"GET"})", "required"},
      {R"({"call":"1","method":"GET","path":"/"})", "\"call\" must be an integer"},
      {R"({"call":5,"return":4,"status":200,"method":"GET","path":"/"})", "later than call"},
      {R"({"call":5,"return":6,"method":"GET","path":"/"})", "must be both present or both absent"},
      {R"({"call":5,"method":"GET","path":"/","statsu":200})", "unknown field \"statsu\"; allowed: call, return, "}};
  for (const auto& [line, why] : wrong) {
    const auto read = parse_operation(line);
    ASSERT_FALSE(read) << line;
    EXPECT_NE(read.error().message.find(why), std::string::npos) << read.error().message;
  }
}

// The channel makes an external refund without a request. If a list contains the refund, the refund explains the
// refunded amount and the refusal of another refund.
TEST(history, a_listed_external_refund_explains_amounts_without_a_request) {
  const std::string whole = order("succeeded", 100, 9, payment("pay_1", "succeeded", 2));
  HistoryBuilder builder;
  builder.get("/v1/orders/ord_1", whole);
  builder.post("/v1/refunds", refund_body("ref_1", 10), 409, problem("refund_exceeds_paid"));
  builder.get("/v1/refunds?order=ord_1", list_of({external_refund("ref_9", 100)}));
  EXPECT_TRUE(check(builder.history).impossible.empty()) << text_of(check(builder.history));
}

TEST(history, a_returned_refund_leaves_room_for_another_refund) {
  const auto with = [](std::int64_t returned) {
    json::object fields = json::parse(refund("ref_1", 60, "succeeded")).as_object();
    fields["returned_amount"] = returned;
    return json::serialize(fields);
  };
  for (const auto& [returned, is_possible] : {std::pair<std::int64_t, bool>{9, false}, {10, true}, {60, true}}) {
    HistoryBuilder builder;
    builder.get("/v1/payments/pay_1", payment("pay_1", "succeeded", 2));
    builder.post("/v1/refunds", refund_body("ref_1", 60), 201, refund("ref_1", 60, "succeeded"));
    builder.post("/v1/refunds", refund_body("ref_2", 50), 201, refund("ref_2", 50, "succeeded"));
    builder.get("/v1/refunds/ref_1", with(returned));
    EXPECT_EQ(check(builder.history).impossible.empty(), is_possible) << returned;
  }
}

// A replayed response shows the state at the first use of the key. The refund may have failed since then, so that
// another refund could be created.
TEST(history, a_refund_in_a_replayed_answer_may_have_failed_since) {
  HistoryBuilder builder;
  builder.get("/v1/payments/pay_1", payment("pay_1", "succeeded", 2));
  builder.post("/v1/refunds", refund_body("ref_1", 60), 0, "").key = "k1";
  builder.post("/v1/refunds", refund_body("ref_2", 50), 201, refund("ref_2", 50, "succeeded")).key = "k2";
  Operation& again = builder.post("/v1/refunds", refund_body("ref_1", 60), 201, refund("ref_1", 60, "pending"));
  again.key = "k1", again.replayed = true;
  EXPECT_TRUE(check(builder.history).impossible.empty());
  again.replayed = false;
  EXPECT_TRUE(check(builder.history).impossible.empty()) << "the other refund may have been returned unobserved";
  builder.get("/v1/refunds/ref_2", refund("ref_2", 50, "succeeded"));
  EXPECT_FALSE(check(builder.history).impossible.empty()) << "both refunds exist: together they exceed the paid amount";
}

}  // namespace
}  // namespace finality::history
