#include "sandbox/alipay/notification.h"

#include <set>

#include "sandbox/alipay/gateway.h"
#include "sandbox/alipay/test_world.h"

namespace finality::sandbox {
namespace {

using namespace std::chrono_literals;

class AlipayNotificationTest : public AlipayTest {
 protected:
  void pay_by_hand(const std::string& trade_no) { visit("POST", "/wallet/" + trade_no + "/pay"); }
  Object ledger_row(std::size_t index) {
    return visit("GET", "/ledger").json.at("trades").as_array().at(index).as_object();
  }
  // Triggers a notification about the trade `the_last`. If the next received notification is about this trade, the
  // sandbox has sent no other notification since the previous check.
  void report_another_state() { pay_by_hand(open_page("the_last")); }
};

TEST_F(AlipayNotificationTest, APaymentNotificationFollowsTheSigningRule) {
  const std::string trade_no = open_page("order_1");
  pay_by_hand(trade_no);
  const Fields received = notifications(1)[0];
  EXPECT_EQ(received.at("trade_status"), "TRADE_SUCCESS");
  EXPECT_EQ(received.at("notify_type"), "trade_status_sync");
  EXPECT_EQ(received.at("app_id"), "2021000000000001");
  EXPECT_EQ(received.at("seller_id"), "2088000000000001");
  EXPECT_EQ(received.at("trade_no"), trade_no);
  EXPECT_EQ(received.at("out_trade_no"), "order_1");
  EXPECT_EQ(received.at("total_amount"), "12.34");
  EXPECT_EQ(received.at("subject"), "茶 Tea");
  EXPECT_EQ(received.at("passback_params"), "scenario%3Dmanual");
  EXPECT_EQ(received.at("gmt_payment"), at(query("order_1"), "send_pay_date"));
  EXPECT_EQ(received.at("sign_type"), "RSA2");
  for (const char* absent : {"refund_fee", "gmt_refund", "gmt_close", "out_biz_no", "trans_currency"})
    EXPECT_FALSE(received.contains(absent)) << absent;
  EXPECT_FALSE(alipay_key_.verifies(joined(received, {"sign"}), from_base64(received.at("sign")).value()))
      << "sign_type is not signed";
}

TEST_F(AlipayNotificationTest, RepeatsWithOneIdUntilTheResponseIsExactlySuccess) {
  receiver_.reply_with([](std::size_t n) -> net::HttpResponse {
    if (n == 0) return {.status = 500, .headers = {}, .body = "success"};
    if (n == 1) return {.status = 200, .headers = {}, .body = "SUCCESS"};
    if (n == 2) return {.status = 200, .headers = {}, .body = "success\n"};
    return {.status = 200, .headers = {}, .body = "success"};
  });
  pay_by_hand(open_page("order_1"));
  std::set<std::string> ids;
  for (const Fields& received : notifications(4)) ids.insert(received.at("notify_id"));
  EXPECT_EQ(ids.size(), 1u);
  report_another_state();
  EXPECT_EQ(notifications(5)[4].at("out_trade_no"), "the_last");
}

TEST_F(AlipayNotificationTest, APartialRefundLooksLikeAPaymentAndAFullOneIsNotSent) {
  pay_by_hand(open_page("order_1"));
  const Fields paid = notifications(1)[0];
  refund("order_1", "2.00", "back_1");
  refund("order_1", "0.34", "back_2");
  const std::vector<Fields> received = notifications(3);
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(received[i].at("trade_status"), "TRADE_SUCCESS");
    EXPECT_EQ(received[i].at("total_amount"), "12.34");
    EXPECT_EQ(received[i].at("gmt_payment"), paid.at("gmt_payment"));
    EXPECT_TRUE(received[i].contains("gmt_refund"));
    EXPECT_NE(received[i].at("notify_id"), paid.at("notify_id"));
  }
  std::map<std::string, std::string> fees;
  for (std::size_t i = 1; i < 3; ++i) fees[received[i].at("out_biz_no")] = received[i].at("refund_fee");
  EXPECT_EQ(fees, (std::map<std::string, std::string>{{"back_1", "2.00"}, {"back_2", "2.34"}}))
      << "refund_fee is a total";
  refund("order_1", "10.00", "back_3");
  report_another_state();
  EXPECT_EQ(notifications(4)[3].at("out_trade_no"), "the_last");
}

TEST_F(AlipayNotificationTest, NoSettlementIsPlanned) {
  const auto clock = start_with_stopped_clock();
  open_page("order_1", "settled_in_other_currency");
  clock->advance(100ms);
  EXPECT_EQ(notifications(1)[0].at("trade_status"), "TRADE_SUCCESS");
  wait([&] { return outstanding_count() == 0; });
  EXPECT_EQ(outstanding_count(), 0) << "the clock has not reached the time of a settlement";
}

TEST_F(AlipayNotificationTest, ACloseIsNotified) {
  open_page("order_1");
  close("order_1");
  const Fields received = notifications(1)[0];
  EXPECT_EQ(received.at("trade_status"), "TRADE_CLOSED");
  EXPECT_TRUE(received.contains("gmt_close"));
  EXPECT_FALSE(received.contains("gmt_payment") || received.contains("receipt_amount") ||
               received.contains("refund_fee"));
}

TEST_F(AlipayNotificationTest, AnOrderWithoutANotifyUrlIsNotNotified) {
  Object order_without_notify_url = order_of("order_1");
  order_without_notify_url["product_code"] = "FAST_INSTANT_TRADE_PAY";
  const std::string location(
      visit_page(request("alipay.trade.page.pay", order_without_notify_url)).headers.get("Location"));
  visit("POST", location + "/pay");
  EXPECT_EQ(at(query("order_1"), "trade_status"), "TRADE_SUCCESS");
  report_another_state();
  EXPECT_EQ(notifications(1)[0].at("out_trade_no"), "the_last");
}

TEST_F(AlipayNotificationTest, RetryDelaysAreShorterForPaymentsAtTheTill) {
  const auto gateway = make_alipay_gateway(
      {.io = io_, .ledger_thread = nullptr, .public_url = "", .time_scale = 2.0, .keys_directory = shared_keys()});
  ASSERT_TRUE(gateway);
  const std::vector<Duration> slow{2min, 5min, 5min, 30min, 1h, 3h, 7h + 30min};
  const auto check = [&](const std::string& product, std::vector<Duration> quick) {
    quick.insert(quick.end(), slow.begin(), slow.end());
    Notification notification;
    notification.trade.product = product;
    for (std::size_t i = 0; i < quick.size(); ++i)
      EXPECT_EQ((*gateway)->retry_delay(notification, static_cast<std::int64_t>(i + 1)), quick[i]) << product;
    EXPECT_FALSE((*gateway)->retry_delay(notification, static_cast<std::int64_t>(quick.size() + 1)));
  };
  check("page", {});
  check("barcode", {1s, 2s, 4s});
  check("qr", {1s, 2s, 4s});
}

TEST_F(AlipayNotificationTest, TheReturnUrlHasSignedParametersAfterThePayment) {
  Object order = order_of("order_1");
  order["product_code"] = "FAST_INSTANT_TRADE_PAY";
  const Fields fields = request("alipay.trade.page.pay", order, {{"return_url", "http://shop.example/back?a=1"}});
  const std::string location(visit_page(fields).headers.get("Location"));
  const auto return_location = [&] {
    const std::string page = visit("GET", location, "text/html").response.body;
    constexpr std::string_view kBefore = "id=\"return\"";
    const std::size_t begin = page.find("href=\"", page.find(kBefore)) + 6;
    std::string url = page.substr(begin, page.find('"', begin) - begin);
    for (std::size_t at = url.find("&amp;"); at != std::string::npos; at = url.find("&amp;")) url.replace(at, 5, "&");
    return url;
  };
  EXPECT_EQ(return_location(), "http://shop.example/back?a=1");
  visit("POST", location + "/pay");
  const std::string url = return_location();
  ASSERT_TRUE(url.starts_with("http://shop.example/back?a=1&")) << url;
  Fields brought = decoded(url.substr(url.find('?') + 1));
  brought.erase("a");  // a parameter that the merchant added to the return_url
  EXPECT_TRUE(is_genuine(brought)) << url;
  EXPECT_EQ(brought.at("out_trade_no"), "order_1");
  EXPECT_EQ(brought.at("total_amount"), "12.34");
}

// Tests of the scenarios over Alipay's protocol.

using AlipayScenarioTest = AlipayNotificationTest;

TEST_F(AlipayScenarioTest, PaysAndDeclines) {
  precreate("order_1", "pays");
  precreate("order_2", "declines");
  wait_for_status("order_1", "TRADE_SUCCESS");
  const Object declined = wait_for_status("order_2", "TRADE_CLOSED");
  EXPECT_FALSE(declined.contains("send_pay_date"));
  std::map<std::string, std::string> received;
  for (const Fields& fields : notifications(2)) received[fields.at("out_trade_no")] = fields.at("trade_status");
  EXPECT_EQ(received, (std::map<std::string, std::string>{{"order_1", "TRADE_SUCCESS"}, {"order_2", "TRADE_CLOSED"}}));
}

TEST_F(AlipayScenarioTest, ManualAndNeverPaysBecomeTradesWhenThePayerOpensThem) {
  for (const char* scenario : {"manual", "never_pays"}) {
    precreate(scenario, scenario);
    EXPECT_EQ(sub_code(query(scenario)), "ACQ.TRADE_NOT_EXIST");
  }
}

TEST_F(AlipayScenarioTest, SlowIsAnsweredLate) {
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(at(precreate("order_1", "slow"), "code"), "10000");
  EXPECT_GE(std::chrono::steady_clock::now() - began, Duration{2900});
  wait_for_status("order_1", "TRADE_SUCCESS");
}

TEST_F(AlipayScenarioTest, PaysImmediatelyBeforeTheClose) {
  precreate("order_1", "pays_on_close");
  EXPECT_EQ(at(query("order_1"), "trade_status"), "WAIT_BUYER_PAY") << "the payer has opened it";
  EXPECT_EQ(sub_code(close("order_1")), "ACQ.REASON_TRADE_STATUS_INVALID");
  EXPECT_EQ(at(query("order_1"), "trade_status"), "TRADE_SUCCESS");
}

TEST_F(AlipayScenarioTest, PaysAfterTheClose) {
  precreate("order_1", "pays_after_close");
  EXPECT_EQ(at(close("order_1"), "code"), "10000");
  wait_for_status("order_1", "TRADE_SUCCESS");
  const std::vector<Fields> received = notifications(2);
  EXPECT_EQ(received[0].at("trade_status"), "TRADE_CLOSED");
  EXPECT_EQ(received[1].at("trade_status"), "TRADE_SUCCESS");
}

TEST_F(AlipayScenarioTest, PaysTwoTradesOfOneNumber) {
  precreate("order_1", "pays_twice");
  const std::vector<Fields> received = notifications(2);
  EXPECT_NE(received[0].at("trade_no"), received[1].at("trade_no"));
  for (const Fields& fields : received) {
    EXPECT_EQ(fields.at("out_trade_no"), "order_1");
    EXPECT_EQ(fields.at("trade_status"), "TRADE_SUCCESS");
    EXPECT_EQ(fields.at("trade_no").size(), 24u);
  }
  EXPECT_EQ(at(query("order_1"), "trade_no"), received[0].at("trade_no"));
  const Object second{
      {"trade_no", received[1].at("trade_no")}, {"refund_amount", "12.34"}, {"out_request_no", "back_1"}};
  EXPECT_EQ(at(call_gateway("alipay.trade.refund", second), "fund_change"), "Y");
  EXPECT_EQ(ledger_row(0).at("refunded").as_int64(), 0);
  EXPECT_EQ(ledger_row(1).at("refunded").as_int64(), 1234);
}

TEST_F(AlipayScenarioTest, LosesOrDoublesNotifications) {
  precreate("order_1", "notification_lost");
  wait_for_status("order_1", "TRADE_SUCCESS");
  precreate("order_2", "notification_doubled");
  const std::vector<Fields> received = notifications(5);
  for (const Fields& fields : received) {
    EXPECT_EQ(fields.at("out_trade_no"), "order_2");
    EXPECT_EQ(fields.at("notify_id"), received[0].at("notify_id"));
  }
}

TEST_F(AlipayScenarioTest, NotifiesBeforeItReplies) {
  auto made = std::async(std::launch::async, [&] { return precreate("order_1", "notification_before_reply"); });
  EXPECT_EQ(notifications(1)[0].at("trade_status"), "TRADE_SUCCESS");
  EXPECT_EQ(made.wait_for(Duration{0}), std::future_status::timeout) << "the notification precedes the response";
  EXPECT_EQ(at(made.get(), "code"), "10000");
}

TEST_F(AlipayScenarioTest, ReportsWaitingAfterPaid) {
  precreate("order_1", "notification_reordered");
  const std::vector<Fields> received = notifications(2);
  EXPECT_EQ(received[1].at("trade_status"), "WAIT_BUYER_PAY");
  EXPECT_FALSE(received[1].contains("gmt_payment"));
  EXPECT_EQ(at(query("order_1"), "trade_status"), "TRADE_SUCCESS");
}

TEST_F(AlipayScenarioTest, ContradictsItself) {
  precreate("order_1", "success_then_failure");
  EXPECT_EQ(notifications(2)[1].at("trade_status"), "TRADE_CLOSED");
  EXPECT_EQ(at(query("order_1"), "trade_status"), "TRADE_SUCCESS");
  precreate("order_2", "failure_then_success");
  const std::vector<Fields> received = notifications(4);
  EXPECT_EQ(received[2].at("trade_status"), "TRADE_CLOSED");
  EXPECT_EQ(received[3].at("trade_status"), "TRADE_SUCCESS");
}

TEST_F(AlipayScenarioTest, SendsForgedNotificationsBeforeThePayment) {
  receiver_.reply_with([](std::size_t) { return net::HttpResponse{.status = 400, .headers = {}, .body = "fail"}; });
  const auto clock = start_with_stopped_clock();
  precreate("order_1", "notification_forged");
  clock->advance(Duration{1000});
  std::size_t genuine = 0;
  for (const net::HttpRequest& request : receiver_.wait_for(3)) {
    const Fields received = decoded(request.body);
    EXPECT_EQ(received.at("trade_status"), "TRADE_SUCCESS");
    if (!is_genuine(received)) continue;
    ++genuine;
    EXPECT_NE(received.at("app_id"), "2021000000000001") << "genuine, but of another application";
  }
  EXPECT_EQ(genuine, 1u);
  EXPECT_NE(at(query("order_1"), "trade_status"), "TRADE_SUCCESS");
  clock->advance(Duration{1000});
  wait_for_status("order_1", "TRADE_SUCCESS");
  const Fields last = decoded(receiver_.wait_for(4)[3].body);
  EXPECT_TRUE(is_genuine(last));
  EXPECT_EQ(last.at("app_id"), "2021000000000001");
}

TEST_F(AlipayScenarioTest, PaysAnotherAmountOrCurrency) {
  precreate("order_1", "wrong_amount");
  EXPECT_EQ(at(wait_for_status("order_1", "TRADE_SUCCESS"), "total_amount"), "12.33");
  EXPECT_EQ(notifications(1)[0].at("total_amount"), "12.33");
  precreate("order_2", "wrong_currency");
  EXPECT_EQ(at(wait_for_status("order_2", "TRADE_SUCCESS"), "trans_currency"), "USD");
  EXPECT_EQ(notifications(2)[1].at("trans_currency"), "USD");
  EXPECT_EQ(at(refund("order_1", "12.33", "back_1"), "fund_change"), "Y");
  EXPECT_EQ(at(refund("order_2", "12.34", "back_1"), "fund_change"), "Y");
}

TEST_F(AlipayScenarioTest, AlipayRefundsOnItsOwnInitiative) {
  precreate("order_1", "refunded_by_channel");
  const Fields received = notifications(2)[1];
  EXPECT_EQ(received.at("trade_status"), "TRADE_CLOSED");
  EXPECT_EQ(received.at("refund_fee"), "12.34");
  EXPECT_TRUE(received.contains("gmt_payment") && received.contains("gmt_refund") && received.contains("gmt_close"));
  EXPECT_FALSE(received.contains("out_biz_no")) << "the merchant requested no refund";
  EXPECT_TRUE(wait_for_status("order_1", "TRADE_CLOSED").contains("send_pay_date"));
}

TEST_F(AlipayScenarioTest, LosesTheFirstRequestOnly) {
  const Fields order = request("alipay.trade.precreate", order_of("order_1", "request_lost"), notified());
  EXPECT_EQ(send(order).status, 504);
  EXPECT_EQ(sub_code(query("order_1")), "ACQ.TRADE_NOT_EXIST");
  EXPECT_EQ(send(order).status, 200);
  wait_for_status("order_1", "TRADE_SUCCESS");
  Object page = order_of("order_2", "request_lost");
  page["product_code"] = "FAST_INSTANT_TRADE_PAY";
  const Fields opened = request("alipay.trade.page.pay", page, notified());
  EXPECT_EQ(visit_page(opened).status, 504) << "the browser's request is lost";
  EXPECT_EQ(visit_page(opened).status, 302);
  wait_for_status("order_2", "TRADE_SUCCESS");
}

TEST_F(AlipayScenarioTest, IsPaidAndReportsASystemError) {
  const Object made = precreate("order_1", "request_timeout_but_paid");
  EXPECT_EQ(at(made, "code"), "20000");
  EXPECT_EQ(sub_code(made), "isp.unknow-error");
  wait_for_status("order_1", "TRADE_SUCCESS");
}

TEST_F(AlipayScenarioTest, NothingArrivesWhileTheChannelIsDown) {
  const Fields order = request("alipay.trade.precreate", order_of("order_1", "channel_down"), notified());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(send(order).status, 504);
  const Object name{{"out_trade_no", "order_1"}};
  for (const char* method : {"alipay.trade.query", "alipay.trade.close", "alipay.trade.cancel"})
    EXPECT_EQ(send(request(method, name)).status, 504) << method;
  EXPECT_EQ(sub_code(query("order_2")), "ACQ.TRADE_NOT_EXIST") << "another trade is not affected";
}

TEST_F(AlipayScenarioTest, RefusesRefundsTemporarilyOrPermanently) {
  precreate("order_1", "refund_fails_twice");
  precreate("order_2", "refund_refused");
  wait_for_status("order_1", "TRADE_SUCCESS");
  wait_for_status("order_2", "TRADE_SUCCESS");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(sub_code(refund("order_1", "1.00", "back_1")), "ACQ.SELLER_BALANCE_NOT_ENOUGH");
  EXPECT_EQ(at(refund("order_1", "1.00", "back_1"), "fund_change"), "Y")
      << "the same number succeeds with sufficient balance";
  EXPECT_EQ(sub_code(refund("order_2", "1.00", "back_1")), "ACQ.TRADE_NOT_ALLOW_REFUND");
}

TEST_F(AlipayScenarioTest, ARefundRefusedForInsufficientBalanceKeepsItsNumberFree) {
  precreate("order_1", "refund_not_now");
  wait_for_status("order_1", "TRADE_SUCCESS");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(sub_code(refund("order_1", "1.00", "back_1")), "ACQ.SELLER_BALANCE_NOT_ENOUGH");
    EXPECT_FALSE(query_refund("order_1", "back_1").contains("refund_status"));
  }
  EXPECT_EQ(ledger_row(0).at("refunded").as_int64(), 0);
  EXPECT_EQ(at(refund("order_1", "1.00", "back_1"), "fund_change"), "Y");
  EXPECT_EQ(at(refund("order_1", "1.00", "back_1"), "fund_change"), "N") << "one number, one refund";
  EXPECT_EQ(at(refund("order_1", "1.00", "back_2"), "fund_change"), "Y") << "another number refunds a second time";
  EXPECT_EQ(ledger_row(0).at("refunded").as_int64(), 200);
}

TEST_F(AlipayScenarioTest, RefusesWithAnUndocumentedCodeAndCreatesNoTrade) {
  for (int i = 0; i < 2; ++i) EXPECT_EQ(sub_code(precreate("order_1", "refused_unlisted")), "ACQ.UNLISTED_REFUSAL");
  EXPECT_EQ(sub_code(query("order_1")), "ACQ.TRADE_NOT_EXIST");
}

TEST_F(AlipayScenarioTest, RefundsAndReportsASystemError) {
  precreate("order_1", "refund_unknown");
  wait_for_status("order_1", "TRADE_SUCCESS");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(sub_code(refund("order_1", "1.00", "back_1")), "ACQ.SYSTEM_ERROR");
  EXPECT_EQ(at(query_refund("order_1", "back_1"), "refund_status"), "REFUND_SUCCESS");
  EXPECT_EQ(ledger_row(0).at("refunded").as_int64(), 100);
}

}  // namespace
}  // namespace finality::sandbox
