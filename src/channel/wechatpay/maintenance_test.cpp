// Tests that fetch and replace WeChat's certificates while other threads verify signatures, and that replace the
// merchant's keys while other threads sign.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "channel/testing/channel_contract.h"
#include "channel/wechatpay/testing/test_wechatpay.h"

namespace finality::wechatpay {
namespace {

using namespace wechatpay_test;
using channel_contract::call_of;
using channel_contract::kNow;
using channel_contract::read_response;

constexpr const char* kFirst = "5F1C72E2A8931B72A2E13AF8DEE92471EB397115";
constexpr const char* kSecond = "1DDE55AD98ED71D6EDD4A4A16996DE7B47773A8C";
constexpr Duration kDay = std::chrono::hours(24);

std::string first_pem() { return certificate_pem(platform_key(), kFirst, kNow - kDay, kNow + kDay * 30); }
std::string second_pem() { return certificate_pem(other_key(), kSecond, kNow - kDay, kNow + kDay * 60); }

SignedBy by_first() { return {.serial = kFirst, .key = &platform_key()}; }
SignedBy by_second() { return {.serial = kSecond, .key = &other_key()}; }

WechatpayOptions fetching() {
  WechatpayOptions made = options();
  made.keys.public_keys.clear();
  made.fetches_certificates = true;
  return made;
}

UpstreamResponse listing(const std::vector<std::string>& pems, const SignedBy& by, Time at = kNow,
                         const Secret& key = kApiV3Key) {
  return {signed_answer(200, certificate_list(pems, key), at, by), ""};
}

class WechatpayMaintenance : public testing::Test {
 protected:
  bool accepts(const SignedBy& by, Time at = kNow) const {
    const json::object body{{"code_url", "weixin://wxpay/bizpayurl?pr=1"}};
    const UpstreamResponse response{signed_answer(200, body, at, by), ""};
    return channel_->evidence_of(send_, response, at).kind == EvidenceKind::waiting;
  }

  std::unique_ptr<WechatpayChannel> channel_ = *make_wechatpay_channel(fetching());
  ChannelCall send_ = call_of(ChannelCallKind::send_payment, *channel_);
};

TEST_F(WechatpayMaintenance, TheFirstCertificateIsTrustedBecauseOnlyWechatCouldEncryptIt) {
  EXPECT_FALSE(accepts(by_first()));
  const auto request = channel_->maintenance_request(kNow);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->url, "https://api.mch.weixin.qq.com/v3/certificates");
  EXPECT_EQ(request->http.method, "GET");
  EXPECT_TRUE(request->http.headers.get("Authorization").starts_with("WECHATPAY2-SHA256-RSA2048 "));
  const auto taken = channel_->take_maintenance_reply(listing({first_pem()}, by_first()), kNow);
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_TRUE(accepts(by_first()));
}

TEST_F(WechatpayMaintenance, IsDueOnceThenAfterAFailureAndThenTwiceADay) {
  EXPECT_TRUE(channel_->maintenance_request(kNow));
  EXPECT_FALSE(channel_->maintenance_request(kNow));
  EXPECT_FALSE(channel_->take_maintenance_reply({.http = {}, .failure = "timeout"}, kNow));
  EXPECT_FALSE(channel_->maintenance_request(kNow + std::chrono::seconds(59)));
  EXPECT_TRUE(channel_->maintenance_request(kNow + std::chrono::seconds(60)));
  EXPECT_TRUE(channel_->take_maintenance_reply(listing({first_pem()}, by_first()), kNow));
  EXPECT_FALSE(channel_->maintenance_request(kNow + std::chrono::hours(12) - Duration{1}));
  EXPECT_TRUE(channel_->maintenance_request(kNow + std::chrono::hours(12)));
}

TEST_F(WechatpayMaintenance, ARefusalIsReportedWithItsCodeAndTheSettingsToCheck) {
  const auto taken = channel_->take_maintenance_reply({refusal(401, "SIGN_ERROR", "bad\nsign"), ""}, kNow);
  ASSERT_FALSE(taken);
  for (const char* part : {"401", "SIGN_ERROR", "bad sign", "mchid", "certificate_file"})
    EXPECT_TRUE(taken.error().message.contains(part)) << taken.error().message;
}

TEST_F(WechatpayMaintenance, OnlyOneOfSeveralThreadsGetsTheDueRequest) {
  std::atomic<int> requests{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int k = 0; k < 50; ++k)
          if (channel_->maintenance_request(kNow)) ++requests;
      });
  }
  EXPECT_EQ(requests, 1);
}

