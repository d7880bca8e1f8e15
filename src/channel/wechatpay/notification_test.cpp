#include "channel/wechatpay/notification.h"

#include <gtest/gtest.h>

#include "channel/wechatpay/testing/test_wechatpay.h"

namespace finality::wechatpay {
namespace {

using namespace wechatpay_test;

constexpr Time kNow{1'790'000'000'000};

json::object transaction(std::string_view state) {
  json::object body{{"appid", kAppid},
                    {"mchid", kMchid},
                    {"out_trade_no", "0000000000007000000000000z"},
                    {"trade_state", state},
                    {"amount", {{"total", 1000}, {"currency", "CNY"}}}};
  if (state != "SUCCESS") return body;
  body["transaction_id"] = "4200000000202609210000000001";
  body["success_time"] = "2026-09-21T22:13:10+08:00";
  return body;
}

json::object refund(std::string_view status) {
  return {{"mchid", kMchid},
          {"out_trade_no", "0000000000007000000000000z"},
          {"transaction_id", "4200000000202609210000000001"},
          {"out_refund_no", "00000000000070000000000010"},
          {"refund_id", "50000000382019052709732678859"},
          {"refund_status", status},
          {"amount", {{"total", 1000}, {"refund", 300}, {"payer_total", 1000}, {"payer_refund", 300}}}};
}

class WechatpayNotification : public testing::Test {
 protected:
  Result<Notification> verify(const json::object& body) const {
    return channel_->verify(notification(json::serialize(body), kNow), kNow);
  }
  Result<Notification> verify(std::string_view event, const json::object& plain) const {
    return verify(envelope(event, encrypted(json::serialize(plain), "transaction")));
  }

