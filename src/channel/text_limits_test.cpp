#include "channel/text_limits.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/crypto/encoding.h"
#include "channel/alipay/testing/test_gateway.h"
#include "channel/kind.h"
#include "channel/registry.h"
#include "channel/sandbox/channel.h"
#include "channel/testing/sent_texts.h"
#include "channel/wechatpay/testing/test_wechatpay.h"

namespace finality {
namespace {

namespace json = boost::json;
using channel_contract::all_sent_texts;
using channel_contract::kCharacters;
using channel_contract::repeated;
using channel_contract::SentTexts;

// A channel of each kind.
std::map<std::string, std::vector<std::unique_ptr<Channel>>> all_channels() {
  std::map<std::string, std::vector<std::unique_ptr<Channel>>> channels;
  for (const alipay_test::Mode mode : {alipay_test::Mode::public_key, alipay_test::Mode::certificates})
    channels["alipay"].push_back(make_alipay_channel(alipay_test::options_for(mode)).value());
  channels["wechatpay"].push_back(make_wechatpay_channel(wechatpay_test::options()).value());
  channels["sandbox"].push_back(
      make_sandbox_channel({"sandbox", "http://127.0.0.1:8090", Secret("it"), "https://pay.example"}));
  return channels;
}

TEST(TextLimits, EveryKindOfChannelIsWalked) {
  const auto channels = all_channels();
  for (const ChannelKind* kind : channel_kinds()) EXPECT_TRUE(channels.contains(std::string(kind->name))) << kind->name;
}

TEST(TextLimits, EveryTextThatAnAdapterSendsHasARowAndFits) {
  for (const auto& [kind, channels] : all_channels())
    for (const auto& channel : channels)
      for (const char* character : kCharacters)
        for (const SentTexts& request : all_sent_texts(*channel, repeated(character, 300)))
          for (const auto& [field, text] : request) {
            const TextLimit* limit = find_text_limit(kind, field);
            ASSERT_NE(limit, nullptr) << kind << " sends " << field << " without a row in text_limits.cpp";
            EXPECT_TRUE(fits(*limit, text)) << kind << " " << field << " " << rule_of(*limit) << ": " << text;
            EXPECT_TRUE(is_utf8(text)) << kind << " " << field;
          }
}

TEST(TextLimits, EveryRowIsUnprovenOrProvenAndIsSent) {
  std::set<std::string> sent;
  for (const auto& [kind, channels] : all_channels())
    for (const auto& channel : channels)
      for (const SentTexts& request : all_sent_texts(*channel, "Tea"))
        for (const auto& [field, text] : request) sent.insert(kind + field);
  std::set<std::string> rows;
  for (const TextLimit& limit : text_limits()) {
    const std::string row = std::string(limit.kind) + std::string(limit.field);
    EXPECT_TRUE(rows.insert(row).second) << row << " has two rows";
    EXPECT_TRUE(sent.contains(row)) << row << " is sent by no request";
    EXPECT_GT(limit.max, 0U) << row;
    EXPECT_FALSE(limit.proof.empty()) << row;
  }
}

TEST(TextLimits, ACutTextIsTheLongestBeginningThatFits) {
  for (const TextLimit& limit : text_limits()) {
    if (limit.excess != Excess::cut) continue;
    for (const char* character : kCharacters) {
      const std::string whole = repeated(character, 300);
      json::object body{{std::string_view(limit.field).substr(1), whole}};
      fit_texts(limit.kind, body);
      const std::string cut(std::string_view(body.begin()->value().get_string()));
      EXPECT_TRUE(whole.starts_with(cut)) << limit.field;
      EXPECT_TRUE(fits(limit, cut)) << limit.field << " " << cut;
      EXPECT_FALSE(fits(limit, cut + character)) << limit.field << " is cut too short: " << cut;
    }
  }
}

TEST(TextLimits, UnitsCountBytesCharactersAndLetters) {
  EXPECT_EQ(size_in(TextUnit::bytes, "aé茶🎁"), 10U);
  EXPECT_EQ(size_in(TextUnit::characters, "aé茶🎁"), 4U);
  EXPECT_EQ(size_in(TextUnit::letters, "aé茶🎁"), 9U);
}

TEST(TextLimits, AForbiddenCharacterOfATextIsReplaced) {
  json::object body{{"subject", "a/b=c&d"}, {"order_title", "1/2"}, {"refund_reason", "a/b"}};
  fit_texts("alipay", body);
  EXPECT_EQ(body, (json::object{{"subject", "a-b-c-d"}, {"order_title", "1-2"}, {"refund_reason", "a/b"}}));
}

TEST(TextLimits, AnOptionalUrlThatDoesNotFitIsLeftOutAndAnIdentifierIsUnchanged) {
  json::object body{{"out_trade_no", std::string(65, 'n')},
                    {"quit_url", "https://shop.example/" + std::string(400, 'q')}};
  fit_texts("alipay", body);
  EXPECT_EQ(body, (json::object{{"out_trade_no", std::string(65, 'n')}}));
  std::map<std::string, std::string, std::less<>> parameters{
      {"app_id", "1"}, {"return_url", "https://shop.example/" + std::string(256, 'r')}};
  fit_texts("alipay", parameters);
  EXPECT_EQ(parameters.size(), 1U);
  EXPECT_EQ(parameters["app_id"], "1");
}

TEST(TextLimitsDeathTest, ATextWithoutARowCannotBeSent) {
  json::object body{{"nickname", "Tea"}};
  EXPECT_DEATH(fit_texts("wechatpay", body), "no row in text_limits.cpp");
}

}  // namespace
}  // namespace finality
