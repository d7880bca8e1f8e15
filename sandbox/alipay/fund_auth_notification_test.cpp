// Tests of the notifications about funds authorizations, in both envelopes.
#include "sandbox/alipay/fund_auth_notification.h"

#include <set>

#include "sandbox/alipay/test_fund_auth.h"

namespace finality::sandbox {
namespace {

class AlipayHoldNotificationTest : public AlipayHoldTest {
 protected:
  /// Returns the notification in the message envelope as if it were classic: its fields, and msg_method.
  static Fields content_of(const Fields& message) {
    Fields content{{"msg_method", message.at("msg_method")}};
    const boost::json::value biz = boost::json::parse(message.at("biz_content"));
    for (const auto& field : biz.as_object()) content[field.key()] = field.value().as_string();
    return content;
  }
  static void expect_totals_of(const Fields& fields, const char* frozen, const char* paid, const char* released,
                               const char* rest) {
    EXPECT_EQ(fields.at("total_freeze_amount"), frozen);
    EXPECT_EQ(fields.at("total_pay_amount"), paid);
    EXPECT_EQ(fields.at("total_unfreeze_amount"), released);
    EXPECT_EQ(fields.at("rest_amount"), rest);
  }
};

TEST_F(AlipayHoldNotificationTest, AFreezeAndAReleaseAreClassic) {
  const std::string auth_no = held("order_1");
  const Fields frozen = notifications(1)[0];
  unfreeze(auth_no, "release_1", "4.00");
  unfreeze(auth_no, "release_2", "6.00");
  const std::vector<Fields> received = notifications(3);
  EXPECT_EQ(frozen.at("notify_type"), "fund_auth_freeze");
  EXPECT_EQ(frozen.at("app_id"), "2021000000000001");
  EXPECT_EQ(frozen.at("payee_user_id"), "2088000000000001");
  EXPECT_EQ(frozen.at("auth_no"), auth_no);
  EXPECT_EQ(frozen.at("out_order_no"), "order_1");
  EXPECT_EQ(frozen.at("out_request_no"), "order_1");
  EXPECT_EQ(frozen.at("operation_type"), "FREEZE");
  EXPECT_EQ(frozen.at("amount"), "10.00");
  EXPECT_EQ(frozen.at("status"), "SUCCESS");
  EXPECT_EQ(frozen.at("operation_id"), at(query_freeze("order_1"), "operation_id"));
  EXPECT_EQ(frozen.at("payer_user_id"), at(query_freeze("order_1"), "payer_user_id"));
  EXPECT_EQ(frozen.at("gmt_trans"), at(query_freeze("order_1"), "gmt_trans"));
  EXPECT_FALSE(frozen.contains("trade_no") || frozen.contains("msg_method") || frozen.contains("action"));
  expect_totals_of(frozen, "10.00", "0.00", "0.00", "10.00");
  std::map<std::string, Fields> by_number;
  for (std::size_t i = 1; i < 3; ++i) by_number[received[i].at("out_request_no")] = received[i];
  const Fields& part = by_number.at("release_1");
  EXPECT_EQ(part.at("notify_type"), "fund_auth_unfreeze");
  EXPECT_EQ(part.at("operation_type"), "UNFREEZE");
  EXPECT_EQ(part.at("amount"), "4.00");
  EXPECT_EQ(part.at("operation_id"), at(query_operation("order_1", "release_1", "UNFREEZE"), "operation_id"));
  expect_totals_of(part, "10.00", "0.00", "4.00", "6.00");
  expect_totals_of(by_number.at("release_2"), "10.00", "0.00", "10.00", "0.00");
}

TEST_F(AlipayHoldNotificationTest, ACancelStatesItsAction) {
  freeze("order_1");
  cancel("order_1");
  const Fields closed = notifications(1)[0];
  EXPECT_EQ(closed.at("notify_type"), "fund_auth_operation_cancel");
  EXPECT_EQ(closed.at("action"), "close");
  EXPECT_EQ(closed.at("status"), "CLOSED");
  expect_totals_of(closed, "0.00", "0.00", "0.00", "0.00");
  held("order_2");
  notifications(2);
  cancel("order_2");
  const Fields released = notifications(3)[2];
  EXPECT_EQ(released.at("notify_type"), "fund_auth_operation_cancel");
  EXPECT_EQ(released.at("action"), "unfreeze");
  expect_totals_of(released, "10.00", "0.00", "10.00", "0.00");
}

TEST_F(AlipayHoldNotificationTest, ADeclineClosesTheFreeze) {
  voucher("order_1", "declines");
  EXPECT_EQ(notifications(1)[0].at("notify_type"), "fund_auth_freeze.closed");
}

TEST_F(AlipayHoldNotificationTest, ACaptureIsReportedAsATrade) {
  const std::string auth_no = held("order_1");
  notifications(1);
  capture(auth_no, "capture_1", "4.00");
  const Fields paid = notifications(2)[1];
  EXPECT_EQ(paid.at("notify_type"), "trade_status_sync");
  EXPECT_EQ(paid.at("out_trade_no"), "capture_1");
  EXPECT_EQ(paid.at("total_amount"), "4.00");
  capture(auth_no, "capture_2", "1.00", "COMPLETE");
  std::map<std::string, Fields> by_type;
  const std::vector<Fields> received = notifications(4);
  for (std::size_t i = 2; i < 4; ++i) by_type[received[i].at("notify_type")] = received[i];
  EXPECT_EQ(by_type.at("trade_status_sync").at("out_trade_no"), "capture_2");
  const Fields& rest = by_type.at("fund_auth_unfreeze");
  EXPECT_EQ(rest.at("amount"), "5.00") << "the rest is released";
  expect_totals_of(rest, "10.00", "5.00", "5.00", "0.00");
}

TEST_F(AlipayHoldNotificationTest, ACaptureOfAllReleasesNothing) {
  capture(held("order_1"), "capture_1", "10.00", "COMPLETE");
  freeze("order_2");
  cancel("order_2");
  std::multiset<std::string> types;
  for (const Fields& fields : notifications(3)) types.insert(fields.at("notify_type"));
  EXPECT_EQ(types, (std::multiset<std::string>{"fund_auth_freeze", "fund_auth_operation_cancel", "trade_status_sync"}));
}

TEST_F(AlipayHoldNotificationTest, TheRequestNamesTheAddressOfItsNotification) {
  const std::string auth_no = held("order_1");
  notifications(1);
  const Object biz{{"auth_no", auth_no}, {"out_request_no", "release_1"}, {"amount", "4.00"}, {"remark", "r"}};
  EXPECT_EQ(at(call_gateway("alipay.fund.auth.order.unfreeze", biz), "code"), "10000");
  unfreeze(auth_no, "release_2", "6.00");
  EXPECT_EQ(notifications(2)[1].at("out_request_no"), "release_2") << "the first release names no address";
}

TEST_F(AlipayHoldNotificationTest, TheChannelReportsItsActionsInMessages) {
  struct Case {
    const char* action;
    const char* operation;
    const char* amount;
    const char* paid;
    const char* released;
    const char* rest;
  };
  const Case cases[] = {{"release?amount=100", "UNFREEZE", "1.00", "0.00", "1.00", "9.00"},
                        {"capture?amount=200", "PAY", "2.00", "2.00", "1.00", "7.00"},
                        {"lapse", "UNFREEZE", "7.00", "2.00", "8.00", "0.00"}};
  const std::string auth_no = held("order_1");
  std::size_t count = notifications(1).size();
  for (const Case& c : cases) {
    SCOPED_TRACE(c.action);
    visit("POST", "/console/" + auth_no + "/" + c.action);
    const Fields message = notifications(++count).back();
    for (const char* name : {"app_id", "biz_content", "charset", "msg_method", "notify_id", "sign", "sign_type",
                             "utc_timestamp", "version"})
      EXPECT_TRUE(message.contains(name)) << name;
    EXPECT_EQ(message.size(), 9u) << "all fields of the authorization are in biz_content";
    EXPECT_EQ(message.at("version"), "1.1");
    EXPECT_EQ(message.at("utc_timestamp").size(), 13u);
    const Fields content = content_of(message);
    EXPECT_EQ(content.at("msg_method"), "fund_auth_unfreeze");
    EXPECT_EQ(content.at("operation_type"), c.operation);
    EXPECT_EQ(content.at("out_order_no"), "order_1");
    EXPECT_EQ(content.at("amount"), c.amount);
    expect_totals_of(content, "10.00", c.paid, c.released, c.rest);
  }
}

TEST_F(AlipayHoldNotificationTest, AFrozenTotalIsRaisedByACaptureAboveIt) {
  freeze("order_1", "capture_above_hold");
  expect_totals_of(content_of(notifications(2)[1]), "12.00", "12.00", "0.00", "0.00");
  freeze("order_2", "capture_after_end");
  notifications(3);
  cancel("order_2");
  expect_totals_of(content_of(notifications(5)[4]), "15.00", "5.00", "10.00", "0.00");
}

TEST_F(AlipayHoldNotificationTest, TwoHoldsOfOneNumberAreDistinct) {
  freeze("order_1", "authorizes_twice");
  const std::vector<Fields> received = notifications(2);
  EXPECT_EQ(received[1].at("out_order_no"), "order_1");
  EXPECT_EQ(received[1].at("notify_type"), "fund_auth_freeze");
  EXPECT_NE(received[0].at("auth_no"), received[1].at("auth_no"));
  EXPECT_EQ(at(query_freeze("order_1"), "auth_no"), received[0].at("auth_no"));
}

TEST_F(AlipayHoldNotificationTest, ALapseCanBeUnreported) {
  freeze("order_1", "lapses_unnotified");
  wait_for_order_status("order_1", "CLOSED");
  freeze("order_2");
  cancel("order_2");
  EXPECT_EQ(notifications(2)[1].at("out_order_no"), "order_2");
}

TEST_F(AlipayHoldNotificationTest, ForgedNotificationsReportAFreeze) {
  receiver_.reply_with([](std::size_t) { return net::HttpResponse{.status = 400, .headers = {}, .body = "fail"}; });
  const auto clock = start_with_stopped_clock();
  freeze("order_1", "notification_forged");
  clock->advance(Duration{1000});
  std::size_t genuine = 0;
  for (const net::HttpRequest& request : receiver_.wait_for(3)) {
    const Fields received = decoded(request.body);
    EXPECT_EQ(received.at("notify_type"), "fund_auth_freeze");
    expect_totals_of(received, "10.00", "0.00", "0.00", "10.00");
    if (!is_genuine(received)) continue;
    ++genuine;
    EXPECT_NE(received.at("app_id"), "2021000000000001") << "genuine, but of another application";
  }
  EXPECT_EQ(genuine, 1u);
  EXPECT_EQ(at(query_freeze("order_1"), "order_status"), "INIT");
}

TEST_F(AlipayHoldNotificationTest, AnUnopenedAuthorizationIsNotReported) {
  const auto clock = start_with_stopped_clock();
  voucher("order_1");
  clock->advance(std::chrono::minutes(15));
  EXPECT_EQ(sub_code(query_freeze("order_1")), "AUTH_ORDER_NOT_EXIST");
  wait([&] { return outstanding_count() == 0; });
  EXPECT_EQ(receiver_.count(), 0u);
}

}  // namespace
}  // namespace finality::sandbox
