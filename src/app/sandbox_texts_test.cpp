// The adapters' table of texts (channel/text_limits.h) and the sandbox's (sandbox/texts/text_limits.h) are two
// statements of the channels' documents. The tests compare them field by field, and send texts of all lengths through
// the request builders of the adapters and the validation of the sandbox.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "channel/alipay/testing/test_gateway.h"
#include "channel/sandbox/channel.h"
#include "channel/testing/sent_texts.h"
#include "channel/text_limits.h"
#include "channel/wechatpay/testing/test_wechatpay.h"
#include "sandbox/alipay/fields.h"
#include "sandbox/core/fields.h"
#include "sandbox/texts/text_limits.h"
#include "sandbox/wechatpay/order.h"

namespace finality::app {
namespace {

namespace json = boost::json;
using channel_contract::kCharacters;
using channel_contract::kNow;
using channel_contract::repeated;
using channel_contract::SentTexts;

// Returns the longest text of the character that has at most `size` units, filled with ASCII up to `size`.
std::string text_of_size(TextUnit unit, const char* character, std::size_t size) {
  std::string text = repeated(character, size / size_in(unit, character));
  return text + std::string(size - size_in(unit, text), '1');
}

// Returns the sandbox's rows for a kind of channel; empty if the sandbox has no gateway of this kind.
std::span<const sandbox::TextLimit> sandbox_rows(std::string_view kind) {
  if (kind == "wechatpay") return sandbox::wechatpay_texts();
  if (kind == "alipay") return sandbox::alipay_texts();
  return kind == "sandbox" ? sandbox::simple_texts() : std::span<const sandbox::TextLimit>();
}

// Returns the sandbox's row of an adapter's field; null if the sandbox does not read the field.
const sandbox::TextLimit* sandbox_row(std::string_view kind, std::string_view field) {
  const auto rows = sandbox_rows(kind);
  const std::string_view name = kind == "wechatpay" ? field : field.substr(1);
  const auto at = std::ranges::find(rows, name, &sandbox::TextLimit::field);
  return at == rows.end() ? nullptr : &*at;
}

// Parameters that the sandbox checks otherwise: by the signature, the account, or a list of values.
bool is_checked_otherwise(const TextLimit& limit) {
  return limit.field.starts_with('?') && limit.field != "?notify_url" && limit.field != "?return_url";
}

std::unique_ptr<Channel> wechatpay_channel() {
  WechatpayOptions options = wechatpay_test::options();
  options.appid = sandbox::kWechatpayMerchants[0].appid;
  options.mchid = sandbox::kWechatpayMerchants[0].mchid;
  return make_wechatpay_channel(options).value();
}
std::unique_ptr<Channel> alipay_channel() {
  return make_alipay_channel(alipay_test::options_for(alipay_test::Mode::public_key)).value();
}
std::unique_ptr<Channel> simple_channel() {
  return make_sandbox_channel({"sandbox", "http://127.0.0.1:8090", Secret("it"), "https://pay.example"});
}

TEST(SandboxTexts, BothTablesHaveTheSameLimits) {
  for (const TextLimit& limit : text_limits()) {
    if (sandbox_rows(limit.kind).empty() || is_checked_otherwise(limit)) continue;
    const sandbox::TextLimit* row = sandbox_row(limit.kind, limit.field);
    ASSERT_NE(row, nullptr) << limit.kind << " " << limit.field << " has no row in sandbox/texts/text_limits.cpp";
    const bool is_free = limit.alphabet.rule == Alphabet::Rule::all_except;
    for (const char* character : kCharacters) {
      if (!is_free && std::string_view(character).size() > 1) continue;
      const std::string longest = text_of_size(limit.unit, character, limit.max);
      EXPECT_TRUE(has_good_size(*row, longest)) << limit.kind << " " << limit.field << " " << rule_of(limit);
      EXPECT_FALSE(has_good_size(*row, longest + '1')) << limit.kind << " " << limit.field << " " << rule_of(limit);
      EXPECT_FALSE(has_good_size(*row, longest + character)) << limit.kind << " " << limit.field;
    }
  }
}

TEST(SandboxTexts, EveryTextThatAnAdapterSendsIsAccepted) {
  for (const auto& channel : {wechatpay_channel(), alipay_channel(), simple_channel()})
    for (const char* character : kCharacters)
      for (std::size_t count = 1; count <= 256; count += count < 20 || count > 40 ? 17 : 1)
        for (const SentTexts& request : channel_contract::all_sent_texts(*channel, "/=&" + repeated(character, count)))
          for (const auto& [field, text] : request)
            if (const auto* row = sandbox_row(channel->name(), field); row != nullptr)
              EXPECT_TRUE(is_accepted(*row, text)) << channel->name() << " " << field << ": " << text;
}

std::string long_text(const char* character) { return repeated(character, 256); }

// Appends the text to a text of a JSON object and returns the object.
json::object with_more(json::object body, std::string_view field, std::string_view more) {
  body[field] = std::string(std::string_view(body.at(field).as_string())) + std::string(more);
  return body;
}

TEST(SandboxTexts, WechatPayAcceptsACutTextAndRefusesOneMoreCharacter) {
  const auto channel = wechatpay_channel();
  for (const char* character : kCharacters) {
    ChannelCall send = channel_contract::call_of(ChannelCallKind::send_payment, *channel, "native");
    send.order.subject = long_text(character);
    const json::object order = json::parse(channel->request_of(send, kNow).http.body).as_object();
    const auto read = [](const json::object& body) {
      return sandbox::read_order(sandbox::kWechatpayMerchants[0], "native", json::serialize(body), "", kNow);
    };
    EXPECT_TRUE(read(order)) << json::serialize(order);
    const auto refused = read(with_more(order, "description", character));
    ASSERT_FALSE(refused) << character;
    EXPECT_EQ(refused.error().status, 400);
    EXPECT_TRUE(refused.error().body.contains("/body/description")) << refused.error().body;
    EXPECT_TRUE(refused.error().body.contains("大于最大值 127")) << refused.error().body;

    RefundCall refund = channel_contract::refund_call_of(RefundCallKind::send_refund, *channel);
    refund.reason = long_text(character);
    const json::object sent = json::parse(channel->refunds()->request_of(refund, kNow).http.body).as_object();
    EXPECT_TRUE(sandbox::read_refund_order(json::serialize(sent)));
    EXPECT_FALSE(sandbox::read_refund_order(json::serialize(with_more(sent, "reason", character))));
  }
}

// Reads all texts of a body with the reader of a gateway. Returns whether it accepts them.
template <class Reader>
bool accepts(const json::object& body) {
  Reader fields(json::serialize(body));
  for (const auto& member : body)
    if (member.value().is_string()) fields.optional_text(std::string_view(member.key()));
  if constexpr (requires { fields.amount("amount"); })
    if (body.contains("amount") && body.at("amount").is_number()) fields.amount("amount");
  return !fields.refusal();
}

TEST(SandboxTexts, AlipayAcceptsACutTextAndRefusesOneMoreCharacter) {
  const auto channel = alipay_channel();
  std::size_t checked = 0;
  for (const char* character : kCharacters)
    for (const SentTexts& request : channel_contract::all_sent_texts(*channel, long_text(character))) {
      json::object biz;
      for (const auto& [field, text] : request)
        if (field.starts_with('/')) biz[field.substr(1)] = text;
      EXPECT_TRUE(accepts<sandbox::alipay::BizFields>(biz)) << json::serialize(biz);
      for (const char* field : {"subject", "order_title", "remark", "refund_reason"}) {
        if (!biz.contains(field)) continue;
        ++checked;
        EXPECT_FALSE(accepts<sandbox::alipay::BizFields>(with_more(biz, field, character))) << field << character;
      }
    }
  EXPECT_GT(checked, 4 * 10U);
}

TEST(SandboxTexts, TheSimpleChannelAcceptsTheLongestSubjectAndRefusesOneMoreCharacter) {
  const auto channel = simple_channel();
  for (const char* character : kCharacters) {
    ChannelCall send = channel_contract::call_of(ChannelCallKind::send_payment, *channel);
    send.order.subject = long_text(character);
    const json::object order = json::parse(channel->request_of(send, kNow).http.body).as_object();
    EXPECT_TRUE(accepts<sandbox::Fields>(order)) << json::serialize(order);
    EXPECT_FALSE(accepts<sandbox::Fields>(with_more(order, "subject", character)));
  }
}

}  // namespace
}  // namespace finality::app
