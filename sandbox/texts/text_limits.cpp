#include "sandbox/texts/text_limits.h"

#include <algorithm>

#include "base/check.h"
#include "base/crypto/encoding.h"

namespace finality::sandbox {
namespace {

using enum CountedUnit;

// WeChat Pay: pay.weixin.qq.com/doc/v3/merchant/4012525182 (orders), 4012556457 (refunds). The pages state numbers, the
// refusals the unit: 字节数 (bytes) for 商品描述, 商户订单号 and 附加数据. For 退款原因 no refusal is known; bytes are
// the stricter reading.
constexpr TextLimit kWechatpay[] = {
    {"/appid", "公众账号ID", 1, 32, bytes},
    {"/mchid", "商户号", 1, 32, bytes},
    {"/description", "商品描述", 1, 127, bytes},
    {"/out_trade_no", "商户订单号", 6, 32, bytes, R"(0-9a-zA-Z_\-|*)"},
    {"/time_expire", "交易结束时间", 1, 64, bytes},
    {"/notify_url", "通知地址", 1, 255, bytes},
    {"/attach", "附加数据", 0, 128, bytes},
    {"/goods_tag", "订单优惠标记", 0, 32, bytes},
    {"/amount/currency", "货币类型", 1, 16, bytes, "A-Z"},
    {"/payer/openid", "用户标识", 1, 128, bytes, R"(0-9a-zA-Z_\-)"},
    {"/scene_info/payer_client_ip", "用户终端IP", 3, 45, bytes, "0-9a-zA-Z.:"},
    {"/scene_info/h5_info/type", "场景类型", 1, 32, bytes},
    {"/transaction_id", "微信支付订单号", 1, 32, bytes, "0-9a-zA-Z"},
    {"/out_refund_no", "商户退款单号", 1, 64, bytes, R"(0-9a-zA-Z_\-|*@)"},
    {"/reason", "退款原因", 0, 80, bytes},
};

// Alipay: opendocs.alipay.com, the pages of the methods. They state numbers without a unit, so bytes are counted,
// except for order_title and remark: 长度不超过100个字母或50个汉字. The largest amount, 100000000.00, has 12
// characters.
constexpr TextLimit kAlipay[] = {
    {"out_trade_no", "", 1, 64, bytes, "0-9A-Za-z_"},
    {"trade_no", "", 1, 64, bytes},
    {"total_amount", "", 1, 12, bytes},
    {"subject", "", 1, 256, bytes, "^/=&"},
    {"body", "", 1, 128, letters},
    {"passback_params", "", 1, 512, bytes},
    {"product_code", "", 1, 64, bytes},
    {"timeout_express", "", 1, 6, bytes},
    {"time_expire", "", 1, 32, bytes},
    {"seller_id", "", 1, 28, bytes},
    {"quit_url", "", 1, 400, bytes},
    {"notify_url", "", 1, 256, bytes},
    {"return_url", "", 1, 256, bytes},
    {"scene", "", 1, 32, bytes},
    {"auth_code", "", 1, 64, bytes},
    {"refund_amount", "", 1, 12, bytes},
    {"out_request_no", "", 1, 64, bytes},
    {"refund_reason", "", 1, 256, bytes},
    {"bill_type", "", 1, 20, bytes},
    {"bill_date", "", 1, 15, bytes},
    {"auth_no", "", 1, 64, bytes},
    {"out_order_no", "", 1, 64, bytes, "0-9A-Za-z_"},
    {"order_title", "", 1, 100, letters, "^/=&"},
    {"amount", "", 1, 12, bytes},
    {"extra_param", "", 1, 300, bytes},
    {"pay_timeout", "", 1, 6, bytes},
    {"payee_user_id", "", 1, 28, bytes},
    {"auth_code_type", "", 1, 32, bytes},
    {"buyer_id", "", 1, 28, bytes},
    {"buyer_open_id", "", 1, 128, bytes},
    {"auth_confirm_mode", "", 1, 32, bytes},
    {"operation_id", "", 1, 64, bytes},
    {"operation_type", "", 1, 32, bytes},
    {"remark", "", 1, 100, letters},
};

// The simple channel: sandbox/README.md.
constexpr TextLimit kSimple[] = {
    {"out_trade_no", "", 1, 64, bytes, R"(0-9A-Za-z_\-)"},
    {"out_order_no", "", 1, 64, bytes, R"(0-9A-Za-z_\-)"},
    {"out_request_no", "", 1, 64, bytes, R"(0-9A-Za-z_\-)"},
    {"out_refund_no", "", 1, 64, bytes, R"(0-9A-Za-z_\-)"},
    {"trade_no", "", 1, 64, bytes},
    {"currency", "", 3, 3, bytes, "A-Z"},
    {"subject", "", 1, 256, characters},
    {"expires_at", "", 1, 64, bytes},
    {"notify_url", "", 1, 2048, bytes},
    {"return_url", "", 1, 2048, bytes},
    {"scenario", "", 1, 64, bytes},
};

// Returns whether the set, without a leading `^`, contains the character.
bool lists(std::string_view set, char c) {
  for (std::size_t at = 0; at < set.size(); ++at) {
    if (set[at] == '\\') {
      if (set[++at] == c) return true;
    } else if (at + 2 < set.size() && set[at + 1] == '-') {
      if (set[at] <= c && c <= set[at + 2]) return true;
      at += 2;
    } else if (set[at] == c) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::span<const TextLimit> wechatpay_texts() { return kWechatpay; }
std::span<const TextLimit> alipay_texts() { return kAlipay; }
std::span<const TextLimit> simple_texts() { return kSimple; }

const TextLimit& text_limit(std::span<const TextLimit> rows, std::string_view field) {
  const auto at = std::ranges::find(rows, field, &TextLimit::field);
  FINALITY_CHECK(at != rows.end(), "a gateway reads a text without a row in text_limits.cpp");
  return *at;
}

std::size_t count_in(CountedUnit unit, std::string_view text) {
  if (unit == bytes) return text.size();
  if (unit == characters) return utf8_length(text);
  std::size_t count = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80)
      count += 1;
    else if (byte >= 0xF0)
      count += 4;
    else if (byte >= 0xC0)
      count += 2;
  }
  return count;
}

bool has_good_size(const TextLimit& limit, std::string_view text) {
  if (!is_utf8(text)) return false;
  const std::size_t size = count_in(limit.unit, text);
  return size >= limit.min && size <= limit.max;
}

bool has_good_characters(const TextLimit& limit, std::string_view text) {
  if (limit.set.empty()) return true;
  const bool is_negated = limit.set.front() == '^';
  const std::string_view set = limit.set.substr(is_negated ? 1 : 0);
  return std::ranges::all_of(text, [&](char c) { return lists(set, c) != is_negated; });
}

bool is_accepted(const TextLimit& limit, std::string_view text) {
  return has_good_size(limit, text) && has_good_characters(limit, text);
}

}  // namespace finality::sandbox
