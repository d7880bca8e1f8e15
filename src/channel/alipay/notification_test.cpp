#include "channel/alipay/notification.h"

#include <gtest/gtest.h>

#include "channel/alipay/testing/test_gateway.h"

namespace finality::alipay {
namespace {

using alipay_test::Form;
using alipay_test::Mode;
using alipay_test::notification;

constexpr const char* kOutTradeNo = "00000000000070000000000008";
const Time kNow = *parse_rfc3339("2026-09-21T14:13:20Z");

Form paid() { return alipay_test::paid_form(kOutTradeNo); }

Form with(Form form, const std::map<std::string, std::string>& changes) {
  for (const auto& [name, value] : changes) {
    if (value.empty())
      form.erase(name);
    else
      form[name] = value;
  }
  return form;
}

Result<Notification> verify(const net::HttpRequest& request, Time now = kNow) {
  const auto channel = make_alipay_channel(alipay_test::options_for(Mode::public_key));
  return (*channel)->verify(request, now);
}

Evidence evidence_of(const Form& form) {
  const auto verified = verify(notification(form));
  EXPECT_TRUE(verified) << verified.error().message;
  EXPECT_TRUE(!verified || !verified->refund);
  return verified ? verified->evidence : Evidence{};
}

TEST(AlipayNotification, APaymentIsReportedInFull) {
  const auto verified = verify(notification(paid()));
  ASSERT_TRUE(verified) << verified.error().message;
  EXPECT_EQ(verified->out_trade_no, kOutTradeNo);
  EXPECT_EQ(verified->evidence.kind, EvidenceKind::paid);
  EXPECT_EQ(verified->evidence.channel_trade_no, alipay_test::kTradeNo);
  EXPECT_EQ(verified->evidence.amount, 1000);
  EXPECT_EQ(verified->evidence.currency.text(), "CNY");
  EXPECT_EQ(to_rfc3339(verified->evidence.paid_at), "2026-09-21T14:13:15.000Z");
  EXPECT_EQ(verified->evidence.source, CauseKind::notification);
  EXPECT_EQ(verified->evidence.code, "TRADE_SUCCESS");
}

TEST(AlipayNotification, BothSigningRulesAreAccepted) {
  EXPECT_TRUE(verify(notification(paid(), alipay_test::alipay_key(), false)));
  EXPECT_TRUE(verify(notification(paid(), alipay_test::alipay_key(), true)));
  EXPECT_FALSE(verify(notification(paid(), alipay_test::another_key(), true)));
}

TEST(AlipayNotification, CertificateModeAcceptsTheSame) {
  const auto channel = make_alipay_channel(alipay_test::options_for(Mode::certificates));
  EXPECT_TRUE((*channel)->verify(notification(paid()), kNow));
  EXPECT_FALSE((*channel)->verify(notification(paid(), alipay_test::another_key()), kNow));
}

TEST(AlipayNotification, ForAnotherRecipientIsRejected) {
  const std::pair<const char*, const char*> cases[] = {
      {"app_id", "2021000000000002"},
      {"app_id", ""},
      {"seller_id", "2088000000000002"},
      {"seller_id", ""},
      {"out_trade_no", ""},
      {"notify_type", "servicemarket_order_notify"},
      {"notify_type", ""},
      {"out_trade_no", "0000000000000000000000000000000000000000000000000000000000000000x"},
  };
  for (const auto& [name, value] : cases) {
    const auto verified = verify(notification(with(paid(), {{name, value}})));
    ASSERT_FALSE(verified) << name << '=' << value;
    EXPECT_TRUE(verified.error().message.contains("not for this channel")) << verified.error().message;
  }
}

TEST(AlipayNotification, AMalformedFieldIsRejectedEvenWhenSigned) {
  const std::pair<const char*, const char*> cases[] = {
      {"trade_status", "TRADE_REFUNDED"},
      {"trade_status", ""},
      {"total_amount", "0.00"},
      {"total_amount", ""},
      {"total_amount", "-10.00"},
      {"total_amount", "1e3"},
      {"total_amount", "99999999999999"},
      {"trade_no", ""},
      {"gmt_payment", "yesterday"},
      {"notify_time", ""},
      {"notify_time", "2026-09-21"},
      {"trans_currency", "ABC"},
      {"trans_currency", "JPY"},
      {"refund_fee", "10.01"},
      {"refund_fee", "some"},
  };
  for (const auto& [name, value] : cases) {
    const auto verified = verify(notification(with(paid(), {{name, value}})));
    ASSERT_FALSE(verified) << name << '=' << value;
    EXPECT_TRUE(verified.error().message.contains("malformed")) << verified.error().message;
  }
}

TEST(AlipayNotification, AWrongAmountOrCurrencyIsReportedUnchanged) {
  EXPECT_EQ(evidence_of(with(paid(), {{"total_amount", "0.01"}})).amount, 1);
  EXPECT_EQ(evidence_of(with(paid(), {{"trans_currency", "USD"}})).currency.text(), "USD");
}

// After a partial refund, Alipay sends TRADE_SUCCESS again, with refund_fee. This notification is neither a second
// payment nor evidence of the refund.
TEST(AlipayNotification, APartialRefundReportsThePaymentAgain) {
  const Form form = with(paid(), {{"out_biz_no", "00000000000070000000000009"},
                                  {"refund_fee", "3.00"},
                                  {"gmt_refund", "2026-09-21 22:13:18.320"}});
  const Evidence evidence = evidence_of(form);
  EXPECT_EQ(evidence.kind, EvidenceKind::paid);
  EXPECT_EQ(evidence.channel_trade_no, alipay_test::kTradeNo);
  EXPECT_EQ(evidence.amount, 1000);
  EXPECT_EQ(evidence.refunded, 300) << "the total of the trade";
  EXPECT_EQ(evidence.code, "TRADE_SUCCESS");
}

TEST(AlipayNotification, AClosedTradeWasRefundedOrNeverPaid) {
  const std::map<std::string, std::string> closed{{"trade_status", "TRADE_CLOSED"},
                                                  {"gmt_close", "2026-09-21 22:13:18"}};
  const Form unpaid = with(with(paid(), closed), {{"gmt_payment", ""}});
  EXPECT_EQ(evidence_of(unpaid).kind, EvidenceKind::closed);
  EXPECT_EQ(evidence_of(with(unpaid, {{"refund_fee", "0.00"}})).kind, EvidenceKind::closed);
  for (const auto& [name, value] : std::map<std::string, std::string>{{"gmt_payment", "2026-09-21 22:13:15"},
                                                                      {"gmt_refund", "2026-09-21 22:13:18.000"},
                                                                      {"refund_fee", "10.00"}}) {
    const Evidence evidence = evidence_of(with(unpaid, {{name, value}}));
    EXPECT_EQ(evidence.kind, EvidenceKind::paid) << name;
    EXPECT_EQ(evidence.refunded, 1000) << name;
    EXPECT_EQ(evidence.amount, 1000) << name;
    EXPECT_EQ(evidence.channel_trade_no, alipay_test::kTradeNo) << name;
  }
  EXPECT_EQ(evidence_of(with(unpaid, {{"refund_fee", "4.00"}})).refunded, 400);
}

TEST(AlipayNotification, OtherStatesAreReportedToo) {
  EXPECT_EQ(evidence_of(with(paid(), {{"trade_status", "TRADE_FINISHED"}})).kind, EvidenceKind::paid);
  EXPECT_EQ(evidence_of(with(paid(), {{"trade_status", "WAIT_BUYER_PAY"}, {"gmt_payment", ""}})).kind,
            EvidenceKind::waiting);
  EXPECT_FALSE(verify(notification(with(paid(), {{"trade_status", "WAIT_BUYER_PAY"}}))));
}

TEST(AlipayNotification, IsDatedByTheReportedStateNotTheArrival) {
  const Time later = kNow + std::chrono::hours(2);
  const Duration second(999);  // the adapter adds 999 ms, because Alipay truncates times to seconds
  EXPECT_EQ(verify(notification(paid()), later)->evidence.asked_at, kNow + second);
  const Form closed = with(paid(), {{"trade_status", "TRADE_CLOSED"},
                                    {"gmt_payment", ""},
                                    {"gmt_close", "2026-09-21 22:13:18"},
                                    {"notify_time", "2026-09-22 00:13:20"}});
  EXPECT_EQ(verify(notification(closed), later)->evidence.asked_at, kNow - std::chrono::seconds(2) + second);
}

TEST(AlipayNotification, IsNeverYoungerThanNow) {
  const Time within_the_second = kNow + Duration(300);
  EXPECT_EQ(verify(notification(paid()), within_the_second)->evidence.asked_at, within_the_second);
  const Time before = kNow - std::chrono::minutes(1);  // Alipay's clock is one minute ahead of this clock
  EXPECT_EQ(verify(notification(paid()), before)->evidence.asked_at, before);
}

TEST(AlipayNotification, BytesMayBeInAnyCharset) {
  Form form = with(paid(), {{"charset", "GBK"}});
  form["subject"] = "\xB2\xE8";  // 茶
  EXPECT_EQ(evidence_of(form).kind, EvidenceKind::paid);
}

TEST(AlipayForm, IsDecodedOrRejected) {
  const auto form = parse_form("a=1&b=%E8%8C%B6+x%2B&c=&d=x=y");
  ASSERT_TRUE(form);
  EXPECT_EQ(*form, (Parameters{{"a", "1"}, {"b", "茶 x+"}, {"c", ""}, {"d", "x=y"}}));
  EXPECT_TRUE(parse_form("")->empty());
  for (const char* body : {"a", "a=%", "a=%2", "a=%zz", "a=1&a=2", "a=1&&b=2", "&a=1", "%=1"})
    EXPECT_FALSE(parse_form(body)) << body;
  std::string many;
  for (int i = 0; i < 101; ++i) many += fmt::format("{}k{}=1", i == 0 ? "" : "&", i);
  EXPECT_FALSE(parse_form(many));
}

TEST(AlipayNotification, DuplicateParametersAreRejected) {
  net::HttpRequest twice = notification(paid());
  twice.body += "&total_amount=10.00";
  EXPECT_FALSE(verify(twice));
}

}  // namespace
}  // namespace finality::alipay
