#include "sandbox/simple/authorizations.h"

#include "sandbox/testing/test_world.h"

namespace finality::sandbox {
namespace {

class SimpleAuthorizationsTest : public TestWorld {
 protected:
  boost::json::object authorization(const std::string& out_order_no, const std::string& scenario = "manual") {
    boost::json::object body = order(out_order_no, scenario);
    body.erase("out_trade_no");
    body["out_order_no"] = out_order_no;
    return body;
  }

  SandboxReply post(const std::string& path, const boost::json::object& body, const std::string& channel = "sandbox") {
    return call("POST", "/" + channel + path, boost::json::serialize(body));
  }
  SandboxReply authorize(const boost::json::object& body, const std::string& channel = "sandbox") {
    return post("/authorizations", body, channel);
  }
  SandboxReply get(const std::string& out_order_no, const std::string& channel = "sandbox") {
    return call("GET", "/" + channel + "/authorizations/" + out_order_no);
  }
  SandboxReply capture(const std::string& out_trade_no, std::int64_t amount, bool is_final,
                       const std::string& channel = "sandbox") {
    return post("/authorizations/order-1/captures",
                {{"out_trade_no", out_trade_no}, {"amount", amount}, {"final", is_final}}, channel);
  }
  SandboxReply release(const std::string& out_request_no, std::int64_t amount) {
    return post("/authorizations/order-1/releases", {{"out_request_no", out_request_no}, {"amount", amount}});
  }

  // Creates an authorization, lets the payer authorize it unless the scenario has done so, and returns its auth_no.
  std::string held(const std::string& scenario = "manual", const std::string& channel = "sandbox") {
    const std::string auth_no = text_of(authorize(authorization("order-1", scenario), channel), "auth_no");
    visit("POST", "/wallet/" + auth_no + "/pay");
    EXPECT_EQ(text_of(get("order-1", channel), "state"), "held");
    return auth_no;
  }

