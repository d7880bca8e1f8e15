#include "channel/alipay/channel.h"

#include <atomic>
#include <thread>

#include "channel/alipay/testing/test_channel.h"
#include "channel/testing/statement_contract.h"

namespace finality::channel_contract {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Alipay, ChannelContract, PublicKeySubject);
INSTANTIATE_TYPED_TEST_SUITE_P(Alipay, StatementContract, PublicKeySubject);
INSTANTIATE_TYPED_TEST_SUITE_P(Alipay, AuthorizationContract, PublicKeySubject);
INSTANTIATE_TYPED_TEST_SUITE_P(AlipayByCertificates, ChannelContract, CertificateSubject);

TEST_F(AlipayChannelTest, ConfigHintsNameTheSettingsToCheck) {
  for (const auto& [code, setting] : {std::pair("bad_signature", "alipay_public_key_file"),
                                      {"unknown_certificate", "alipay_certificates_file"},
                                      {"unsigned", "private_key_file"},
                                      {"isv.invalid-app-id", "app_id"},
                                      {"http_404", "url"}})
    EXPECT_TRUE(channel_->config_hint(code).contains(setting)) << code;
  for (const char* code : {"", "10000", "timeout", "http_500", "ACQ.SYSTEM_ERROR", "ACQ.TRADE_NOT_EXIST"})
    EXPECT_EQ(channel_->config_hint(code), "") << code;
}

TEST_F(AlipayChannelTest, NewKeysApplyFromTheNextRequestOn) {
  const net::HttpResponse old = *PublicKeySubject::answer(query_, EvidenceKind::paid, kNow);
  AlipayKeys next{.own = another_key()};
  ASSERT_FALSE(channel_->use_keys(next)) << "no key to verify responses";
  EXPECT_EQ(read_response(*channel_, query_, old).kind, EvidenceKind::paid);
  next.alipay.emplace("", merchant_key().public_key());
  ASSERT_TRUE(channel_->use_keys(next));
  EXPECT_EQ(read_response(*channel_, query_, old).code, "bad_signature");
  const std::string url = channel_->request_of(query_, kNow).url;
  ASSERT_TRUE(channel_->use_keys(keys_for(Mode::public_key)));
  EXPECT_NE(channel_->request_of(query_, kNow).url, url);
  EXPECT_EQ(read_response(*channel_, query_, old).kind, EvidenceKind::paid);
}

TEST_F(AlipayChannelTest, KeysAreReplacedWhileOtherThreadsUseThem) {
  const net::HttpResponse answer = *PublicKeySubject::answer(query_, EvidenceKind::paid, kNow);
  std::atomic<bool> stop = false;
  std::atomic<int> accepted_count = 0;
  std::thread user([&] {
    while (!stop) accepted_count += read_response(*channel_, query_, answer).kind == EvidenceKind::paid ? 1 : 0;
  });
  for (int i = 0; i < 2000; ++i)
    ASSERT_TRUE(channel_->use_keys(keys_for(Mode::public_key, i % 2 == 0 ? another_key() : alipay_key())));
  while (accepted_count == 0) std::this_thread::yield();
  stop = true;
  user.join();
}

TEST(AlipayOptions, ErrorsNameTheInvalidOption) {
  const auto fails_with = [](auto change, std::string_view reason) {
    AlipayOptions options = options_for(Mode::public_key);
    change(options);
    const auto channel = make_alipay_channel(std::move(options));
    return !channel && channel.error().message.contains(reason);
  };
  EXPECT_TRUE(fails_with([](auto& options) { options.gateway = "gateway.example/gateway.do"; }, "url must"));
  EXPECT_TRUE(fails_with([](auto& options) { options.gateway += "?charset=utf-8"; }, "url must"));
  const auto use_plain_http = [](auto& options) { options.gateway = "http://gateway.example/gateway.do"; };
  EXPECT_FALSE(fails_with(use_plain_http, "url")) << "allowed for the sandbox";
  EXPECT_TRUE(fails_with([&](auto& options) { use_plain_http(options), options.is_sandbox = false; }, "https"));
  EXPECT_TRUE(fails_with([](auto& options) { options.public_url = ""; }, "public_url"));
  for (const char* broken : {"", "abc def", "2021-1", "111111111111111111111111111111111"}) {
    EXPECT_TRUE(fails_with([&](auto& options) { options.app_id = broken; }, "app_id must be 1 to 32 digits")) << broken;
    EXPECT_TRUE(fails_with([&](auto& options) { options.seller_id = broken; }, "seller_id must be 1 to 32 digits"))
        << broken;
  }
  EXPECT_TRUE(fails_with([](auto& options) { options.keys.alipay.clear(); }, "alipay_public_key_file"));
}

