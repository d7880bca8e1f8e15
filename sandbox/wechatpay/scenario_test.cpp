// Tests of all scenarios over WeChat Pay's protocol.
#include <gtest/gtest.h>

#include <future>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "base/money.h"
#include "sandbox/wechatpay/test_world.h"

namespace finality::sandbox {
namespace {

class WechatpayScenarioTest : public WechatpayTest {
 protected:
  std::string paid(const std::string& out_trade_no, const std::string& scenario) {
    EXPECT_EQ(prepay(out_trade_no, scenario).status, 200);
    return wait_for_trade(out_trade_no, "SUCCESS").text("transaction_id");
  }

  MinorUnits net_debit() {
    MinorUnits sum = 0;
    for (const auto& trade : ledger()) sum += trade.at("paid").as_int64() - trade.at("refunded").as_int64();
    return sum;
  }

  // Expects that at most `count` callbacks are sent. Pays a new order: the callback after the first `count` callbacks
  // must be about this order.
  void expect_at_most(std::size_t count) {
    prepay("order-sentinel", "pays");
    EXPECT_EQ(callbacks(count + 1)[count].text("out_trade_no"), "order-sentinel");
  }
};

TEST_F(WechatpayScenarioTest, Pays) {
  paid("order-000001", "pays");
  const Callback callback = callbacks(1)[0];
  EXPECT_EQ(callback.event(), "TRANSACTION.SUCCESS");
  EXPECT_EQ(callback.text("trade_state"), "SUCCESS");
  EXPECT_EQ(net_debit(), 1234);
}

TEST_F(WechatpayScenarioTest, PlansNoSettlement) {
  const auto clock = start_with_stopped_clock();
  prepay("order-000001", "settled_in_other_currency");
  clock->advance(Duration{100});
  wait_for_trade("order-000001", "SUCCESS");
  EXPECT_EQ(callbacks(1)[0].event(), "TRANSACTION.SUCCESS");
  wait([&] { return outstanding_count() == 0; });
  EXPECT_EQ(outstanding_count(), 0) << "the clock has not reached the time of a settlement";
}

TEST_F(WechatpayScenarioTest, DeclinesLeavesTheOrderUnpaidWithoutACallback) {
  prepay("order-000001", "declines");
  expect_at_most(0);  // the decline precedes the payment of the new order, and would have sent the first callback
  EXPECT_FALSE(query("order-000001").json.as_object().contains("transaction_id"));
  EXPECT_EQ(query("order-000001").text("trade_state"), "NOTPAY");
  EXPECT_EQ(close("order-000001").status, 204);
  EXPECT_EQ(query("order-000001").text("trade_state"), "CLOSED");
}

TEST_F(WechatpayScenarioTest, ADeclinedPayerCanPayTheSameOrder) {
  prepay("order-000001", "manual");
  const std::string wallet = "/wallet/" + std::string(ledger()[0].at("trade_no").as_string());
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(visit("POST", wallet + "/decline").text("state"), "waiting");
    EXPECT_EQ(query("order-000001").text("trade_state"), "NOTPAY");
  }
  EXPECT_EQ(visit("POST", wallet + "/pay").text("state"), "paid");
  EXPECT_EQ(query("order-000001").text("trade_state"), "SUCCESS");
  EXPECT_EQ(visit("POST", wallet + "/decline").status, 409);
  EXPECT_EQ(callbacks(1)[0].event(), "TRANSACTION.SUCCESS");
}

TEST_F(WechatpayScenarioTest, NeverPaysUntilItIsClosed) {
  prepay("order-000001", "never_pays");
  EXPECT_EQ(query("order-000001").text("trade_state"), "NOTPAY");
  EXPECT_EQ(close("order-000001").status, 204);
  EXPECT_EQ(query("order-000001").text("trade_state"), "CLOSED");
  expect_at_most(0);
}

TEST_F(WechatpayScenarioTest, SlowExistsLongBeforeItsResponse) {
  const auto started = std::chrono::steady_clock::now();
  std::string state;
  std::jthread poller([&] { state = wait_for_trade("order-000001", "NOTPAY").text("trade_state"); });
  EXPECT_EQ(prepay("order-000001", "slow").status, 200);
  EXPECT_GE(std::chrono::steady_clock::now() - started, std::chrono::seconds(3));
  poller.join();
  EXPECT_EQ(state, "NOTPAY");
  wait_for_trade("order-000001", "SUCCESS");
}

TEST_F(WechatpayScenarioTest, PaysOnClose) {
  prepay("order-000001", "pays_on_close");
  const SandboxReply closed = close("order-000001");
  EXPECT_EQ(closed.status, 400);
  EXPECT_EQ(closed.text("code"), "ORDER_PAID");
  EXPECT_EQ(query("order-000001").text("trade_state"), "SUCCESS");
}

TEST_F(WechatpayScenarioTest, PaysAfterClose) {
  prepay("order-000001", "pays_after_close");
  EXPECT_EQ(close("order-000001").status, 204);
  wait_for_trade("order-000001", "SUCCESS");
  EXPECT_EQ(callbacks(1)[0].event(), "TRANSACTION.SUCCESS");
  EXPECT_EQ(net_debit(), 1234);
}

TEST_F(WechatpayScenarioTest, PaysTwice) {
  const std::string first = paid("order-000001", "pays_twice");
  const auto received = callbacks(2);
  EXPECT_EQ(received[0].text("transaction_id"), first);
  const std::string second = received[1].text("transaction_id");
  EXPECT_NE(second, first);
  EXPECT_EQ(second.size(), 28u);
  EXPECT_TRUE(second.starts_with("4200"));
  EXPECT_EQ(query("order-000001").text("transaction_id"), first);
  EXPECT_EQ(get("/v3/pay/transactions/id/" + second + "?mchid=" + account("mchid")).text("trade_state"), "SUCCESS");
  EXPECT_EQ(net_debit(), 2468);
  EXPECT_EQ(refund("refund-1", second, 1234).status, 200);
  wait_for_refund("refund-1", "SUCCESS");
  EXPECT_EQ(query("order-000001").text("trade_state"), "SUCCESS") << "the other one was refunded";
}

TEST_F(WechatpayScenarioTest, NotificationLost) {
  paid("order-000001", "notification_lost");
  expect_at_most(0);
}

TEST_F(WechatpayScenarioTest, NotificationBeforeReply) {
  auto pending = std::async(std::launch::async, [&] {
    const SandboxReply reply = prepay("order-000001", "notification_before_reply");
    return std::pair(reply.status, receiver_.count());
  });
  EXPECT_EQ(callbacks(1)[0].text("out_trade_no"), "order-000001");
  const auto [status, received_before] = pending.get();
  EXPECT_EQ(status, 200);
  EXPECT_EQ(received_before, 1u);
}

TEST_F(WechatpayScenarioTest, NotificationDoubled) {
  paid("order-000001", "notification_doubled");
  for (const Callback& callback : callbacks(5)) EXPECT_EQ(callback.envelope, callbacks(5)[0].envelope);
}

TEST_F(WechatpayScenarioTest, NotificationReordered) {
  prepay("order-000001", "notification_reordered");
  const auto received = callbacks(2);
  EXPECT_EQ(received[0].text("trade_state"), "SUCCESS");
  EXPECT_EQ(received[1].text("trade_state"), "NOTPAY");
  EXPECT_EQ(received[1].text("out_trade_no"), "order-000001");
  EXPECT_EQ(query("order-000001").text("trade_state"), "SUCCESS");
}

TEST_F(WechatpayScenarioTest, NotificationForged) {
  prepay("order-000001", "notification_forged");
  const auto received = receiver_.wait_for(4);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_FALSE(is_genuine(received[i].headers, received[i].body)) << i;
    const boost::json::value envelope = boost::json::parse(received[i].body);
    const boost::json::value forged = boost::json::parse(decrypt(envelope.at("resource").as_object()));
    EXPECT_EQ(forged.at("trade_state"), "SUCCESS") << "the forged callback reports a payment";
  }
  EXPECT_EQ(open(received[3]).event(), "TRANSACTION.SUCCESS");
  EXPECT_EQ(query("order-000001").text("trade_state"), "SUCCESS");
}

