// Tests of the checks of authorizations and captures. A consistent history passes, and each copy of this history with
// one wrong response fails.
#include <gtest/gtest.h>

#include <functional>
#include <tuple>

#include "history/history_builder.h"

namespace finality::history {
namespace {

using namespace test;

// Indexes of requests in the consistent history.
enum Place : std::size_t {
  create_order,
  authorize,
  look_held,
  capture_40,
  capture_beside,
  look_capture,
  look_authorization,
  refund_10,
  look_refund,
  capture_60,
  look_succeeded,
  capture_after,
  refund_too_much,
  list_refunds,
  look_ended,
};

std::string refund_of_capture(int amount, std::string_view state) {
  return fmt::format(
      R"({{"id":"ref_9","object":"refund","kind":"refund","authorization":"auth_1","capture":"cap_1","order":"ord_9",
           "merchant_refund_no":"r1","amount":{},"currency":"CNY","state":"{}","version":{}}})",
      amount, state, state == "pending" ? 1 : 2);
}

std::vector<Operation> good_history() {
  HistoryBuilder builder;
  const std::string captures = "/v1/authorizations/auth_1/captures";
  const std::string first = capture("cap_1", 40, false, "succeeded");
  const std::string last = capture("cap_2", 60, true, "succeeded");
  const std::string ended = authorization("captured", 100, 4, {capture("cap_1", 40, false, "succeeded", 10), last});
  builder.post("/v1/orders", R"({"merchant_order_no":"n9","amount":100,"currency":"CNY","capture_method":"manual"})",
               201, manual_order("pending", 0, 0, 1, ""));
  builder.post("/v1/orders/ord_9/authorizations", R"({"channel":"sandbox"})", 201,
               authorization("processing", 0, 1, {}));
  builder.get("/v1/orders/ord_9", manual_order("authorized", 0, 0, 3, authorization("authorized", 0, 2, {})));
  builder.post(captures, R"({"merchant_capture_no":"n_cap_1","amount":40,"final":false})", 201,
               capture("cap_1", 40, false, "processing"));
  builder.post(captures, R"({"merchant_capture_no":"n_cap_2","amount":60})", 409, problem("capture_in_progress")).key =
      "k1";
  builder.get("/v1/captures/cap_1", first);
  builder.get("/v1/authorizations/auth_1", authorization("authorized", 40, 3, {first}));
  builder.post("/v1/refunds", R"({"capture":"cap_1","merchant_refund_no":"r1","amount":10})", 201,
               refund_of_capture(10, "pending"));
  builder.get("/v1/refunds/ref_9", refund_of_capture(10, "succeeded"));
  builder
      .post(captures, R"({"merchant_capture_no":"n_cap_2","amount":60})", 201, capture("cap_2", 60, true, "processing"))
      .key = "k1";
  builder.get("/v1/orders/ord_9", manual_order("succeeded", 100, 10, 9, ended));
  builder.post(captures, R"({"merchant_capture_no":"n_cap_3"})", 409,
               problem("authorization_not_capturable", "captured"));
  builder.post("/v1/refunds", R"({"capture":"cap_1","merchant_refund_no":"r2","amount":40})", 409,
               problem("refund_exceeds_paid"));
  builder.get("/v1/refunds?order=ord_9", list_of({refund_of_capture(10, "succeeded")}));
  builder.get("/v1/authorizations/auth_1", ended);
  return builder.history;
}

void set(json::object& fields, std::string_view name, json::value value) { fields[name] = std::move(value); }

json::object& authorization_in(Operation& operation) {
  return operation.answer.at("authorizations").as_array().at(0).as_object();
}

json::object& capture_in(json::object& authorization, std::size_t which) {
  return authorization.at("captures").as_array().at(which).as_object();
}

void answer(Operation& operation, int status, const std::string& text) {
  operation.status = status;
  operation.answer = json::parse(text).as_object();
}

struct Forgery {
  std::string_view name;
  std::function<void(std::vector<Operation>&)> forge;
  std::string_view object, rule;
};