  std::unique_ptr<WechatpayChannel> channel_ = *make_wechatpay_channel(options());
};

TEST_F(WechatpayNotification, TheStateOfTheTradeDecidesNotTheNameOfTheEvent) {
  EXPECT_EQ(verify("TRANSACTION.SUCCESS", transaction("SUCCESS"))->evidence.kind, EvidenceKind::paid);
  EXPECT_EQ(verify("TRANSACTION.SUCCESS", transaction("NOTPAY"))->evidence.kind, EvidenceKind::waiting);
  EXPECT_EQ(verify("TRANSACTION.SUCCESS", transaction("PAYERROR"))->evidence.kind, EvidenceKind::failed);
  EXPECT_FALSE(verify("TRANSACTION.SUCCESS", transaction("PAID")));
}

TEST_F(WechatpayNotification, ARefundIsEvidenceOfTheRefundAndOfItsTrade) {
  const auto verified = verify("REFUND.SUCCESS", refund("SUCCESS"));
  ASSERT_TRUE(verified) << verified.error().message;
  EXPECT_EQ(verified->out_trade_no, "0000000000007000000000000z");
  ASSERT_TRUE(verified->refund);
  EXPECT_EQ(verified->refund->out_refund_no, "00000000000070000000000010");
  EXPECT_EQ(verified->refund->evidence.kind, RefundEvidenceKind::refunded);
  EXPECT_EQ(verified->refund->evidence.source, CauseKind::notification);
  EXPECT_EQ(verified->refund->evidence.asked_at, kNow);
  EXPECT_EQ(verified->evidence.kind, EvidenceKind::paid) << "a refunded trade was paid";
  EXPECT_EQ(verified->evidence.channel_trade_no, "4200000000202609210000000001");
  EXPECT_EQ(verified->evidence.amount, 1000);
  EXPECT_EQ(verified->evidence.refunded, 0) << "only this refund is reported, no total";
  ASSERT_TRUE(verified->evidence.refund);
  EXPECT_EQ(verified->evidence.refund->number, "00000000000070000000000010");
  EXPECT_EQ(verified->evidence.refund->amount, 300);
  EXPECT_EQ(verified->evidence.refund->kind, RefundEvidenceKind::refunded);
  EXPECT_EQ(verified->evidence.currency.text(), "CNY");
}

TEST_F(WechatpayNotification, ARefundInProgressIsReportedAndAClosedOneIsNot) {
  const std::pair<const char*, RefundEvidenceKind> rows[] = {{"ABNORMAL", RefundEvidenceKind::accepted},
                                                             {"CLOSED", RefundEvidenceKind::try_again},
                                                             {"PROCESSING", RefundEvidenceKind::accepted}};
  for (const auto& [status, kind] : rows) {
    const auto verified = verify("REFUND." + std::string(status), refund(status));
    ASSERT_TRUE(verified) << verified.error().message;
    EXPECT_EQ(verified->refund->evidence.kind, kind) << status;
    EXPECT_EQ(verified->refund->evidence.is_stranded, std::string_view(status) == "ABNORMAL") << status;
    const bool moves = kind == RefundEvidenceKind::accepted;
    EXPECT_EQ(verified->evidence.kind, moves ? EvidenceKind::paid : EvidenceKind::unknown) << status;
    EXPECT_EQ(verified->evidence.refund.has_value(), moves) << status;
    if (moves) EXPECT_EQ(verified->evidence.refund->kind, RefundEvidenceKind::accepted) << status;
  }
}

TEST_F(WechatpayNotification, ARefundNumberHasNoSpaces) {
  json::object broken = refund("SUCCESS");
  broken["out_refund_no"] = "C 1";
  EXPECT_FALSE(verify("REFUND.SUCCESS", broken));
}

TEST_F(WechatpayNotification, IsDatedByItsCreationNotTheArrival) {
  const std::string body = json::serialize(
      envelope("TRANSACTION.SUCCESS", encrypted(json::serialize(transaction("SUCCESS")), "transaction")));
  for (const std::int64_t late : {0, 400, 999, 1000, 3'600'000}) {
    const Time now = kNow + Duration{late};
    const auto verified = channel_->verify(notification(body, now), now);
    ASSERT_TRUE(verified) << verified.error().message;
    EXPECT_EQ(verified->evidence.asked_at, std::min(now, kNow + Duration{999})) << "times are truncated to seconds";
  }
  const auto early = channel_->verify(notification(body, kNow - Duration{1000}), kNow - Duration{1000});
  EXPECT_EQ(early->evidence.asked_at, kNow - Duration{1000}) << "never later than now, even if WeChat's clock is ahead";
}

TEST_F(WechatpayNotification, ARepetitionIsAcceptedAndAnotherMessageWithItsNonceIsNot) {
  const auto event = [](std::string_view state) {
    return json::serialize(envelope("TRANSACTION.SUCCESS", encrypted(json::serialize(transaction(state)), "t")));
  };
  const net::HttpRequest first = notification(event("SUCCESS"), kNow, {.nonce = "n-1"});
  ASSERT_EQ(channel_->verify(first, kNow)->evidence.kind, EvidenceKind::paid);
  const auto repeated = channel_->verify(first, kNow + std::chrono::seconds(200));
  ASSERT_TRUE(repeated) << repeated.error().message;
  EXPECT_EQ(repeated->evidence.kind, EvidenceKind::paid);
  EXPECT_EQ(repeated->evidence.asked_at, kNow + Duration{999});
  EXPECT_FALSE(channel_->verify(notification(event("NOTPAY"), kNow, {.nonce = "n-1"}), kNow));
  EXPECT_TRUE(channel_->verify(notification(event("NOTPAY"), kNow, {.nonce = "n-2"}), kNow));
}

// If an invalid notification used up the nonce, an attacker could cause the rejection of the genuine notification.
TEST_F(WechatpayNotification, AnInvalidNotificationDoesNotUseUpTheNonce) {
  const std::string body = json::serialize(
      envelope("TRANSACTION.SUCCESS", encrypted(json::serialize(transaction("SUCCESS")), "transaction")));
  EXPECT_FALSE(channel_->verify(notification("{}", kNow, {.key = &other_key(), .nonce = "n-1"}), kNow));
  EXPECT_TRUE(channel_->verify(notification(body, kNow, {.nonce = "n-1"}), kNow));
}

TEST_F(WechatpayNotification, ASignatureProbeIsRejectedAndTheRepetitionIsAccepted) {
  const std::string body = json::serialize(
      envelope("TRANSACTION.SUCCESS", encrypted(json::serialize(transaction("SUCCESS")), "transaction")));
  net::HttpRequest probe = notification(body, kNow);
  probe.headers = with(probe.headers, "Wechatpay-Signature", "WECHATPAY/SIGNTEST/AAAA");
  EXPECT_FALSE(channel_->verify(probe, kNow));
  EXPECT_TRUE(channel_->verify(notification(body, kNow), kNow));
}

TEST_F(WechatpayNotification, MissingFieldsAreRejected) {
  const json::object whole =
      envelope("TRANSACTION.SUCCESS", encrypted(json::serialize(transaction("SUCCESS")), "transaction"));
  ASSERT_TRUE(verify(whole));
  for (const char* name : {"id", "create_time", "event_type", "resource"}) {
    json::object broken = whole;
    broken.erase(name);
    EXPECT_FALSE(verify(broken)) << name;
    broken[name] = nullptr;
    EXPECT_FALSE(verify(broken)) << name;
    broken[name] = 1;
    EXPECT_FALSE(verify(broken)) << name;
  }
}

TEST_F(WechatpayNotification, OtherEventsAreRejected) {
  EXPECT_FALSE(verify("PAYSCORE.USER_OPEN_SERVICE", transaction("SUCCESS")));
  EXPECT_FALSE(verify("REFUND.SUCCESS", transaction("SUCCESS")));
  EXPECT_FALSE(verify("TRANSACTION.SUCCESS", refund("SUCCESS")));
  json::object foreign = refund("SUCCESS");
  foreign["mchid"] = "1900000002";
  EXPECT_FALSE(verify("REFUND.SUCCESS", foreign));
}

TEST_F(WechatpayNotification, SignedContentEncryptedWithAnotherKeyIsRejected) {
  const std::string plain = json::serialize(transaction("SUCCESS"));
  const Secret other("fedcba9876543210fedcba9876543210");
  EXPECT_FALSE(verify(envelope("TRANSACTION.SUCCESS", encrypted(plain, "transaction", other))));
  EXPECT_FALSE(verify(envelope("TRANSACTION.SUCCESS", transaction("SUCCESS"))));
  EXPECT_FALSE(verify(envelope("TRANSACTION.SUCCESS", encrypted("no JSON", "transaction"))));
  EXPECT_FALSE(verify(envelope("TRANSACTION.SUCCESS", encrypted("[]", "transaction"))));
  EXPECT_FALSE(verify(envelope("TRANSACTION.SUCCESS", encrypted("", "transaction"))));
}

}  // namespace
}  // namespace finality::wechatpay