TEST(AlipayCapabilities, FollowFromTheMethods) {
  AlipayOptions options = options_for(Mode::public_key);
  options.is_sandbox = false;
  const auto channel = *make_alipay_channel(std::move(options));
  const Capabilities& can = channel->capabilities();
  EXPECT_EQ(can.methods, (std::vector<std::string>{"page", "wap", "app", "qr", "barcode"}));
  EXPECT_EQ(can.made_by_payer, (std::vector<std::string>{"page", "wap", "app", "qr"}));
  EXPECT_EQ(can.repeats_action, can.made_by_payer);
  EXPECT_EQ(can.uses_up_payer, std::vector<std::string>{"barcode"});
  EXPECT_EQ(can.payer_field.at("barcode"), "auth_code");
  EXPECT_FALSE(can.takes_scenario);
  EXPECT_TRUE((*make_alipay_channel(options_for(Mode::public_key)))->capabilities().takes_scenario);
}

TEST(AlipayCapabilities, AuthorizationsLastAsLongAsTheContractAllows) {
  AlipayOptions options = options_for(Mode::public_key);
  options.authorization_valid_days = 28;
  const AuthorizationTerms terms = *(*make_alipay_channel(std::move(options)))->capabilities().authorization;
  EXPECT_EQ(terms.methods, (std::vector<std::string>{"qr", "app", "barcode"}));
  EXPECT_EQ(terms.capture_within_max, std::chrono::days(28));
  EXPECT_TRUE(terms.is_partial && terms.is_multiple && terms.has_final_flag && terms.releases_part);
  EXPECT_EQ(terms.refund_by, RefundBy::capture);
  EXPECT_FALSE(terms.shares_trade_no);
}

TEST(AlipayCapabilities, CoverYuanUpToAHundredMillion) {
  const auto channel = *make_alipay_channel(options_for(Mode::public_key));
  EXPECT_EQ(channel->capabilities().currency, parse_currency("CNY"));
  EXPECT_EQ(channel->capabilities().amount_max, 10'000'000'000);
  EXPECT_EQ(channel->capabilities().refund_pause, std::chrono::seconds(3));
}

TEST(AlipayCapabilities, AcceptOnlyAuthCodesOfAlipay) {
  const auto channel = *make_alipay_channel(options_for(Mode::public_key));
  const auto rule_for = [&](std::string_view method, std::string_view code) {
    return channel->capabilities().payer_rule(method, code);
  };
  for (const char* code : {"2512345678901234", "287634438256643940", "299999999999999999999999", "3000000000000000"})
    EXPECT_EQ(rule_for("barcode", code), "") << code;
  for (const char* code :
       {"", "28", "251234567890123", "2412345678901234", "3112345678901234", "135112298638468293",
        "3000000000000000000000000", "28763443825664394a", " 287634438256643940", "-876344382566439"})
    EXPECT_EQ(rule_for("barcode", code), "must be a number of 16 to 24 digits that begins with 25 to 30") << code;
  EXPECT_EQ(rule_for("page", "28"), "") << "this method needs no auth_code";
}

TEST_F(AlipayChannelTest, AcknowledgesACommittedNotificationWithSuccess) {
  EXPECT_EQ(channel_->acknowledgement().status, 200);
  EXPECT_EQ(channel_->acknowledgement().body, "success");
  EXPECT_EQ(channel_->negative_acknowledgement(503).status, 503);
  EXPECT_EQ(channel_->negative_acknowledgement(503).body, "fail");
}

}  // namespace
}  // namespace finality::channel_contract