TEST_F(WechatpayScenarioTest, WrongAmount) {
  paid("order-000001", "wrong_amount");
  EXPECT_EQ(query("order-000001").json.at("amount").at("total").as_int64(), 1233);
  EXPECT_EQ(callbacks(1)[0].resource.at("amount").at("total").as_int64(), 1233);
  EXPECT_EQ(net_debit(), 1233);
}

TEST_F(WechatpayScenarioTest, WrongCurrencyIsRefundedInThatCurrency) {
  const std::string id = paid("order-000001", "wrong_currency");
  EXPECT_EQ(callbacks(1)[0].resource.at("amount").at("currency"), "USD");
  const SandboxReply refunded =
      post("/v3/refund/domestic/refunds", {{"transaction_id", id},
                                           {"out_refund_no", "refund-1"},
                                           {"amount", {{"refund", 1234}, {"total", 1234}, {"currency", "USD"}}}});
  EXPECT_EQ(refunded.status, 200) << refunded.response.body;
  EXPECT_EQ(refund("refund-2", id, 1).text("code"), "INVALID_REQUEST");
}

TEST_F(WechatpayScenarioTest, RefundedByChannel) {
  prepay("order-000001", "refunded_by_channel");
  wait_for_trade("order-000001", "REFUND");
  const auto received = callbacks(2);
  EXPECT_EQ(received[1].event(), "REFUND.SUCCESS");
  EXPECT_EQ(received[1].text("transaction_id"), received[0].text("transaction_id"));
  EXPECT_EQ(received[1].resource.at("amount").at("refund").as_int64(), 1234);
  EXPECT_EQ(query_refund(received[1].text("out_refund_no")).text("status"), "SUCCESS");
  EXPECT_EQ(net_debit(), 0);
}