  static const boost::json::object& object_of(const SandboxReply& reply) {
    return reply.json.at("authorization").as_object();
  }
  static std::string text_of(const SandboxReply& reply, std::string_view field) {
    return std::string(object_of(reply).at(field).as_string());
  }
  static std::int64_t amount_of(const SandboxReply& reply, std::string_view field) {
    return object_of(reply).at(field).as_int64();
  }
};

TEST_F(SimpleAuthorizationsTest, CreatesAnAuthorizationWithAPayersPage) {
  const SandboxReply made = authorize(authorization("order-1"));
  ASSERT_EQ(made.status, 200) << made.response.body;
  const boost::json::object& json = object_of(made);
  EXPECT_EQ(json.at("state"), "waiting");
  EXPECT_EQ(json.at("out_order_no"), "order-1");
  EXPECT_EQ(json.at("amount").as_int64(), 1234);
  EXPECT_EQ(json.at("authorized").as_int64(), 0);
  EXPECT_EQ(json.at("unfunded"), false);
  EXPECT_TRUE(json.at("captures").as_array().empty());
  EXPECT_FALSE(json.contains("ended_by") || json.contains("capture_before"));
  EXPECT_EQ(made.json.at("action").at("url").as_string(),
            fmt::format("http://127.0.0.1:{}/wallet/{}", sandbox_->port(), text_of(made, "auth_no")));
  EXPECT_EQ(get("order-1").json.at("authorization"), json);
  EXPECT_EQ(get(text_of(made, "auth_no")).json.at("authorization"), json);
  EXPECT_EQ(authorize(authorization("order-1")).json, made.json) << "the same number is the same authorization";
  auto other = authorization("order-1");
  other["amount"] = 1235;
  EXPECT_EQ(authorize(other).text("code"), "context_inconsistent");
}

TEST_F(SimpleAuthorizationsTest, NotifiesTheHoldAndItsEnd) {
  held();
  const auto held_report = receiver_.wait_for(1);
  expect_signed(held_report[0].headers, held_report[0].body);
  const auto first = boost::json::parse(held_report[0].body);
  EXPECT_EQ(first.at("type"), "authorization");
  EXPECT_EQ(first.at("authorization"), get("order-1").json.at("authorization"));
  EXPECT_EQ(first.at("authorization").at("state"), "held");
  EXPECT_EQ(first.at("authorization").at("authorized").as_int64(), 1234);
  EXPECT_TRUE(first.at("authorization").as_object().contains("capture_before"));
  EXPECT_EQ(release("release-1", 1234).status, 200);
  const auto last = boost::json::parse(receiver_.wait_for(2)[1].body);
  EXPECT_EQ(last.at("authorization").at("state"), "ended");
  EXPECT_EQ(last.at("authorization").at("ended_by"), "released");
}

TEST_F(SimpleAuthorizationsTest, CapturesAndRefundsTheCapture) {
  held();
  const SandboxReply captured = capture("capture-1", 1000, true);
  ASSERT_EQ(captured.status, 200) << captured.response.body;
  EXPECT_EQ(captured.state(), "paid");
  EXPECT_EQ(captured.trade().at("paid").as_int64(), 1000);
  EXPECT_EQ(captured.trade().at("out_trade_no"), "capture-1");
  EXPECT_EQ(capture("capture-1", 1000, true).json, captured.json);
  EXPECT_EQ(call("GET", "/sandbox/captures/capture-1").json, captured.json);
  const SandboxReply ended = get("order-1");
  EXPECT_EQ(text_of(ended, "state"), "ended");
  EXPECT_EQ(text_of(ended, "ended_by"), "captured");
  EXPECT_EQ(amount_of(ended, "captured"), 1000);
  EXPECT_EQ(amount_of(ended, "released"), 234);
  const auto& captures = object_of(ended).at("captures").as_array();
  ASSERT_EQ(captures.size(), 1u);
  EXPECT_EQ(captures[0], boost::json::value({{"out_trade_no", "capture-1"},
                                             {"trade_no", captured.trade_no()},
                                             {"amount", 1000},
                                             {"currency", "CNY"},
                                             {"paid_at", captured.trade().at("paid_at")}}));
  EXPECT_EQ(refund("refund-1", captured.trade_no(), 1000).status, 200);
}

TEST_F(SimpleAuthorizationsTest, CapturesOfSandbox2ShareTheNumberOfTheAuthorization) {
  const std::string auth_no = held("manual", "sandbox2");
  EXPECT_EQ(capture("capture-1", 300, false, "sandbox2").trade_no(), auth_no);
  EXPECT_EQ(capture("capture-2", 200, true, "sandbox2").trade_no(), auth_no);
  const boost::json::object body{
      {"out_refund_no", "refund-1"}, {"trade_no", auth_no}, {"amount", 500}, {"currency", "CNY"}};
  const SandboxReply refunded = post("/refunds", body, "sandbox2");
  ASSERT_EQ(refunded.status, 200) << refunded.response.body;
  EXPECT_EQ(refunded.json.at("refund").at("trade_no").as_string(), auth_no);
  EXPECT_EQ(post("/refunds", body, "sandbox2").json, refunded.json);
  EXPECT_EQ(call("GET", "/sandbox2/refunds/refund-1").json, refunded.json);
}

TEST_F(SimpleAuthorizationsTest, RefusalsNameTheirReasonAndTheAuthorization) {
  held();
  const auto expect_refusal = [](const SandboxReply& reply, const char* code) {
    EXPECT_EQ(reply.status, 409);
    EXPECT_EQ(reply.text("code"), code);
    EXPECT_TRUE(reply.json.as_object().contains("authorization"));
  };
  expect_refusal(capture("capture-1", 1235, true), "capture_exceeds_held");
  expect_refusal(release("release-1", 1235), "release_exceeds_held");
  expect_refusal(call("POST", "/sandbox/authorizations/order-1/close"), "authorization_not_waiting");
  EXPECT_EQ(release("release-1", 1234).status, 200);
  EXPECT_EQ(release("release-1", 1234).status, 200);
  expect_refusal(release("release-1", 1), "context_inconsistent");
  expect_refusal(release("release-2", 1), "not_held");
  expect_refusal(capture("capture-1", 1, true), "not_held");
}

TEST_F(SimpleAuthorizationsTest, RefusesByScenario) {
  struct Case {
    const char* scenario;
    bool is_capture;
    int status;
    const char* code;
  };
  const Case cases[] = {{"capture_refused", true, 409, "capture_refused"},
                        {"capture_not_now", true, 409, "capture_not_now"},
                        {"capture_lost", true, 504, "gateway_timeout"},
                        {"release_refused", false, 409, "release_refused"},
                        {"release_refused_for_now", false, 409, "release_refused_for_now"},
                        {"release_lost", false, 504, "gateway_timeout"}};
  for (const Case& c : cases) {
    const std::string number = c.scenario;
    const std::string auth_no = text_of(authorize(authorization(number, c.scenario)), "auth_no");
    visit("POST", "/wallet/" + auth_no + "/pay");
    const std::string path = "/authorizations/" + number;
    const SandboxReply refused =
        c.is_capture ? post(path + "/captures", {{"out_trade_no", "of-" + number}, {"amount", 1}, {"final", false}})
                     : post(path + "/releases", {{"out_request_no", "of-" + number}, {"amount", 1}});
    EXPECT_EQ(refused.status, c.status) << c.scenario;
    EXPECT_EQ(refused.text("code"), c.code) << c.scenario;
    EXPECT_EQ(amount_of(get(number), "captured"), 0);
    EXPECT_EQ(amount_of(get(number), "released"), 0);
  }
}

TEST_F(SimpleAuthorizationsTest, ExecutesWithoutAnAnswer) {
  EXPECT_EQ(authorize(authorization("order-0", "authorization_unknown")).status, 504);
  EXPECT_EQ(get("order-0").status, 200);
  held("capture_unknown");
  EXPECT_EQ(capture("capture-1", 1000, false).status, 504);
  EXPECT_EQ(call("GET", "/sandbox/captures/capture-1").trade().at("paid").as_int64(), 1000);
}

TEST_F(SimpleAuthorizationsTest, AReleaseWithoutAnAnswerTakesEffect) {
  held("release_unknown");
  EXPECT_EQ(release("release-1", 1234).status, 504);
  EXPECT_EQ(text_of(get("order-1"), "ended_by"), "released");
}

TEST_F(SimpleAuthorizationsTest, ClosesAWaitingAuthorization) {
  authorize(authorization("order-1"));
  const SandboxReply closed = call("POST", "/sandbox/authorizations/order-1/close");
  EXPECT_EQ(closed.status, 200);
  EXPECT_EQ(text_of(closed, "state"), "closed");
  EXPECT_EQ(call("POST", "/sandbox/authorizations/order-1/close").json, closed.json);
  EXPECT_EQ(visit("POST", "/wallet/" + text_of(closed, "auth_no") + "/pay").status, 409);
}

TEST_F(SimpleAuthorizationsTest, UnknownNumbersDoNotExist) {
  EXPECT_EQ(get("none").text("code"), "authorization_not_exist");
  EXPECT_EQ(call("GET", "/sandbox/captures/none").text("code"), "capture_not_exist");
  const std::string auth_no = held("manual", "sandbox2");
  EXPECT_EQ(get(auth_no).status, 404) << "the authorization of another channel";
  EXPECT_EQ(create(order("order-1", "pays")).status, 200);
  EXPECT_EQ(call("GET", "/sandbox/captures/order-1").status, 404) << "a payment is no capture";
  EXPECT_EQ(call("GET", "/sandbox/authorizations").status, 405);
  EXPECT_EQ(call("POST", "/sandbox/authorizations/order-1/open").status, 404);
}

TEST_F(SimpleAuthorizationsTest, NamesTheInvalidField) {
  held();
  const auto param = [](const SandboxReply& reply) {
    EXPECT_EQ(reply.status, 400);
    return reply.text("param");
  };
  const std::string captures = "/authorizations/order-1/captures";
  EXPECT_EQ(param(post(captures, {{"out_trade_no", "c"}, {"amount", 1}})), "final");
  EXPECT_EQ(param(post(captures, {{"out_trade_no", "c"}, {"amount", 1}, {"final", "yes"}})), "final");
  EXPECT_EQ(param(post(captures, {{"out_trade_no", "c"}, {"amount", 0}, {"final", true}})), "amount");
  EXPECT_EQ(param(post("/authorizations/order-1/releases", {{"amount", 1}})), "out_request_no");
  EXPECT_EQ(param(authorize(authorization("order-2", "wonder"))), "scenario");
}

TEST_F(SimpleAuthorizationsTest, KeepsHoldsAcrossARestart) {
  held();
  capture("capture-1", 1000, false);
  const SandboxReply before = get("order-1");
  stop();
  start();
  EXPECT_EQ(get("order-1").json, before.json);
  EXPECT_EQ(release("release-1", 234).status, 200);
}

TEST_F(SimpleAuthorizationsTest, TheLedgerListsAuthorizationsAndTheirCaptures) {
  const std::string auth_no = held();
  capture("capture-1", 1000, true);
  const SandboxReply ledger = visit("GET", "/ledger");
  const auto& authorizations = ledger.json.at("authorizations").as_array();
  ASSERT_EQ(authorizations.size(), 1u);
  EXPECT_EQ(authorizations[0].at("auth_no").as_string(), auth_no);
  EXPECT_EQ(authorizations[0].at("captured").as_int64() + authorizations[0].at("released").as_int64(), 1234);
  const auto& trades = ledger.json.at("trades").as_array();
  ASSERT_EQ(trades.size(), 1u);
  EXPECT_EQ(trades[0].at("auth_no").as_string(), auth_no);
  EXPECT_EQ(trades[0].at("paid").as_int64(), 1000);
}

}  // namespace
}  // namespace finality::sandbox