const Forgery kForgeries[] = {
    {"an order that waits although its amount is held",
     [](auto& all) { set(all[look_held].answer, "state", "pending"); }, "ord_9", "an authorized order has one hold"},
    {"an authorized order without a hold", [](auto& all) { set(authorization_in(all[look_held]), "state", "pending"); },
     "ord_9", "an authorized order has one hold"},
    {"a late hold of an authorized order",
     [](auto& all) {
       set(authorization_in(all[look_held]), "state", "releasing");
       set(authorization_in(all[look_held]), "end_reason", "late");
     },
     "ord_9", "an authorized order has one hold"},
    {"a succeeded order whose authorization was released",
     [](auto& all) { set(authorization_in(all[look_succeeded]), "state", "released"); }, "ord_9",
     "one succeeded payment per succeeded order"},
    {"a closed order whose authorization was captured",
     [](auto& all) { set(all[look_succeeded].answer, "state", "closed"); }, "ord_9",
     "one succeeded payment per succeeded order"},
    {"a paid amount that nobody captured", [](auto& all) { set(all[look_succeeded].answer, "paid_amount", 110); },
     "ord_9", "captures add up to the paid amount"},
    {"a captured amount without a capture",
     [](auto& all) { set(all[look_authorization].answer, "captured_amount", 50); }, "auth_1",
     "captures add up to the captured amount"},
    {"captures above the hold",
     [](auto& all) { set(capture_in(authorization_in(all[look_succeeded]), 1), "amount", 70); }, "auth_1",
     "captures never exceed the authorized amount"},
    {"a capture after the end of the hold",
     [](auto& all) { answer(all[capture_after], 201, capture("cap_3", 1, true, "processing")); }, "auth_1",
     "no new capture after the end of the hold"},
    {"a capture of a succeeded order",
     [](auto& all) { answer(all[capture_after], 201, capture("cap_3", 1, true, "processing")); }, "ord_9",
     "no new payment on a closing or final order"},
    {"a capture refused for one that had ended",
     [](auto& all) { answer(all[capture_after], 409, problem("capture_in_progress")); }, "auth_1",
     "a refusal has a reason"},
    {"an ended authorization that was captured again",
     [](auto& all) {
       set(all[look_ended].answer, "state", "authorized");
       set(all[look_ended].answer, "version", 5);
     },
     "auth_1", "final states never change"},
    {"a captured amount that fell",
     [](auto& all) {
       set(all[look_ended].answer, "captured_amount", 60);
       set(all[look_ended].answer, "version", 5);
     },
     "auth_1", "cumulative fields never decrease"},
    {"a released amount that fell while the amount is held",
     [](auto& all) { set(authorization_in(all[look_held]), "released_amount", 10); }, "auth_1",
     "cumulative fields never decrease"},
    {"a succeeded capture that failed later",
     [](auto& all) {
       set(capture_in(all[look_ended].answer, 0), "state", "failed");
       set(capture_in(all[look_ended].answer, 0), "version", 4);
     },
     "cap_1", "final states never change"},
    {"two captures with one number", [](auto& all) { set(all[capture_60].answer, "merchant_capture_no", "n_cap_1"); },
     "cap_2", "one object per number"},
    {"a capture of another amount", [](auto& all) { set(all[capture_40].answer, "amount", 41); }, "cap_1",
     "a response matches its request"},
    {"one capture created twice", [](auto& all) { set(all[capture_60].answer, "id", "cap_1"); }, "cap_1",
     "one creation per object"},
    {"a refund above its capture",
     [](auto& all) {
       set(all[refund_10].answer, "amount", 50);
       set(all[look_refund].answer, "amount", 50);
     },
     "cap_1", "refunds never exceed the paid amount"},
    {"a refund refused within its capture", [](auto& all) { set(all[refund_too_much].body, "amount", 30); }, "cap_1",
     "a refusal has a reason"},
};

class ForgedAuthorization : public testing::TestWithParam<Forgery> {};

TEST_P(ForgedAuthorization, is_impossible) {
  std::vector<Operation> history = good_history();
  GetParam().forge(history);
  const Report report = check(history);
  const bool found = std::ranges::any_of(report.impossible, [](const Impossibility& violation) {
    return violation.object == GetParam().object && violation.rule == GetParam().rule;
  });
  EXPECT_TRUE(found) << "expected " << GetParam().object << ": " << GetParam().rule << ", found:\n" << text_of(report);
}

INSTANTIATE_TEST_SUITE_P(histories, ForgedAuthorization, testing::ValuesIn(kForgeries), [](const auto& param) {
  std::string name(param.param.name);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
});

TEST(authorization_history, a_consistent_history_has_no_violations) { EXPECT_EQ(text_of(check(good_history())), ""); }

TEST(authorization_history, a_channel_can_contradict_the_end_of_a_hold) {
  std::vector<Operation> history = good_history();
  json::object ended = authorization_in(history[look_succeeded]);
  ended["released_amount"] = 20;
  authorization_in(history[look_succeeded]) = ended;
  set(history[look_ended].answer, "version", 5);
  EXPECT_EQ(text_of(check(history)), "") << "a rest of 20 is held again";
}