TEST_F(WechatpayScenarioTest, SuccessThenFailure) {
  prepay("order-000001", "success_then_failure");
  const auto received = callbacks(2);
  EXPECT_EQ(received[0].text("trade_state"), "SUCCESS");
  EXPECT_EQ(received[1].text("trade_state"), "PAYERROR");
  EXPECT_EQ(query("order-000001").text("trade_state"), "SUCCESS");
}

TEST_F(WechatpayScenarioTest, FailureThenSuccess) {
  prepay("order-000001", "failure_then_success");
  std::set<std::string> states;
  const auto query_and_record = [&] {
    SandboxReply answer = query("order-000001");
    states.insert(answer.text("trade_state"));
    return answer;
  };
  wait_until(query_and_record, "trade_state", "SUCCESS");
  states.insert("NOTPAY");
  EXPECT_EQ(states, (std::set<std::string>{"NOTPAY", "SUCCESS"})) << "queries never report a failure";
  EXPECT_EQ(callbacks(1)[0].text("trade_state"), "SUCCESS");
  EXPECT_EQ(net_debit(), 1234);
}

TEST_F(WechatpayScenarioTest, AClosedOrderIsNotPaidByASecondAttempt) {
  prepay("order-000001", "failure_then_success");
  EXPECT_EQ(close("order-000001").status, 204);
  prepay("order-000002", "failure_then_success");
  wait_for_trade("order-000002", "SUCCESS");  // the first payer's second attempt would have happened by now
  EXPECT_EQ(query("order-000001").text("trade_state"), "CLOSED");
}

TEST_F(WechatpayScenarioTest, RequestLost) {
  EXPECT_EQ(prepay("order-000001", "request_lost").status, 504);
  EXPECT_EQ(query("order-000001").text("code"), "ORDER_NOT_EXIST");
  EXPECT_EQ(prepay("order-000001", "request_lost").status, 200);
  wait_for_trade("order-000001", "SUCCESS");
}

TEST_F(WechatpayScenarioTest, RequestTimeoutButPaid) {
  EXPECT_EQ(prepay("order-000001", "request_timeout_but_paid").status, 504);
  wait_for_trade("order-000001", "SUCCESS");
  EXPECT_EQ(callbacks(1)[0].text("out_trade_no"), "order-000001");
}

TEST_F(WechatpayScenarioTest, RefundFailsTwice) {
  const std::string id = paid("order-000001", "refund_fails_twice");
  for (const std::string number : {"refund-1", "refund-2"}) {
    const SandboxReply accepted = refund(number, id, 1234);
    EXPECT_EQ(accepted.text("status"), "PROCESSING");
    wait_for_refund(number, "CLOSED");
    EXPECT_EQ(refund(number, id, 1234).text("status"), "CLOSED") << "the number cannot be used again";
  }
  EXPECT_EQ(net_debit(), 1234);
  EXPECT_EQ(query("order-000001").text("trade_state"), "SUCCESS");
  EXPECT_EQ(refund("refund-3", id, 1234).status, 200);
  wait_for_refund("refund-3", "SUCCESS");
  EXPECT_EQ(net_debit(), 0);
  const auto received = callbacks(4);
  std::multiset<std::string> events;
  for (const Callback& callback : received) events.insert(callback.event());
  EXPECT_EQ(events,
            (std::multiset<std::string>{"TRANSACTION.SUCCESS", "REFUND.CLOSED", "REFUND.CLOSED", "REFUND.SUCCESS"}));
}