TEST_F(WechatpayMaintenance, MerchantsWithPublicKeysOnlyFetchNothing) {
  EXPECT_FALSE((*make_wechatpay_channel(options()))->maintenance_request(kNow));
}

TEST_F(WechatpayMaintenance, AnInvalidReplyChangesNothing) {
  ASSERT_TRUE(channel_->take_maintenance_reply(listing({first_pem()}, by_first()), kNow));
  const std::string expired = certificate_pem(other_key(), kSecond, kNow - kDay * 2, kNow - kDay);
  json::object broken = certificate_list({second_pem()});
  broken["data"].as_array()[0].as_object().erase("encrypt_certificate");
  json::object wrong_data = certificate_list({second_pem()});
  wrong_data["data"].as_array()[0].as_object()["encrypt_certificate"].as_object()["associated_data"] = "Certificate";
  json::object other_purpose = certificate_list({second_pem()});
  other_purpose["data"].as_array()[0].as_object()["encrypt_certificate"] = encrypted(second_pem(), "transaction");
  const UpstreamResponse responses[] = {
      {.http = {}, .failure = "timeout"},
      {refusal(404, "RESOURCE_NOT_EXISTS"), ""},
      {signed_answer(500, certificate_list({second_pem()}), kNow, by_second()), ""},
      {net::HttpResponse{.body = json::serialize(certificate_list({second_pem()}))}, ""},
      listing({second_pem()}, by_second(), kNow - std::chrono::seconds(301)),
      listing({second_pem()}, by_second(), kNow, Secret("fedcba9876543210fedcba9876543210")),
      listing({second_pem()}, {.serial = kSecond, .key = &merchant_key()}),
      listing({second_pem()}, {.serial = "ABCD", .key = &other_key()}),
      listing({expired}, by_second()),
      listing({}, by_first()),
      listing({second_pem(), "no certificate"}, by_first()),
      {signed_answer(200, broken, kNow, by_first()), ""},
      {signed_answer(200, wrong_data, kNow, by_first()), ""},
      {signed_answer(200, other_purpose, kNow, by_first()), ""},
      {signed_answer(200, "[]", kNow, by_first()), ""},
      {signed_answer(200, R"({"data":{}})", kNow, by_first()), ""},
      {signed_answer(200, R"({"data":[1]})", kNow, by_first()), ""},
  };
  for (std::size_t i = 0; i < std::size(responses); ++i) {
    const auto taken = channel_->take_maintenance_reply(responses[i], kNow);
    ASSERT_FALSE(taken) << i;
    EXPECT_FALSE(taken.error().message.empty());
    EXPECT_TRUE(accepts(by_first())) << i;
    EXPECT_FALSE(accepts(by_second())) << i;
  }
}

TEST_F(WechatpayMaintenance, SeveralAreTrustedAndFoundBySerialInEitherCase) {
  ASSERT_TRUE(channel_->take_maintenance_reply(listing({first_pem(), second_pem()}, by_second()), kNow));
  EXPECT_TRUE(accepts(by_first()));
  EXPECT_TRUE(accepts(by_second()));
  EXPECT_TRUE(accepts({.serial = "1dde55ad98ed71d6edd4a4a16996de7b47773a8c", .key = &other_key()}));
  EXPECT_FALSE(accepts({.serial = kFirst, .key = &other_key()}));
}

TEST_F(WechatpayMaintenance, ACertificateThatWechatNoLongerListsIsNotTrusted) {
  ASSERT_TRUE(channel_->take_maintenance_reply(listing({first_pem(), second_pem()}, by_first()), kNow));
  ASSERT_TRUE(channel_->take_maintenance_reply(listing({second_pem()}, by_first()), kNow));
  EXPECT_FALSE(accepts(by_first()));
  EXPECT_TRUE(accepts(by_second()));
}

TEST_F(WechatpayMaintenance, ACertificateIsTrustedUntilItExpires) {
  ASSERT_TRUE(channel_->take_maintenance_reply(listing({first_pem()}, by_first()), kNow));
  EXPECT_TRUE(accepts(by_first(), kNow + kDay * 30));
  EXPECT_FALSE(accepts(by_first(), kNow + kDay * 30 + std::chrono::seconds(1)));
}

