#include "sandbox/core/scenario.h"

#include <set>

#include "sandbox/testing/test_world.h"

namespace finality::sandbox {
namespace {

using namespace std::chrono_literals;

constexpr Duration kPaysAfter = 100ms;      // delay of the payment in the scenarios that pay
constexpr Duration kSettlesAfter = 3600ms;  // an hour, divided by the time scale of the tests

class ScenarioTest : public TestWorld {
 protected:
  // Waits for one notification, checks its signature and returns its body.
  boost::json::object only_notification() {
    const auto received = receiver_.wait_for(1);
    EXPECT_EQ(received.size(), 1u);
    expect_signed(received[0].headers, received[0].body);
    EXPECT_EQ(received[0].headers.get("Content-Type"), "application/json");
    return boost::json::parse(received[0].body).as_object();
  }

  // Returns the types of the first `count` notifications, in order of arrival.
  std::vector<std::string> types(std::size_t count) {
    std::vector<std::string> types;
    for (const auto& received : receiver_.wait_for(count)) {
      expect_signed(received.headers, received.body);
      types.emplace_back(boost::json::parse(received.body).at("type").as_string());
    }
    return types;
  }

  boost::json::object last_notified_trade() {
    return boost::json::parse(receiver_.wait_for(1).back().body).at("trade").as_object();
  }

  // Creates and pays a trade, so that all events that are due now have occurred when this function returns. The events
  // of one time are performed in one transaction, in the order of their due times.
  void perform_due_events(TestClock& clock, const std::string& out_trade_no) {
    create(order(out_trade_no, "pays"));
    clock.advance(kPaysAfter);
    wait_for_state(out_trade_no, "paid");
  }

  // Returns the bodies of the first `count` notifications with the type `type`.
  std::vector<boost::json::object> bodies(const std::string& type, std::size_t count) {
    std::vector<boost::json::object> found;
    wait([&] {
      found.clear();
      for (const auto& received : receiver_.wait_for(0)) {
        boost::json::object body = boost::json::parse(received.body).as_object();
        if (body.at("type").as_string() == type) found.push_back(std::move(body));
      }
      return found.size() >= count;
    });
    EXPECT_EQ(found.size(), count) << type;
    return found;
  }

