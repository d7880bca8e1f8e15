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

constexpr const char* kOutOrderNo = "00000000000070000000000006a1";

Form frozen() { return alipay_test::frozen_form(kOutOrderNo); }

Form rest_released() {
  return with(frozen(), {{"notify_type", "fund_auth_unfreeze"},
                         {"operation_type", "UNFREEZE"},
                         {"out_request_no", "00000000000070000000000006a1r1"},
                         {"amount", "6.00"},
                         {"total_pay_amount", "4.00"},
                         {"total_unfreeze_amount", "6.00"},
                         {"rest_amount", "0.00"}});
}

AuthorizationEvidence authorization_evidence_of(const Form& form) {
  const auto verified = verify(notification(form));
  EXPECT_TRUE(verified) << verified.error().message;
  if (!verified || !verified->authorization) return {};
  EXPECT_EQ(verified->out_trade_no, kOutOrderNo);
  EXPECT_FALSE(verified->is_ignored);
  return *verified->authorization;
}

TEST(AlipayFundAuthNotification, AHoldIsReportedInFullInBothEnvelopes) {
  for (const Form& form : {frozen(), alipay_test::as_message(frozen())}) {
    const AuthorizationEvidence evidence = authorization_evidence_of(form);
    EXPECT_EQ(evidence.kind, AuthorizationEvidenceKind::authorized);
    EXPECT_EQ(evidence.channel_trade_no, alipay_test::kAuthNo);
    EXPECT_EQ(evidence.authorized, 1000);
    EXPECT_EQ(evidence.captured, 0);
    EXPECT_EQ(evidence.released, 0);
    EXPECT_EQ(evidence.currency.text(), "CNY");
    EXPECT_EQ(evidence.channel_payer, "2088102534368455");
    EXPECT_EQ(evidence.source, CauseKind::notification);
    EXPECT_EQ(evidence.code, "fund_auth_freeze");
    EXPECT_FALSE(evidence.is_unfunded);
  }
}

TEST(AlipayFundAuthNotification, BothSigningRulesAreAcceptedInBothEnvelopes) {
  for (const Form& form : {frozen(), alipay_test::as_message(frozen())}) {
    EXPECT_TRUE(verify(notification(form, alipay_test::alipay_key(), false)));
    EXPECT_TRUE(verify(notification(form, alipay_test::alipay_key(), true)));
    EXPECT_FALSE(verify(notification(form, alipay_test::another_key(), true)));
  }
}

TEST(AlipayFundAuthNotification, TheTotalsDecideWhetherSomethingIsHeld) {
  using enum AuthorizationEvidenceKind;
  const std::map<std::string, std::string> none{{"total_freeze_amount", "0.00"}, {"rest_amount", "0.00"}};
  const auto of_type = [](Form form, const char* type) { return with(std::move(form), {{"notify_type", type}}); };
  const std::pair<Form, AuthorizationEvidenceKind> cases[] = {
      {of_type(with(frozen(), none), "fund_auth_freeze.init"), waiting},
      {of_type(with(frozen(), none), "fund_auth_freeze.closed"), closed},
      {of_type(with(frozen(), none), "fund_auth_operation_cancel"), closed},
      {of_type(with(frozen(), {{"total_unfreeze_amount", "10.00"}, {"rest_amount", "0.00"}}),
               "fund_auth_operation_cancel"),
       AuthorizationEvidenceKind::released},
      {rest_released(), AuthorizationEvidenceKind::released},
      {with(rest_released(), {{"total_unfreeze_amount", "1.00"}, {"rest_amount", "5.00"}}), authorized},
      {with(rest_released(), {{"total_unfreeze_amount", ""}}), AuthorizationEvidenceKind::released},
      {with(frozen(), {{"total_pay_amount", "10.00"}, {"rest_amount", "0.00"}}), AuthorizationEvidenceKind::released},
  };
  for (const auto& [form, kind] : cases)
    EXPECT_EQ(authorization_evidence_of(form).kind, kind) << form.at("notify_type");
  EXPECT_EQ(authorization_evidence_of(rest_released()).captured, 400);
  EXPECT_EQ(authorization_evidence_of(rest_released()).released, 600);
}

TEST(AlipayFundAuthNotification, ACreditIsUnfunded) {
  EXPECT_TRUE(authorization_evidence_of(with(frozen(), {{"pre_auth_type", "CREDIT_AUTH"}})).is_unfunded);
}

