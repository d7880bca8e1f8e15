#include "channel/text_limits.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"

namespace finality {
namespace {

namespace json = boost::json;
using Rule = Alphabet::Rule;
using enum TextUnit;
using enum Excess;

constexpr std::string_view kAlipay = "alipay";
constexpr std::string_view kWechatpay = "wechatpay";
constexpr std::string_view kSimple = "sandbox";

constexpr Alphabet kAny{Rule::all_except, ""};
constexpr Alphabet kWord{Rule::letters_digits_and, "_"};
constexpr Alphabet kDashedWord{Rule::letters_digits_and, "_-"};
constexpr Alphabet kNumber{Rule::letters_digits_and, "."};
constexpr Alphabet kTime{Rule::letters_digits_and, " -:+.TZ"};
constexpr Alphabet kUrl{Rule::letters_digits_and, "-._~:/?#[]@!$&'()*+,;=%"};
constexpr Alphabet kEncoded{Rule::letters_digits_and, "-._~%"};
constexpr Alphabet kBase64{Rule::letters_digits_and, "+/="};

// Proofs. "ASCII only": the alphabet makes bytes and characters the same. "No proof" of a unit: the document states a
// number without a unit, and the stricter reading holds.
constexpr std::string_view kWechatOrder = "pay.weixin.qq.com/doc/v3/merchant/4012525182 (orders). ASCII only";
constexpr std::string_view kWechatRefund = "pay.weixin.qq.com/doc/v3/merchant/4012556457 (refunds). ASCII only";
// WeChat Pay's refusals state what it counts: 字节数 (bytes) for the fields of orders.
constexpr std::string_view kWechatDescription =
    "refusals 字节数 144，大于最大值 127: developers.weixin.qq.com/community/pay/doc/000cee4e6d8df0a9bb0253bcf6ac00; "
    "a description of 69 characters, refused with the value 135, its bytes: JeffreySu/WeiXinMPSDK issue 3217";
constexpr std::string_view kWechatNumber =
    "refusals 字节数 36，大于最大值 32: developers.weixin.qq.com/community/pay/doc/0002a6fc3e4ec8bc8ffe796835bc00";
constexpr std::string_view kWechatAttach =
    "string(128): pay.weixin.qq.com/doc/v3/merchant/4012525182. A refusal quoted in public code counts bytes: "
    "输入源“/body/attach”映射到值字段“附加数据”字符串规则校验失败，字节数 203，大于最大值 128";
constexpr std::string_view kWechatReason =
    "string(80): pay.weixin.qq.com/doc/v3/merchant/4012556457. No proof of the unit: stricter reading, as the same "
    "gateway counts bytes of other texts";
constexpr std::string_view kWechatNotifyUrl =
    "string(255) of orders: pay.weixin.qq.com/doc/v3/merchant/4012525182, string(256) of refunds: 4012556457. ASCII "
    "only";
constexpr std::string_view kAddress = "an IPv6 address has at most 45 characters. ASCII only";
constexpr std::string_view kAlipayNumber =
    "String(64): Alipay's pages of alipay.trade.refund (docs.open.alipay.com/api_1/alipay.trade.refund) and "
    "alipay.trade.wap.pay. ASCII only";
constexpr std::string_view kAlipaySubject =
    "String(256), without / = &: Alipay's pages of alipay.trade.pay and its siblings. No proof of the unit: stricter "
    "reading. Documents of Alipay's older interface state 128 Chinese characters (该参数最长为128个汉字)";
constexpr std::string_view kAlipayReason =
    "String(256): docs.open.alipay.com/api_1/alipay.trade.refund. No proof of the unit: stricter reading";
constexpr std::string_view kAlipayTitle =
    "长度不超过100个字母或50个汉字: models of alipay.fund.auth.order.app.freeze and alipay.fund.auth.order.unfreeze in "
    "alipay/alipay-sdk-java-all. Without / = &: stricter reading, as for the subject";
constexpr std::string_view kAlipayCommon =
    "docs.antom.com/ac/solution_api/voucher-create (common parameters). ASCII only";
constexpr std::string_view kAlipayReturnUrl = "page of alipay.trade.wap.pay (common parameters): 256. ASCII only";
constexpr std::string_view kNoProof =
    "stricter reading, no proof: a value that the channel, Finality or the configuration makes. ASCII only";
constexpr std::string_view kSimpleProtocol = "sandbox/README.md, Limits of texts";

constexpr TextLimit kTextLimits[] = {
    {kWechatpay, "/appid", 32, bytes, kWord, refuse, kWechatOrder},
    {kWechatpay, "/mchid", 32, bytes, kWord, refuse, kWechatOrder},
    {kWechatpay, "/description", 127, bytes, kAny, cut, kWechatDescription},
    {kWechatpay, "/out_trade_no", 32, bytes, {Rule::letters_digits_and, "_-|*"}, refuse, kWechatNumber},
    {kWechatpay, "/time_expire", 64, bytes, kTime, refuse, kWechatOrder},
    {kWechatpay, "/notify_url", 255, bytes, kUrl, refuse, kWechatNotifyUrl},
    {kWechatpay, "/attach", 128, bytes, kAny, refuse, kWechatAttach},
    {kWechatpay, "/amount/currency", 16, bytes, kWord, refuse, kNoProof},
    {kWechatpay, "/payer/openid", 128, bytes, kDashedWord, refuse, kWechatOrder},
    {kWechatpay, "/scene_info/payer_client_ip", 45, bytes, {Rule::letters_digits_and, ".:"}, refuse, kAddress},
    {kWechatpay, "/scene_info/h5_info/type", 32, bytes, kWord, refuse, kNoProof},
    {kWechatpay, "/transaction_id", 32, bytes, kWord, refuse, kWechatRefund},
    {kWechatpay, "/out_refund_no", 64, bytes, {Rule::letters_digits_and, "_-|*@"}, refuse, kWechatRefund},
    {kWechatpay, "/reason", 80, bytes, kAny, cut, kWechatReason},
    {kWechatpay, "?mchid", 32, bytes, kWord, refuse, kWechatOrder},
    {kWechatpay, "?bill_date", 10, bytes, kDashedWord, refuse, kNoProof},
    {kWechatpay, "?bill_type", 32, bytes, kWord, refuse, kNoProof},
    {kWechatpay, "?account_type", 32, bytes, kWord, refuse, kNoProof},
    {kWechatpay, "?tar_type", 32, bytes, kWord, refuse, kNoProof},

    {kAlipay, "/out_trade_no", 64, bytes, kWord, refuse, kAlipayNumber},
    {kAlipay, "/trade_no", 64, bytes, kWord, refuse, kAlipayNumber},
    {kAlipay, "/total_amount", 12, bytes, kNumber, refuse, kNoProof},
    {kAlipay, "/subject", 256, bytes, {Rule::all_except, "/=&"}, cut, kAlipaySubject},
    {kAlipay, "/product_code", 64, bytes, kWord, refuse, kNoProof},
    {kAlipay, "/time_expire", 32, bytes, kTime, refuse, kNoProof},
    {kAlipay, "/scene", 32, bytes, kWord, refuse, kNoProof},
    {kAlipay, "/auth_code", 64, bytes, kWord, refuse, kNoProof},
    {kAlipay, "/quit_url", 400, bytes, kUrl, leave_out, kNoProof},
    {kAlipay, "/passback_params", 512, bytes, kEncoded, refuse, kNoProof},
    {kAlipay, "/out_request_no", 64, bytes, kWord, refuse, kAlipayNumber},
    {kAlipay, "/refund_amount", 12, bytes, kNumber, refuse, kNoProof},
    {kAlipay, "/refund_reason", 256, bytes, kAny, cut, kAlipayReason},
    {kAlipay, "/seller_id", 28, bytes, kWord, refuse, kNoProof},
    {kAlipay, "/buyer_id", 28, bytes, kWord, refuse, kNoProof},
    {kAlipay, "/buyer_open_id", 128, bytes, kDashedWord, refuse, kNoProof},
    {kAlipay, "/auth_no", 64, bytes, kWord, refuse, kNoProof},
    {kAlipay, "/auth_confirm_mode", 32, bytes, kWord, refuse, kNoProof},
    {kAlipay, "/out_order_no", 64, bytes, kWord, refuse, kNoProof},
    {kAlipay, "/order_title", 100, letters, {Rule::all_except, "/=&"}, cut, kAlipayTitle},
    {kAlipay, "/remark", 100, letters, {Rule::all_except, "/=&"}, cut, kAlipayTitle},
    {kAlipay, "/amount", 12, bytes, kNumber, refuse, kNoProof},
    {kAlipay, "/payee_user_id", 28, bytes, kWord, refuse, kNoProof},
    {kAlipay, "/timeout_express", 6, bytes, kWord, refuse, kNoProof},
    {kAlipay, "/auth_code_type", 32, bytes, kWord, refuse, kNoProof},
    {kAlipay, "/operation_type", 32, bytes, kWord, refuse, kNoProof},
    {kAlipay, "/extra_param", 300, bytes, kAny, refuse, kNoProof},
    {kAlipay, "/bill_type", 20, bytes, kWord, refuse, kNoProof},
    {kAlipay, "/bill_date", 15, bytes, kDashedWord, refuse, kNoProof},
    {kAlipay, "?app_id", 32, bytes, kWord, refuse, kAlipayCommon},
    {kAlipay, "?method", 128, bytes, {Rule::letters_digits_and, "."}, refuse, kAlipayCommon},
    {kAlipay, "?format", 40, bytes, kWord, refuse, kAlipayCommon},
    {kAlipay, "?charset", 10, bytes, kDashedWord, refuse, kAlipayCommon},
    {kAlipay, "?sign_type", 10, bytes, kWord, refuse, kAlipayCommon},
    {kAlipay, "?sign", 344, bytes, kBase64, refuse, kAlipayCommon},
    {kAlipay, "?timestamp", 19, bytes, kTime, refuse, kAlipayCommon},
    {kAlipay, "?version", 3, bytes, kNumber, refuse, kAlipayCommon},
    {kAlipay, "?notify_url", 256, bytes, kUrl, refuse, kAlipayCommon},
    {kAlipay, "?return_url", 256, bytes, kUrl, leave_out, kAlipayReturnUrl},
    {kAlipay, "?app_cert_sn", 32, bytes, kWord, refuse, kNoProof},
    {kAlipay, "?alipay_root_cert_sn", 1024, bytes, kWord, refuse, kNoProof},

    {kSimple, "/out_trade_no", 64, bytes, kDashedWord, refuse, kSimpleProtocol},
    {kSimple, "/out_order_no", 64, bytes, kDashedWord, refuse, kSimpleProtocol},
    {kSimple, "/out_request_no", 64, bytes, kDashedWord, refuse, kSimpleProtocol},
    {kSimple, "/out_refund_no", 64, bytes, kDashedWord, refuse, kSimpleProtocol},
    {kSimple, "/trade_no", 64, bytes, kDashedWord, refuse, kSimpleProtocol},
    {kSimple, "/currency", 3, bytes, kWord, refuse, kSimpleProtocol},
    {kSimple, "/subject", 256, characters, kAny, cut, kSimpleProtocol},
    {kSimple, "/expires_at", 64, bytes, kTime, refuse, kSimpleProtocol},
    {kSimple, "/notify_url", 2048, bytes, kUrl, refuse, kSimpleProtocol},
    {kSimple, "/return_url", 2048, bytes, kUrl, leave_out, kSimpleProtocol},
    {kSimple, "/scenario", 64, bytes, kWord, refuse, kSimpleProtocol},
    {kSimple, "?kind", 64, bytes, kWord, refuse, kSimpleProtocol},
    {kSimple, "?date", 10, bytes, kDashedWord, refuse, kSimpleProtocol},
};

bool is_letter_or_digit(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_allowed(const Alphabet& alphabet, char c) {
  const bool is_mark = alphabet.marks.contains(c);
  return alphabet.rule == Rule::all_except ? !is_mark : is_mark || is_letter_or_digit(c);
}

// Returns the number of bytes of the character that begins with `lead`, in well-formed UTF-8.
std::size_t bytes_of(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// Returns the size of a character of `count` bytes.
std::size_t size_of_character(TextUnit unit, std::size_t count) {
  if (unit == characters) return 1;
  return unit == letters && count == 3 ? 2 : count;
}

std::string_view first_units(const TextLimit& limit, std::string_view text) {
  std::size_t end = 0;
  for (std::size_t size = 0; end < text.size(); end += bytes_of(text[end])) {
    size += size_of_character(limit.unit, bytes_of(text[end]));
    if (size > limit.max) break;
  }
  return text.substr(0, end);
}

const TextLimit& limit_of(std::string_view kind, std::string_view field) {
  const TextLimit* limit = find_text_limit(kind, field);
  FINALITY_CHECK(limit != nullptr, "a text that an adapter sends has no row in text_limits.cpp");
  return *limit;
}

// Returns the text to send; empty if the field is left out.
std::optional<std::string> fitted(const TextLimit& limit, std::string_view text) {
  if (fits(limit, text) || limit.excess == refuse) return std::string(text);
  if (limit.excess == leave_out) return std::nullopt;
  std::string kept(first_units(limit, text));
  std::ranges::replace_if(kept, [&](char c) { return !is_allowed(limit.alphabet, c); }, '-');
  return kept;
}

// Fits the texts of the value at the JSON pointer `field`. Returns whether the value stays in the request.
bool fit_value(std::string_view kind, const std::string& field, json::value& value) {
  if (json::object* object = value.if_object()) {
    std::vector<std::string> left_out;
    for (auto& member : *object) {
      const std::string name(std::string_view(member.key()));
      if (!fit_value(kind, field + '/' + name, member.value())) left_out.push_back(name);
    }
    for (const std::string& name : left_out) object->erase(name);
  } else if (json::array* array = value.if_array()) {
    for (json::value& item : *array) fit_value(kind, field, item);
  } else if (json::string* text = value.if_string()) {
    const auto kept = fitted(limit_of(kind, field), std::string_view(*text));
    if (!kept) return false;
    text->assign(kept->data(), kept->size());
  }
  return true;
}

}  // namespace

std::span<const TextLimit> text_limits() { return kTextLimits; }

const TextLimit* find_text_limit(std::string_view kind, std::string_view field) {
  const auto* at = std::ranges::find_if(
      kTextLimits, [&](const TextLimit& limit) { return limit.field == field && limit.kind == kind; });
  return at == std::end(kTextLimits) ? nullptr : at;
}

std::size_t size_in(TextUnit unit, std::string_view text) {
  std::size_t size = 0;
  for (std::size_t at = 0; at < text.size(); at += bytes_of(text[at]))
    size += size_of_character(unit, bytes_of(text[at]));
  return size;
}

bool fits(const TextLimit& limit, std::string_view text) {
  return size_in(limit.unit, text) <= limit.max &&
         std::ranges::all_of(text, [&](char c) { return is_allowed(limit.alphabet, c); });
}

std::string rule_of(const TextLimit& limit) {
  const char* unit = limit.unit == bytes ? "bytes" : limit.unit == characters ? "characters" : "letters";
  const bool is_any = limit.alphabet.rule == Rule::all_except;
  std::string rule = fmt::format("must have at most {} {}", limit.max, unit);
  if (is_any && !limit.alphabet.marks.empty()) rule += fmt::format(", none of {}", limit.alphabet.marks);
  if (!is_any) rule += fmt::format(", letters, digits and {} only", limit.alphabet.marks);
  return rule;
}

void fit_texts(std::string_view kind, json::object& body) {
  json::value value(std::move(body));
  fit_value(kind, "", value);
  body = std::move(value.get_object());
}

void fit_texts(std::string_view kind, std::map<std::string, std::string, std::less<>>& parameters) {
  for (auto at = parameters.begin(); at != parameters.end();) {
    auto kept = fitted(limit_of(kind, '?' + at->first), at->second);
    if (kept) at->second = *std::move(kept);
    at = kept ? std::next(at) : parameters.erase(at);
  }
}

}  // namespace finality