  boost::json::array ledger() { return visit("GET", "/ledger").json.at("trades").as_array(); }
  SandboxReply close(const std::string& out_trade_no) {
    return call("POST", "/sandbox/trades/" + out_trade_no + "/close");
  }
};

TEST_F(ScenarioTest, NamesAreUniqueAndTheDefaultExists) {
  std::set<std::string_view> names;
  for (const Scenario& scenario : scenarios()) EXPECT_TRUE(names.insert(scenario.name).second) << scenario.name;
  EXPECT_NE(find_scenario(kDefaultScenario), nullptr);
  EXPECT_EQ(find_scenario("wonder"), nullptr);
}

TEST_F(ScenarioTest, PaysAutomatically) {
  const SandboxReply made = create(order("order-1", "pays"));
  EXPECT_EQ(made.state(), "waiting");
  const boost::json::object event = only_notification();
  EXPECT_EQ(event.at("type"), "trade.paid");
  EXPECT_TRUE(event.contains("id") && event.contains("created_at"));
  EXPECT_EQ(event.at("trade").at("paid").as_int64(), 1234);
  const SandboxReply paid = query("order-1");
  EXPECT_EQ(paid.trade(), event.at("trade").as_object());
  EXPECT_TRUE(paid.trade().contains("paid_at"));
}

TEST_F(ScenarioTest, DeclinesAutomatically) {
  create(order("order-1", "declines"));
  const boost::json::object event = only_notification();
  EXPECT_EQ(event.at("type"), "trade.failed");
  EXPECT_EQ(event.at("trade").at("state"), "failed");
  EXPECT_EQ(query("order-1").trade().at("paid").as_int64(), 0);
}

TEST_F(ScenarioTest, SlowTakesEffectImmediatelyAndIsAnsweredLate) {
  const auto began = std::chrono::steady_clock::now();
  auto answer = std::async(std::launch::async, [&] { return create(order("order-1", "slow")); });
  while (query("order-1").status == 404 && answer.wait_for(Duration{10}) == std::future_status::timeout) {
  }
  EXPECT_EQ(query("order-1").state(), "waiting");
  EXPECT_EQ(answer.wait_for(Duration{0}), std::future_status::timeout) << "the trade exists before the response";
  EXPECT_EQ(answer.get().status, 200);
  EXPECT_GE(std::chrono::steady_clock::now() - began, Duration{2900});
  EXPECT_EQ(only_notification().at("type"), "trade.paid");
}

TEST_F(ScenarioTest, ManualAndNeverPaysWaitUntilTheTradeIsOver) {
  const auto clock = start_with_stopped_clock();
  for (const char* scenario : {"manual", "never_pays"}) {
    auto body = order(scenario, scenario);
    body["expires_at"] = to_rfc3339(clock->now() + std::chrono::minutes(1));
    EXPECT_EQ(create(body).state(), "waiting");
  }
  clock->advance(std::chrono::minutes(1));
  for (const auto& received : receiver_.wait_for(2))
    EXPECT_EQ(boost::json::parse(received.body).at("type"), "trade.closed") << "not paid before the expiry";
}

TEST_F(ScenarioTest, PaysImmediatelyBeforeTheClose) {
  create(order("order-1", "pays_on_close"));
  const SandboxReply closed = close("order-1");
  EXPECT_EQ(closed.status, 409);
  EXPECT_EQ(closed.text("code"), "trade_has_success");
  EXPECT_EQ(closed.state(), "paid");
  EXPECT_EQ(only_notification().at("type"), "trade.paid");
}

TEST_F(ScenarioTest, PaysAfterTheClose) {
  create(order("order-1", "pays_after_close"));
  EXPECT_EQ(close("order-1").state(), "closed");
  EXPECT_EQ(types(2), (std::vector<std::string>{"trade.closed", "trade.paid"}));
  const SandboxReply paid = query("order-1");
  EXPECT_EQ(paid.state(), "paid");
  EXPECT_EQ(refund("refund-1", paid.trade_no(), 1234).status, 200);
}

TEST_F(ScenarioTest, PaysTwoTradesOfOneNumber) {
  const std::string first = create(order("order-1", "pays_twice")).trade_no();
  EXPECT_EQ(types(2), (std::vector<std::string>{"trade.paid", "trade.paid"}));
  const auto trades = ledger();
  ASSERT_EQ(trades.size(), 2u);
  for (const auto& trade : trades) {
    EXPECT_EQ(trade.at("out_trade_no"), "order-1");
    EXPECT_EQ(trade.at("paid").as_int64(), 1234);
  }
  EXPECT_EQ(query("order-1").trade_no(), first);
  const std::string second(trades[1].at("trade_no").as_string());
  EXPECT_EQ(refund("refund-1", second, 1234).status, 200);
  EXPECT_EQ(ledger()[0].at("refunded").as_int64(), 0);
  EXPECT_EQ(ledger()[1].at("refunded").as_int64(), 1234);
}

TEST_F(ScenarioTest, ALostNotificationIsNeverSent) {
  create(order("order-1", "notification_lost"));
  wait_for_state("order-1", "paid");
  create(order("order-2", "pays"));
  EXPECT_EQ(only_notification().at("trade").at("out_trade_no"), "order-2");
}

TEST_F(ScenarioTest, NotifiesBeforeItReplies) {
  auto answer = std::async(std::launch::async, [&] { return create(order("order-1", "notification_before_reply")); });
  EXPECT_EQ(only_notification().at("type"), "trade.paid");
  EXPECT_EQ(answer.wait_for(Duration{0}), std::future_status::timeout) << "the notification precedes the response";
  EXPECT_EQ(answer.get().state(), "waiting");
}

TEST_F(ScenarioTest, SendsFiveCopiesOfTheNotification) {
  create(order("order-1", "notification_doubled"));
  const auto received = receiver_.wait_for(5);
  for (const auto& each : received) EXPECT_EQ(each.body, received[0].body);
}

TEST_F(ScenarioTest, ReportsWaitingAfterPaid) {
  create(order("order-1", "notification_reordered"));
  EXPECT_EQ(types(2), (std::vector<std::string>{"trade.paid", "trade.waiting"}));
  EXPECT_EQ(last_notified_trade().at("paid").as_int64(), 0);
  EXPECT_EQ(query("order-1").state(), "paid");
}

TEST_F(ScenarioTest, SendsForgedNotificationsBeforeThePayment) {
  receiver_.reply_with([](std::size_t) { return net::HttpResponse{.status = 401, .headers = {}, .body = "fail"}; });
  const auto clock = start_with_stopped_clock();
  create(order("order-1", "notification_forged"));
  clock->advance(Duration{1000});
  const auto received = receiver_.wait_for(3);
  EXPECT_EQ(query("order-1").state(), "waiting");
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string timestamp(received[i].headers.get(kTimestampHeader));
    const bool right =
        received[i].headers.get(kSignatureHeader) == message_signature(kTestSecret, timestamp, received[i].body);
    const bool is_old = std::stoll(timestamp) < SystemClock().now().ms / 1000 - 300;
    EXPECT_EQ(right, is_old) << "only the replayed one has a valid signature, which is old";
    EXPECT_EQ(boost::json::parse(received[i].body).at("trade").at("state"), "paid");
  }
  clock->advance(Duration{1000});
  const auto after = receiver_.wait_for(4);
  expect_signed(after[3].headers, after[3].body);
  EXPECT_EQ(query("order-1").state(), "paid");
}

TEST_F(ScenarioTest, PaysAnotherAmountOrCurrency) {
  create(order("order-1", "wrong_amount"));
  create(order("order-2", "wrong_currency"));
  const SandboxReply amount = wait_for_state("order-1", "paid");
  EXPECT_EQ(amount.trade().at("paid").as_int64(), 1233);
  EXPECT_EQ(amount.trade().at("currency"), "CNY");
  EXPECT_EQ(refund("refund-1", amount.trade_no(), 1233).status, 200);
  const SandboxReply currency = wait_for_state("order-2", "paid");
  EXPECT_EQ(currency.trade().at("paid").as_int64(), 1234);
  EXPECT_EQ(currency.trade().at("currency"), "USD");
  EXPECT_EQ(refund("refund-2", currency.trade_no(), 1234, "USD").status, 200);
}

TEST_F(ScenarioTest, TheChannelRefundsOnItsOwnInitiative) {
  create(order("order-1", "refunded_by_channel"));
  EXPECT_EQ(types(2), (std::vector<std::string>{"trade.paid", "trade.refunded"}));
  EXPECT_EQ(query("order-1").trade().at("refunded").as_int64(), 1234);
}

TEST_F(ScenarioTest, ContradictsItself) {
  create(order("order-1", "success_then_failure"));
  EXPECT_EQ(types(2), (std::vector<std::string>{"trade.paid", "trade.failed"}));
  EXPECT_EQ(last_notified_trade().at("state"), "failed");
  EXPECT_EQ(query("order-1").state(), "paid");
}

TEST_F(ScenarioTest, IsPaidAfterItFailed) {
  create(order("order-1", "failure_then_success"));
  EXPECT_EQ(types(2), (std::vector<std::string>{"trade.failed", "trade.paid"}));
  EXPECT_EQ(query("order-1").trade().at("paid").as_int64(), 1234);
}

TEST_F(ScenarioTest, LosesTheFirstRequestOnly) {
  EXPECT_EQ(create(order("order-1", "request_lost")).status, 504);
  EXPECT_EQ(query("order-1").status, 404);
  EXPECT_EQ(create(order("order-1", "request_lost")).status, 200);
  EXPECT_EQ(only_notification().at("type"), "trade.paid");
}

TEST_F(ScenarioTest, IsPaidWithoutAnAnswer) {
  EXPECT_EQ(create(order("order-1", "request_timeout_but_paid")).status, 504);
  EXPECT_EQ(only_notification().at("type"), "trade.paid");
  EXPECT_EQ(create(order("order-1", "request_timeout_but_paid")).state(), "paid");
}

TEST_F(ScenarioTest, NothingArrivesWhileTheChannelIsDown) {
  EXPECT_EQ(create(order("order-1", "channel_down")).status, 504);
  EXPECT_EQ(create(order("order-1", "channel_down")).status, 504);
  EXPECT_EQ(query("order-1").status, 504);
  EXPECT_EQ(close("order-1").status, 504);
  EXPECT_EQ(query("order-2").status, 404) << "another trade is not affected";
  stop();
  start();
  EXPECT_EQ(query("order-1").status, 504) << "a restart does not end the outage";
}

TEST_F(ScenarioTest, RefusesRefundsTemporarilyOrPermanently) {
  create(order("order-1", "refund_fails_twice"));
  create(order("order-2", "refund_refused"));
  const std::string trade_no = wait_for_state("order-1", "paid").trade_no();
  for (const char* number : {"refund-1", "refund-1", "refund-2", "refund-1"}) {
    const SandboxReply refused = refund(number, trade_no, 1234);
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(refused.text("code"), "refund_refused_for_now");
    const SandboxReply queried = call("GET", std::string("/sandbox/refunds/") + number);
    EXPECT_EQ(queried.json.as_object().at("refund").as_object().at("state").as_string(), "closed")
        << "the number is used up";
  }
  EXPECT_EQ(refund("refund-3", trade_no, 1234).status, 200);
  EXPECT_EQ(refund("refund-2", trade_no, 1234).text("code"), "refund_refused_for_now");
  EXPECT_EQ(query("order-1").trade().at("refunded").as_int64(), 1234);
  const SandboxReply refused_refund = refund("refund-4", wait_for_state("order-2", "paid").trade_no(), 1234);
  EXPECT_EQ(refused_refund.status, 409);
  EXPECT_EQ(refused_refund.text("code"), "refund_refused");
}

TEST_F(ScenarioTest, ARefundRefusedForInsufficientBalanceKeepsItsNumberFree) {
  create(order("order-1", "refund_not_now"));
  const std::string trade_no = wait_for_state("order-1", "paid").trade_no();
  for (int i = 0; i < 2; ++i) {
    const SandboxReply refused = refund("refund-1", trade_no, 234);
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(refused.text("code"), "refund_not_now");
    EXPECT_EQ(call("GET", "/sandbox/refunds/refund-1").text("code"), "refund_not_exist") << "the number is free";
  }
  EXPECT_EQ(query("order-1").trade().at("refunded").as_int64(), 0);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(refund("refund-1", trade_no, 234).status, 200);
  EXPECT_EQ(query("order-1").trade().at("refunded").as_int64(), 234) << "one number, one refund";
}

TEST_F(ScenarioTest, ASecondNumberAfterInsufficientBalanceRefundsASecondTime) {
  create(order("order-1", "refund_not_now"));
  const std::string trade_no = wait_for_state("order-1", "paid").trade_no();
  for (const char* number : {"refund-1", "refund-2"})
    EXPECT_EQ(refund(number, trade_no, 234).text("code"), "refund_not_now");
  for (const char* number : {"refund-1", "refund-2"}) EXPECT_EQ(refund(number, trade_no, 234).status, 200);
  EXPECT_EQ(query("order-1").trade().at("refunded").as_int64(), 468);
}

TEST_F(ScenarioTest, RefusesWithAnUndocumentedCodeAndCreatesNoTrade) {
  for (int i = 0; i < 2; ++i) {
    const SandboxReply refused = create(order("order-1", "refused_unlisted"));
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(refused.text("code"), "unlisted_refusal");
    EXPECT_EQ(query("order-1").text("code"), "trade_not_exist");
  }
  EXPECT_TRUE(ledger().empty());
}

TEST_F(ScenarioTest, SettlesAnHourAfterThePaymentInAnotherCurrency) {
  const auto clock = start_with_stopped_clock();
  auto body = order("order-1", "settled_in_other_currency");
  body["amount"] = 1'000'000;
  create(body);
  clock->advance(kPaysAfter);
  wait_for_state("order-1", "paid");
  clock->advance(kSettlesAfter - kPaysAfter - 1ms);
  perform_due_events(*clock, "order-2");  // 1 ms before the settlement
  EXPECT_FALSE(query("order-1").trade().contains("settlement"));
  EXPECT_FALSE(visit("GET", "/wallet/" + query("order-1").trade_no()).json.as_object().contains("settlement"));
  clock->advance(1ms);

  const boost::json::object trade = wait_for_settlement("order-1").trade();
  const boost::json::object settlement = trade.at("settlement").as_object();
  EXPECT_EQ(settlement.at("currency"), "USD");
  EXPECT_EQ(settlement.at("amount").as_int64(), 138'742);
  EXPECT_EQ(settlement.at("fee").as_int64(), 4024);
  EXPECT_EQ(settlement.at("net").as_int64(), 138'742 - 4024);
  EXPECT_EQ(settlement.at("exchange_rate"), "0.1387") << "1000000 at this rate is 138700, not 138742";
  EXPECT_TRUE(settlement.at("transaction_no").as_string().starts_with("sbt20"));
  EXPECT_EQ(settlement.at("available_on").as_string(), to_rfc3339(clock->now() + std::chrono::days(2)));

  const boost::json::object event = bodies("trade.settled", 1).at(0);
  EXPECT_EQ(event.at("trade"), trade);
  EXPECT_EQ(event.at("created_at").as_string(), to_rfc3339(clock->now()));
  EXPECT_EQ(trade.at("currency"), "CNY");
  EXPECT_EQ(trade.at("paid").as_int64(), 1'000'000) << "the settlement does not change the payment";
  wait([&] { return outstanding_count() == 0; });
  EXPECT_EQ(outstanding_count(), 0);
}

TEST_F(ScenarioTest, SettlesATradeInUsdInEur) {
  const auto clock = start_with_stopped_clock();
  auto body = order("order-1", "settled_in_other_currency");
  body["currency"] = "USD";
  create(body);
  clock->advance(kPaysAfter);
  wait_for_state("order-1", "paid");
  clock->advance(kSettlesAfter);
  EXPECT_EQ(wait_for_settlement("order-1").trade().at("settlement").at("currency"), "EUR");
}

TEST_F(ScenarioTest, SettlesEachRefundAnHourAfterIt) {
  const auto clock = start_with_stopped_clock();
  create(order("order-1", "settled_in_other_currency"));
  clock->advance(kPaysAfter);
  const std::string trade_no = wait_for_state("order-1", "paid").trade_no();
  clock->advance(1s);
  EXPECT_FALSE(refund("refund-1", trade_no, 1000).json.at("refund").as_object().contains("settlement"));
  clock->advance(kSettlesAfter - 1s);
  EXPECT_EQ(wait_for_settlement("order-1").trade().at("settlement").at("amount").as_int64(), 171);
  EXPECT_EQ(refund("refund-2", trade_no, 234).status, 200);
  EXPECT_FALSE(call("GET", "/sandbox/refunds/refund-1").json.at("refund").as_object().contains("settlement"));
  clock->advance(1s);
  const boost::json::object first = bodies("refund.settled", 1).at(0);
  EXPECT_EQ(first.at("refund").at("out_refund_no"), "refund-1");
  EXPECT_FALSE(call("GET", "/sandbox/refunds/refund-2").json.at("refund").as_object().contains("settlement"));
  clock->advance(kSettlesAfter);
  const boost::json::object second = bodies("refund.settled", 2).at(1);
  EXPECT_EQ(second.at("refund").at("out_refund_no"), "refund-2");
  EXPECT_EQ(second.at("refund").at("settlement").at("amount").as_int64(), 32);

  const boost::json::object settlement = first.at("refund").at("settlement").as_object();
  EXPECT_EQ(settlement.at("amount").as_int64(), 139);
  EXPECT_EQ(settlement.at("fee").as_int64(), 0);
  EXPECT_EQ(settlement.at("net").as_int64(), 139);
  EXPECT_EQ(settlement.at("currency"), "USD");
  EXPECT_EQ(settlement.at("exchange_rate"), "0.1392");
  EXPECT_EQ(call("GET", "/sandbox/refunds/refund-1").json.at("refund").at("settlement"), settlement);
  EXPECT_EQ(refund("refund-1", trade_no, 1000).json.at("refund").at("settlement"), settlement);
  EXPECT_EQ(second.at("trade"), query("order-1").trade());
  const std::set<std::string_view> numbers{settlement.at("transaction_no").as_string(),
                                           second.at("refund").at("settlement").at("transaction_no").as_string(),
                                           second.at("trade").at("settlement").at("transaction_no").as_string()};
  EXPECT_EQ(numbers.size(), 3u);
  wait([&] { return outstanding_count() == 0; });
  EXPECT_EQ(outstanding_count(), 0);
}

TEST_F(ScenarioTest, SettlesAfterARestart) {
  const auto clock = start_with_stopped_clock();
  create(order("order-1", "settled_in_other_currency"));
  clock->advance(kPaysAfter);
  const std::string trade_no = wait_for_state("order-1", "paid").trade_no();
  clock->advance(1s);
  refund("refund-1", trade_no, 1000);
  stop();
  start();
  clock->advance(kSettlesAfter - 1s);
  const boost::json::object settled = wait_for_settlement("order-1").trade();
  stop();
  start();
  EXPECT_EQ(query("order-1").trade(), settled);
  clock->advance(1s);
  bodies("refund.settled", 1);
  EXPECT_TRUE(call("GET", "/sandbox/refunds/refund-1").json.at("refund").as_object().contains("settlement"));
}

TEST_F(ScenarioTest, RefundsWithoutAnAnswer) {
  create(order("order-1", "refund_unknown"));
  const std::string trade_no = wait_for_state("order-1", "paid").trade_no();
  EXPECT_EQ(refund("refund-1", trade_no, 1234).status, 504);
  EXPECT_EQ(refund("refund-1", trade_no, 1234).status, 504);
  EXPECT_EQ(call("GET", "/sandbox/refunds/refund-1").json.at("refund").at("amount").as_int64(), 1234);
  EXPECT_EQ(query("order-1").trade().at("refunded").as_int64(), 1234);
}

}  // namespace
}  // namespace finality::sandbox