// Returns the history in which the channel refunds the authorization instead of the capture.
std::vector<Operation> whole_trade_history(int refunded) {
  std::vector<Operation> history = good_history();
  const auto name_authorization = [](json::object& fields) {
    fields.erase("capture");
    set(fields, "authorization", "auth_1");
  };
  name_authorization(history[refund_too_much].body);
  for (json::object* fields : {&history[refund_10].body, &history[refund_10].answer, &history[look_refund].answer}) {
    name_authorization(*fields);
    set(*fields, "amount", refunded);
  }
  history[list_refunds].answer.at("data").as_array().front() = history[look_refund].answer;
  set(history[look_succeeded].answer, "refunded_amount", refunded);
  return history;
}

TEST(authorization_history, a_refund_of_an_authorization_is_limited_by_its_captures) {
  EXPECT_EQ(text_of(check(whole_trade_history(70))), "") << "40 and 60 were captured, 70 and 40 cannot be refunded";
  EXPECT_NE(text_of(check(whole_trade_history(110))).find("refunds never exceed the paid amount"), std::string::npos);
  EXPECT_NE(text_of(check(whole_trade_history(10))).find("a refusal has a reason"), std::string::npos)
      << "10 and 40 could be refunded";
}

TEST(authorization_history, a_capture_without_an_answer_may_be_open) {
  std::vector<Operation> history = good_history();
  Operation& unanswered = history[capture_40];
  unanswered.status = 0, unanswered.returned = kNever, unanswered.answer = {};
  EXPECT_EQ(text_of(check(history)), "");
}

TEST(authorization_history, a_succeeded_order_can_be_paid_in_part) {
  std::vector<Operation> history = good_history();
  history.resize(look_succeeded);
  history[capture_60].body["amount"] = 20;
  history[capture_60].answer["amount"] = 20;
  history.push_back(good_history()[look_succeeded]);
  Operation& last = history.back();
  last.answer = json::parse(manual_order("succeeded", 60, 10, 9,
                                         authorization("captured", 60, 4,
                                                       {capture("cap_1", 40, false, "succeeded", 10),
                                                        capture("cap_2", 20, true, "succeeded")})))
                    .as_object();
  EXPECT_EQ(text_of(check(history)), "");
}

// Requests about an amount that is held on an account, of which a part is captured.
enum WalletPlace : std::size_t { open_till, open_alice, pay_in, order, hold, look_alice_held, capture_50, look_alice };

std::vector<Operation> wallet_history() {
  HistoryBuilder builder;
  const auto alice = [](int balance, int held, int version) { return account("acc_alice", balance, held, version); };
  builder.post("/v1/accounts", R"({"currency":"CNY","overdraft":1000000000})", 201, account("acc_till", 0, 0, 1));
  builder.post("/v1/accounts", R"({"currency":"CNY"})", 201, alice(0, 0, 1));
  builder.post("/v1/transfers", transfer_body("acc_till", "acc_alice", 150, "t1"), 201,
               transfer("acc_till", "acc_alice", 150, "t1"));
  builder.post("/v1/orders", R"({"merchant_order_no":"n9","amount":100,"currency":"CNY","capture_method":"manual"})",
               201, manual_order("pending", 0, 0, 1, ""));
  builder.post("/v1/orders/ord_9/authorizations", R"({"channel":"wallet","account":"acc_alice"})", 201,
               authorization("authorized", 0, 2, {}, "acc_alice"));
  builder.get("/v1/accounts/acc_alice", alice(150, 100, 3));
  builder.post("/v1/authorizations/auth_1/captures", R"({"merchant_capture_no":"n_cap_1","amount":50})", 201,
               capture("cap_1", 50, true, "succeeded"));
  builder.get("/v1/accounts/acc_alice", alice(100, 0, 5));
  return builder.history;
}

TEST(authorization_history, a_wallet_authorization_holds_its_amount_until_it_is_captured) {
  EXPECT_EQ(text_of(check(wallet_history())), "");
  for (const auto& [place, name, value] : {std::tuple(look_alice_held, "held", 0), std::tuple(look_alice, "held", 50),
                                           std::tuple(look_alice, "balance", 50)}) {
    std::vector<Operation> history = wallet_history();
    history[place].answer[name] = value;
    EXPECT_NE(text_of(check(history)), "") << name << " " << value;
  }
}

TEST(authorization_history, a_hold_on_an_account_may_end_unobserved) {
  std::vector<Operation> history = wallet_history();
  history.erase(history.begin() + capture_50);
  history.back().answer = json::parse(account("acc_alice", 150, 0, 4)).as_object();
  EXPECT_EQ(text_of(check(history)), "");
}

}  // namespace
}  // namespace finality::history