TEST_F(WechatpayMaintenance, ConfiguredKeysStayTrustedBesideFetchedOnes) {
  WechatpayOptions both = fetching();
  both.keys = keys();
  channel_ = *make_wechatpay_channel(both);
  ASSERT_TRUE(channel_->take_maintenance_reply(listing({second_pem()}, by_second()), kNow));
  EXPECT_TRUE(accepts({}));
  EXPECT_TRUE(accepts(by_second()));
}

TEST_F(WechatpayMaintenance, UseKeysKeepsFetchedCertificatesAndFetchesAgain) {
  ASSERT_TRUE(channel_->take_maintenance_reply(listing({first_pem()}, by_first()), kNow));
  EXPECT_FALSE(channel_->maintenance_request(kNow));
  WechatpayKeys next = keys();
  next.public_keys.clear();
  next.api_v3_key = Secret("fedcba9876543210fedcba9876543210");
  ASSERT_TRUE(channel_->use_keys(next));
  EXPECT_TRUE(accepts(by_first()));
  EXPECT_TRUE(channel_->maintenance_request(kNow));
  EXPECT_FALSE(channel_->take_maintenance_reply(listing({second_pem()}, by_second()), kNow))
      << "encrypted with the old key";
  EXPECT_TRUE(channel_->take_maintenance_reply(listing({second_pem()}, by_second(), kNow, next.api_v3_key), kNow));
  EXPECT_TRUE(accepts(by_second()));
}

TEST(WechatpayUseKeys, ARemovedPublicKeyIsNotTrusted) {
  const auto channel = *make_wechatpay_channel(options());
  const ChannelCall query = call_of(ChannelCallKind::close_payment, *channel);
  const net::HttpResponse closed = signed_answer(204, "", kNow);
  EXPECT_EQ(read_response(*channel, query, closed).kind, EvidenceKind::closed);
  WechatpayKeys next = keys();
  next.public_keys = {{"PUB_KEY_ID_2", other_key().public_key()}};
  ASSERT_TRUE(channel->use_keys(next));
  EXPECT_EQ(read_response(*channel, query, closed).kind, EvidenceKind::unknown);
  EXPECT_EQ(read_response(*channel, query, signed_answer(204, "", kNow, {"PUB_KEY_ID_2", &other_key()})).kind,
            EvidenceKind::closed);
  EXPECT_EQ(channel->request_of(query, kNow).http.headers.get("Wechatpay-Serial"), "PUB_KEY_ID_2");
}

TEST(WechatpayUseKeys, InvalidKeysChangeNothing) {
  const auto channel = *make_wechatpay_channel(options());
  WechatpayKeys bad = keys();
  bad.api_v3_key = Secret("0123456789abcdef");
  EXPECT_FALSE(channel->use_keys(bad));
  bad = keys();
  bad.public_keys.clear();
  EXPECT_FALSE(channel->use_keys(bad));
  const ChannelCall close = call_of(ChannelCallKind::close_payment, *channel);
  EXPECT_EQ(read_response(*channel, close, signed_answer(204, "", kNow)).kind, EvidenceKind::closed);
}

// Every response is signed with a key that is trusted before, during and after each replacement, so every verification
// must succeed.
TEST_F(WechatpayMaintenance, KeysAndCertificatesAreReplacedWhileOtherThreadsVerify) {
  ASSERT_TRUE(channel_->take_maintenance_reply(listing({first_pem()}, by_first()), kNow));
  const UpstreamResponse one = listing({first_pem()}, by_first());
  const UpstreamResponse both = listing({first_pem(), second_pem()}, by_first());
  const UpstreamResponse answer{
      signed_answer(200, json::object{{"code_url", "weixin://wxpay/bizpayurl?pr=1"}}, kNow, by_first()), ""};
  WechatpayKeys next = keys();
  next.public_keys.clear();
  std::atomic<bool> over{false};
  std::atomic<int> doubted{0};
  std::atomic<int> verified{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&] {
        while (!over || verified < 100) {
          if (channel_->evidence_of(send_, answer, kNow).kind != EvidenceKind::waiting) ++doubted;
          ++verified;
        }
      });
    for (int round = 0; round < 50; ++round) {
      EXPECT_TRUE(channel_->take_maintenance_reply(round % 2 == 0 ? both : one, kNow));
      EXPECT_TRUE(channel_->use_keys(next));
    }
    over = true;
  }
  EXPECT_EQ(doubted, 0);
}

}  // namespace
}  // namespace finality::wechatpay