// Alipay repeats a message for one day. Its totals are those after its operation, whatever happened since.
TEST(AlipayFundAuthNotification, IsDatedByItsOperation) {
  const Time later = kNow + std::chrono::hours(2);
  const Duration second(999);
  const auto dated = [&](const Form& form) { return verify(notification(form), later)->authorization->asked_at; };
  EXPECT_EQ(dated(with(frozen(), {{"notify_time", "2026-09-22 00:13:20"}})), kNow + second);
  EXPECT_EQ(dated(with(frozen(), {{"gmt_trans", ""}})), kNow + std::chrono::seconds(1) + second);
  EXPECT_EQ(dated(alipay_test::as_message(with(frozen(), {{"gmt_trans", ""}}))),
            kNow + std::chrono::seconds(1) + second);
}

// The operation of another message than that of a freeze did not begin the hold.
TEST(AlipayFundAuthNotification, OnlyAFreezeStatesWhenTheHoldBegan) {
  EXPECT_EQ(authorization_evidence_of(frozen()).authorized_at, kNow);
  EXPECT_EQ(authorization_evidence_of(with(frozen(), {{"gmt_trans", ""}})).authorized_at, std::nullopt);
  EXPECT_EQ(authorization_evidence_of(rest_released()).authorized_at, std::nullopt);
}

TEST(AlipayFundAuthNotification, TheApplicationIsNamedInOneOfTwoFields) {
  EXPECT_TRUE(verify(notification(with(frozen(), {{"app_id", "2021000000000009"}}))));
  EXPECT_TRUE(verify(notification(with(frozen(), {{"app_id", ""}}))));
  EXPECT_TRUE(verify(notification(with(frozen(), {{"payee_user_id", ""}}))));
  for (const auto& changes : {std::map<std::string, std::string>{{"app_id", "1"}, {"auth_app_id", ""}},
                              {{"payee_user_id", "2088000000000002"}}}) {
    const auto verified = verify(notification(with(frozen(), changes)));
    ASSERT_FALSE(verified);
    EXPECT_TRUE(verified.error().message.contains("not for this channel")) << verified.error().message;
  }
}

TEST(AlipayFundAuthNotification, AMalformedFieldIsRejectedEvenWhenSigned) {
  const std::pair<const char*, const char*> cases[] = {
      {"out_order_no", ""},
      {"out_order_no", "0000000000000000000000000000000000000000000000000000000000000000x"},
      {"auth_no", ""},
      {"total_freeze_amount", "0.00"},
      {"total_freeze_amount", "ten"},
      {"rest_amount", "10.01"},
      {"rest_amount", "-1.00"},
      {"total_pay_amount", "0.01"},
      {"total_unfreeze_amount", "1.00"},
      {"trans_currency", "JPY"},
      {"gmt_trans", "yesterday"},
  };
  for (const auto& [name, value] : cases) {
    const auto verified = verify(notification(with(frozen(), {{name, value}})));
    ASSERT_FALSE(verified) << name << '=' << value;
    EXPECT_TRUE(verified.error().message.contains("malformed")) << verified.error().message;
  }
  const Form unclear = with(frozen(), {{"notify_type", "fund_auth_operation_cancel"},
                                       {"action", "unfreeze"},
                                       {"total_freeze_amount", ""},
                                       {"rest_amount", ""}});
  EXPECT_FALSE(verify(notification(unclear))) << "released, but the amount is missing";
  Form message = alipay_test::as_message(frozen());
  message["biz_content"] = "[]";
  EXPECT_FALSE(verify(notification(message)));
}

TEST(AlipayNotification, SignedMessagesAboutNothingThatIsBookedAreIgnored) {
  Form message = alipay_test::as_message(frozen());
  message["msg_method"] = "alipay.merchant.tradecomplain.changed";
  for (const Form& form : {message, with(paid(), {{"notify_type", "servicemarket_order_notify"}}),
                           with(frozen(), {{"out_order_no", "of-another-system"}})}) {
    const auto verified = verify(notification(form));
    ASSERT_TRUE(verified) << verified.error().message;
    EXPECT_TRUE(verified->is_ignored);
    EXPECT_FALSE(verify(notification(form, alipay_test::another_key())));
  }
  message["app_id"] = "2021000000000002";
  EXPECT_FALSE(verify(notification(message))) << "for another application";
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