TEST_F(WechatpayScenarioTest, RefundNotNow) {
  const std::string id = paid("order-000001", "refund_not_now");
  for (int i = 0; i < 2; ++i) {
    const SandboxReply refused = refund("refund-1", id, 234);
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(refused.text("code"), "NOT_ENOUGH");
    EXPECT_EQ(query_refund("refund-1").text("code"), "RESOURCE_NOT_EXISTS") << "the number is free";
  }
  EXPECT_EQ(net_debit(), 1234);
  EXPECT_EQ(refund("refund-1", id, 234).text("status"), "PROCESSING");
  wait_for_refund("refund-1", "SUCCESS");
  EXPECT_EQ(net_debit(), 1000);
  EXPECT_EQ(refund("refund-1", id, 234).text("status"), "SUCCESS") << "one number, one refund";
  EXPECT_EQ(refund("refund-2", id, 234).status, 200);
  wait_for_refund("refund-2", "SUCCESS");
  EXPECT_EQ(net_debit(), 766) << "another number refunds a second time";
}

TEST_F(WechatpayScenarioTest, RefusedUnlisted) {
  const SandboxReply refused = prepay("order-000001", "refused_unlisted");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.text("code"), "UNLISTED_REFUSAL");
  EXPECT_EQ(query("order-000001").text("code"), "ORDER_NOT_EXIST");
  EXPECT_TRUE(ledger().empty());
}

TEST_F(WechatpayScenarioTest, RefundRefused) {
  const std::string id = paid("order-000001", "refund_refused");
  for (const std::string number : {"refund-1", "refund-2"}) {
    const SandboxReply refused = refund(number, id, 1234);
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(refused.text("code"), "USER_ACCOUNT_ABNORMAL");
    EXPECT_EQ(query_refund(number).text("code"), "RESOURCE_NOT_EXISTS");
  }
  EXPECT_EQ(net_debit(), 1234);
}

TEST_F(WechatpayScenarioTest, RefundUnknown) {
  const std::string id = paid("order-000001", "refund_unknown");
  EXPECT_EQ(refund("refund-1", id, 1234).status, 504);
  wait_for_refund("refund-1", "SUCCESS");
  EXPECT_EQ(net_debit(), 0);
}

TEST_F(WechatpayScenarioTest, RefundStranded) {
  const std::string id = paid("order-000001", "refund_stranded");
  EXPECT_EQ(refund("refund-1", id, 234).text("status"), "PROCESSING");
  wait_for_refund("refund-1", "ABNORMAL");
  EXPECT_EQ(refund("refund-1", id, 234).text("status"), "ABNORMAL") << "a repeated request returns the same refund";
  EXPECT_TRUE(wait_for_refund("refund-1", "SUCCESS").json.as_object().contains("success_time"));
  EXPECT_EQ(net_debit(), 1000);
  const auto received = callbacks(3);
  EXPECT_EQ(received[1].event(), "REFUND.ABNORMAL");
  EXPECT_EQ(received[1].text("refund_status"), "ABNORMAL");
  EXPECT_FALSE(received[1].resource.contains("success_time"));
  EXPECT_EQ(received[2].event(), "REFUND.SUCCESS");
  EXPECT_EQ(received[2].text("out_refund_no"), "refund-1");
}

TEST_F(WechatpayScenarioTest, ChannelDown) {
  EXPECT_EQ(prepay("order-000001", "channel_down").status, 504);
  EXPECT_EQ(query("order-000001").status, 504);
  EXPECT_EQ(close("order-000001").status, 504);
  EXPECT_EQ(prepay("order-000001", "channel_down").status, 504);
  // Other orders are not affected.
  paid("order-000002", "pays");
}

}  // namespace
}  // namespace finality::sandbox
