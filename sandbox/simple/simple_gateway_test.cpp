#include "sandbox/simple/simple_gateway.h"

#include "sandbox/testing/test_world.h"

namespace finality::sandbox {
namespace {

using namespace std::chrono_literals;
using SimpleGatewayTest = TestWorld;

TEST_F(SimpleGatewayTest, RetriesQuicklyThenByTheScaledScheduleThenGivesUp) {
  const SimpleGateway gateway({.io = io_, .ledger_thread = nullptr, .public_url = "", .time_scale = 2.0}, kTestSecret);
  const std::vector<Duration> expected{1s, 2s, 4s, 2min, 5min, 5min, 30min, 1h, 3h, 7h + 30min};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(gateway.retry_delay({}, static_cast<std::int64_t>(i + 1)), expected[i]);
  EXPECT_FALSE(gateway.retry_delay({}, static_cast<std::int64_t>(expected.size() + 1)));
}

TEST_F(SimpleGatewayTest, CreatesATradeWithAPayersPage) {
  const SandboxReply made = create(order("order-1"));
  ASSERT_EQ(made.status, 200) << made.response.body;
  EXPECT_TRUE(made.trade_no().starts_with("sbx20"));
  EXPECT_EQ(made.state(), "waiting");
  EXPECT_EQ(made.trade().at("amount").as_int64(), 1234);
  EXPECT_EQ(made.trade().at("paid").as_int64(), 0);
  EXPECT_FALSE(made.trade().at("payer").as_string().empty());
  const auto& action = made.json.at("action").as_object();
  EXPECT_EQ(action.at("type"), "redirect");
  EXPECT_EQ(action.at("url").as_string(),
            fmt::format("http://127.0.0.1:{}/wallet/{}", sandbox_->port(), made.trade_no()));
}

TEST_F(SimpleGatewayTest, TheSameNumberReturnsTheTradeInItsCurrentState) {
  const SandboxReply made = create(order("order-1"));
  visit("POST", "/wallet/" + made.trade_no() + "/pay");
  auto repetition = order("order-1");
  repetition["subject"] = "other words";
  const SandboxReply repeated = create(repetition);
  EXPECT_EQ(repeated.status, 200);
  EXPECT_EQ(repeated.trade_no(), made.trade_no());
  EXPECT_EQ(repeated.state(), "paid");
  EXPECT_EQ(visit("GET", "/ledger").json.at("trades").as_array().size(), 1u);
}

TEST_F(SimpleGatewayTest, TheSameNumberWithAnotherAmountOrCurrencyIsRefused) {
  create(order("order-1"));
  auto changed_amount = order("order-1");
  changed_amount["amount"] = 1235;
  auto changed_currency = order("order-1");
  changed_currency["currency"] = "USD";
  for (const auto& changed : {changed_amount, changed_currency}) {
    const SandboxReply refused = create(changed);
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(refused.text("code"), "context_inconsistent");
  }
}

TEST_F(SimpleGatewayTest, EachChannelHasSeparateTrades) {
  const SandboxReply first = create(order("order-1"), "sandbox");
  const SandboxReply second = create(order("order-1"), "sandbox2");
  EXPECT_NE(first.trade_no(), second.trade_no());
  EXPECT_EQ(second.trade().at("channel"), "sandbox2");
  EXPECT_EQ(call("GET", "/sandbox2/trades/order-1").trade_no(), second.trade_no());
  EXPECT_EQ(visit("POST", "/sandbox3/trades").status, 404);
}

TEST_F(SimpleGatewayTest, UnknownTradesDoNotExist) {
  for (const auto& [method, target] :
       {std::pair{"GET", "/sandbox/trades/none"}, {"POST", "/sandbox/trades/none/close"}}) {
    const SandboxReply answer = call(method, target);
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(answer.text("code"), "trade_not_exist");
  }
}

TEST_F(SimpleGatewayTest, RejectsInvalidSignatures) {
  const std::string body = boost::json::serialize(order("order-1"));
  const auto send = [&](const std::string& timestamp, const std::string& signature) {
    net::Headers headers;
    headers.add(kTimestampHeader, timestamp);
    headers.add(kSignatureHeader, signature);
    return read(exchange("POST", "/sandbox/trades", body, headers));
  };
  const std::int64_t now = SystemClock().now().ms / 1000;
  const std::string old = std::to_string(now - 400);
  for (const SandboxReply& answer : {send("", ""), send(std::to_string(now), std::string(64, '0')),
                                     send(old, request_signature(kTestSecret, "POST", "/sandbox/trades", old, body))}) {
    EXPECT_EQ(answer.status, 401);
    EXPECT_EQ(answer.text("code"), "invalid_signature");
  }
  EXPECT_EQ(query("order-1").status, 404);
}

struct BadField {
  const char* name;
  boost::json::value value;
};

TEST_F(SimpleGatewayTest, NamesTheInvalidField) {
  const BadField bad[] = {
      {"out_trade_no", ""},
      {"out_trade_no", "a b"},
      {"out_trade_no", boost::json::string(65, 'a')},
      {"out_trade_no", 7},
      {"amount", 0},
      {"amount", -1},
      {"amount", 1.5},
      {"amount", "12"},
      {"amount", 1'000'000'000'000'001},
      {"amount", nullptr},
      {"currency", "cny"},
      {"currency", "CNYX"},
      {"subject", ""},
      {"subject", boost::json::string(257, 's')},
      {"subject", boost::json::string("a\0b", 3)},
      {"notify_url", "ftp://example.com/"},
      {"notify_url", "/relative"},
      {"return_url", "javascript:alert(1)"},
      {"expires_at", "tomorrow"},
      {"expires_at", "2020-01-01T00:00:00Z"},
      {"scenario", "wonder"},
      {"scenario", 3},
      {"surprise", "field"},
  };
  for (const BadField& field : bad) {
    auto body = order("order-1");
    body[field.name] = field.value;
    const SandboxReply answer = create(body);
    EXPECT_EQ(answer.status, 400) << field.name;
    EXPECT_EQ(answer.text("code"), "invalid_parameter");
    EXPECT_EQ(answer.text("param"), field.name);
  }
  for (const char* required : {"out_trade_no", "amount", "currency", "subject", "notify_url"}) {
    auto body = order("order-1");
    body.erase(required);
    EXPECT_EQ(create(body).text("param"), required);
  }
  EXPECT_EQ(query("order-1").status, 404);
}

TEST_F(SimpleGatewayTest, RefusesBodiesThatAreNotObjects) {
  for (const char* body : {"", "{", "[]", "null", "\"text\"", "{\"subject\": \"\xff\"}"}) {
    const SandboxReply answer = call("POST", "/sandbox/trades", body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_EQ(answer.text("code"), "invalid_parameter");
  }
}

TEST_F(SimpleGatewayTest, RejectsUnknownRoutesAndMethods) {
  EXPECT_EQ(call("GET", "/sandbox").status, 404);
  EXPECT_EQ(call("GET", "/sandbox/nothing").status, 404);
  EXPECT_EQ(call("POST", "/sandbox/trades/a/open").status, 404);
  const SandboxReply wrong = call("GET", "/sandbox/trades");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.response.headers.get("Allow"), "POST");
  EXPECT_EQ(call("POST", "/sandbox/trades/a", "{}").status, 405);
  EXPECT_EQ(call("DELETE", "/sandbox/refunds/a").status, 405);
}

TEST_F(SimpleGatewayTest, ClosesAWaitingTradeOnce) {
  create(order("order-1"));
  const SandboxReply closed = call("POST", "/sandbox/trades/order-1/close");
  EXPECT_EQ(closed.status, 200);
  EXPECT_EQ(closed.state(), "closed");
  EXPECT_EQ(call("POST", "/sandbox/trades/order-1/close").json, closed.json);
  const auto received = receiver_.wait_for(1);
  EXPECT_EQ(boost::json::parse(received[0].body).at("type"), "trade.closed");
  const SandboxReply pay = visit("POST", "/wallet/" + closed.trade_no() + "/pay");
  EXPECT_EQ(pay.status, 409);
  EXPECT_EQ(pay.state(), "closed");
}

TEST_F(SimpleGatewayTest, DoesNotCloseAnEndedTrade) {
  create(order("order-1", "pays"));
  create(order("order-2", "declines"));
  wait_for_state("order-1", "paid");
  wait_for_state("order-2", "failed");
  const SandboxReply paid = call("POST", "/sandbox/trades/order-1/close");
  EXPECT_EQ(paid.status, 409);
  EXPECT_EQ(paid.text("code"), "trade_has_success");
  EXPECT_EQ(paid.state(), "paid");
  const SandboxReply failed = call("POST", "/sandbox/trades/order-2/close");
  EXPECT_EQ(failed.status, 409);
  EXPECT_EQ(failed.text("code"), "trade_has_failed");
  EXPECT_EQ(failed.state(), "failed");
}

TEST_F(SimpleGatewayTest, CloseAndPayCannotBothSucceed) {
  constexpr int kTrades = 40;
  for (int i = 0; i < kTrades; ++i) {
    const std::string number = "race-" + std::to_string(i);
    const std::string trade_no = create(order(number)).trade_no();
    auto paying = std::async(std::launch::async, [&] { return visit("POST", "/wallet/" + trade_no + "/pay").status; });
    const int closed = call("POST", "/sandbox/trades/" + number + "/close").status;
    const int paid = paying.get();
    EXPECT_EQ(closed == 200, paid == 409) << closed << " and " << paid;
    EXPECT_EQ(query(number).state(), paid == 200 ? "paid" : "closed");
  }
  receiver_.wait_for(kTrades);
}

TEST_F(SimpleGatewayTest, AnExpiredTradeIsClosedAutomatically) {
  const auto clock = start_with_stopped_clock();
  auto body = order("order-1");
  body["expires_at"] = to_rfc3339(clock->now() + std::chrono::minutes(1));
  const std::string trade_no = create(body).trade_no();
  clock->advance(std::chrono::minutes(1));
  const auto received = receiver_.wait_for(1);
  EXPECT_EQ(boost::json::parse(received[0].body).at("type"), "trade.closed");
  EXPECT_EQ(query("order-1").state(), "closed");
  EXPECT_EQ(visit("POST", "/wallet/" + trade_no + "/pay").status, 409);
  EXPECT_EQ(create(body).state(), "closed");
}

TEST_F(SimpleGatewayTest, RefundsUpToThePaidAmount) {
  create(order("order-1", "pays"));
  const std::string trade_no = wait_for_state("order-1", "paid").trade_no();
  const SandboxReply first = refund("refund-1", trade_no, 1000);
  ASSERT_EQ(first.status, 200) << first.response.body;
  EXPECT_EQ(first.json.at("refund").at("state"), "succeeded");
  EXPECT_EQ(refund("refund-2", trade_no, 235).text("code"), "refund_exceeds_paid");
  EXPECT_EQ(refund("refund-2", trade_no, 234).status, 200);
  EXPECT_EQ(refund("refund-3", trade_no, 1).status, 409);
  EXPECT_EQ(query("order-1").trade().at("refunded").as_int64(), 1234);
  EXPECT_EQ(query("order-1").state(), "paid");
}

TEST_F(SimpleGatewayTest, TheSameRefundNumberIsTheSameRefund) {
  create(order("order-1", "pays"));
  const std::string trade_no = wait_for_state("order-1", "paid").trade_no();
  const SandboxReply first = refund("refund-1", trade_no, 1000);
  EXPECT_EQ(refund("refund-1", trade_no, 1000).json, first.json);
  EXPECT_EQ(call("GET", "/sandbox/refunds/refund-1").json, first.json);
  EXPECT_EQ(refund("refund-1", trade_no, 999).text("code"), "context_inconsistent");
  EXPECT_EQ(refund("refund-2", trade_no, 1, "USD").text("code"), "context_inconsistent");
  EXPECT_EQ(query("order-1").trade().at("refunded").as_int64(), 1000);
}

TEST_F(SimpleGatewayTest, RefundsOfUnpaidOrMissingTradesAreRefused) {
  const std::string trade_no = create(order("order-1")).trade_no();
  const SandboxReply unpaid = refund("refund-1", trade_no, 1);
  EXPECT_EQ(unpaid.status, 409);
  EXPECT_EQ(unpaid.text("code"), "trade_not_paid");
  EXPECT_EQ(refund("refund-1", "sbx0", 1).status, 404);
  EXPECT_EQ(refund("refund-1", trade_no, 0).text("param"), "amount");
  const SandboxReply missing = call("GET", "/sandbox/refunds/refund-1");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.text("code"), "refund_not_exist");
}

TEST_F(SimpleGatewayTest, OmitsTheSettlementOfATradeThatIsNotSettled) {
  const auto clock = start_with_stopped_clock();
  create(order("order-1", "pays"));
  clock->advance(100ms);
  const SandboxReply paid = wait_for_state("order-1", "paid");
  EXPECT_FALSE(paid.trade().contains("settlement"));
  const SandboxReply refunded = refund("refund-1", paid.trade_no(), 1234);
  EXPECT_FALSE(refunded.json.at("refund").as_object().contains("settlement"));
  wait([&] { return outstanding_count() == 0; });
  EXPECT_EQ(outstanding_count(), 0) << "no settlement is planned";
}

TEST_F(SimpleGatewayTest, EveryReplyWithASettledTradeContainsItsSettlement) {
  const auto clock = start_with_stopped_clock();
  const boost::json::object body = order("order-1", "settled_in_other_currency");
  create(body, "sandbox2");
  const auto get = [&] { return call("GET", "/sandbox2/trades/order-1"); };
  clock->advance(100ms);
  wait([&] { return get().state() == "paid"; });
  clock->advance(3600ms);  // an hour, divided by the time scale
  wait([&] { return get().trade().contains("settlement"); });
  const boost::json::object trade = get().trade();
  const boost::json::object& settlement = trade.at("settlement").as_object();
  EXPECT_EQ(settlement.at("net").as_int64(), settlement.at("amount").as_int64() - settlement.at("fee").as_int64());
  EXPECT_EQ(settlement.size(), 7u);
  EXPECT_EQ(create(body, "sandbox2").trade(), trade);
  const SandboxReply closed = call("POST", "/sandbox2/trades/order-1/close");
  EXPECT_EQ(closed.text("code"), "trade_has_success");
  EXPECT_EQ(closed.trade(), trade);
  const auto received = receiver_.wait_for(2);
  EXPECT_EQ(boost::json::parse(received[1].body).at("type"), "trade.settled");
  EXPECT_EQ(boost::json::parse(received[1].body).at("trade"), trade);
  expect_signed(received[1].headers, received[1].body);
}

TEST_F(SimpleGatewayTest, AnotherChannelsTradeCannotBeRefunded) {
  const std::string trade_no = create(order("order-1"), "sandbox2").trade_no();
  visit("POST", "/wallet/" + trade_no + "/pay");
  EXPECT_EQ(refund("refund-1", trade_no, 1).text("code"), "trade_not_exist");
}

}  // namespace
}  // namespace finality::sandbox
