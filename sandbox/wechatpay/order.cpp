#include "sandbox/wechatpay/order.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

#include "base/crypto/crypto.h"
#include "base/crypto/encoding.h"
#include "base/limits.h"
#include "sandbox/core/fields.h"
#include "sandbox/core/scenario.h"
#include "sandbox/texts/text_limits.h"
#include "sandbox/wechatpay/answer.h"

namespace finality::sandbox {
namespace {

constexpr Duration kTradeLife = std::chrono::days(7);
constexpr std::int64_t kFenMax = 10'000'000'000;
constexpr std::string_view kScenarioPrefix = "scenario=";
constexpr std::string_view kProbedSuffix = ",probed";

bool is_h5_type(std::string_view text) { return text == "Wap" || text == "iOS" || text == "Android"; }
bool is_any_text(std::string_view) { return true; }
// Returns whether the text is a valid notify_url. Unlike the real gateway, also accepts http, for local tests.
bool is_notify_url(std::string_view text) { return is_web_url(text) && !text.contains('?'); }

// Reads fields by JSON pointer and stores the first error as the response to send. Texts must be accepted by their row
// in wechatpay_texts(), and by `is_valid`.
class Reader {
 public:
  explicit Reader(std::string_view body) {
    boost::json::parse_options options;
    options.max_depth = limits::kJsonDepthMax;
    boost::json::error_code error;
    body_ = boost::json::parse(body, error, {}, options);
    if (error || !body_.is_object()) refusal_ = wechatpay_error(kParamError, "无法将输入源“/body”映射到目标对象");
  }

  std::string text(const char* pointer, bool (*is_valid)(std::string_view) = is_any_text) {
    auto value = optional_text(pointer, is_valid);
    if (!value) blame(pointer, "", "必填项缺失");
    return std::move(value).value_or("");
  }

  std::optional<std::string> optional_text(const char* pointer, bool (*is_valid)(std::string_view) = is_any_text) {
    const boost::json::value* value = find(pointer);
    if (value == nullptr) return std::nullopt;
    const std::string text = value->is_string() ? std::string(std::string_view(value->get_string())) : "";
    const TextLimit& limit = text_limit(wechatpay_texts(), pointer);
    if (!value->is_string() || !is_utf8(text)) blame(pointer, "", "值不符合要求");
    if (!has_good_size(limit, text)) refuse(wechatpay_size_error(limit, text));
    if (!has_good_characters(limit, text)) refuse(wechatpay_pattern_error(limit, text));
    if (!is_valid(text)) blame(pointer, text, "值不符合要求");
    return text;
  }

  MinorUnits fen(const char* pointer) {
    const boost::json::value* value = find(pointer);
    if (value != nullptr && value->is_int64() && value->get_int64() >= 1 && value->get_int64() <= kFenMax)
      return value->get_int64();
    blame(pointer, value != nullptr ? boost::json::serialize(*value) : "", "必须为不小于 1 的整数");
    return 0;
  }

  void blame(std::string_view pointer, std::string_view value, std::string_view issue) {
    if (!refusal_) refusal_ = wechatpay_param_error(pointer, value, issue);
  }
  void refuse(net::HttpResponse answer) {
    if (!refusal_) refusal_ = std::move(answer);
  }
  const std::optional<net::HttpResponse>& refusal() const { return refusal_; }

 private:
  const boost::json::value* find(const char* pointer) const {
    boost::json::error_code error;
    const boost::json::value* value = body_.find_pointer(pointer, error);
    return value != nullptr && !value->is_null() ? value : nullptr;
  }

  boost::json::value body_;
  std::optional<net::HttpResponse> refusal_;
};

void read_mchid(Reader& reader, const WechatpayMerchant& merchant) {
  const std::string mchid = reader.text("/mchid");
  if (auto refusal = refusal_of_mchid(merchant, mchid)) reader.refuse(std::move(*refusal));
}

void read_amount(Reader& reader, Trade& trade) {
  trade.amount = reader.fen("/amount/total");
  trade.currency = reader.optional_text("/amount/currency").value_or("CNY");
  if (trade.currency != "CNY") reader.blame("/amount/currency", trade.currency, "仅支持人民币：CNY");
}

void read_expiry(Reader& reader, Trade& trade, Time now) {
  trade.expires_at = now + kTradeLife;
  const auto text = reader.optional_text("/time_expire");
  if (!text) return;
  const std::optional<Time> at = parse_rfc3339(*text);
  if (!at) return reader.blame("/time_expire", *text, "不是 RFC3339 格式的时间");
  if (*at <= now) return reader.refuse(wechatpay_error(kInvalidRequest, "订单失效时间不能早于当前时间"));
  trade.expires_at = std::min(*at, *trade.expires_at);
}

void read_scenario(Reader& reader, Trade& trade, WechatpayDetails& details) {
  trade.scenario = kDefaultScenario;
  std::string_view text = details.attach;
  if (!text.starts_with(kScenarioPrefix)) return;
  text.remove_prefix(kScenarioPrefix.size());
  details.is_probed = text.ends_with(kProbedSuffix);
  if (details.is_probed) text.remove_suffix(kProbedSuffix.size());
  if (find_scenario(text) == nullptr) return reader.blame("/attach", details.attach, "沙箱中没有这个场景");
  trade.scenario = text;
}

void read_payer(Reader& reader, std::string_view product, WechatpayDetails& details) {
  if (product == "jsapi") details.openid = reader.text("/payer/openid");
  if (product != "h5") return;
  reader.text("/scene_info/payer_client_ip");
  reader.text("/scene_info/h5_info/type", is_h5_type);
}

std::string fingerprint_of(Reader& reader, const Trade& trade, const WechatpayDetails& details) {
  std::string all;
  for (const std::string& part :
       {trade.product, trade.subject, trade.notify_url, details.attach, details.openid,
        reader.optional_text("/time_expire").value_or(""), reader.optional_text("/goods_tag").value_or("")})
    all += part + '\n';
  return to_hex(sha256(all));
}

}  // namespace

std::string write_details(const WechatpayDetails& details) {
  return boost::json::serialize(boost::json::object{{"attach", details.attach},
                                                    {"openid", details.openid},
                                                    {"fingerprint", details.fingerprint},
                                                    {"signer", details.signer},
                                                    {"is_probed", details.is_probed}});
}

WechatpayDetails read_details(const std::string& text) {
  const boost::json::value value = boost::json::parse(text);
  const auto field = [&](const char* name) { return std::string(std::string_view(value.at(name).as_string())); };
  return {.attach = field("attach"),
          .openid = field("openid"),
          .fingerprint = field("fingerprint"),
          .signer = field("signer"),
          .is_probed = value.at("is_probed").as_bool()};
}

std::expected<Trade, net::HttpResponse> read_order(const WechatpayMerchant& merchant, std::string_view product,
                                                   std::string_view body, std::string_view signer, Time now) {
  Reader reader(body);
  Trade trade;
  WechatpayDetails details{.signer = std::string(signer)};
  trade.channel = merchant.channel;
  trade.product = product;
  trade.outlives_decline = true;  // only barcode payments fail after a decline (PAYERROR); these products keep waiting
  const std::string appid = reader.text("/appid");
  read_mchid(reader, merchant);
  if (appid != merchant.appid) reader.refuse(wechatpay_error(kAppidMchidNotMatch, "appid和mch_id不匹配"));
  trade.subject = reader.text("/description");
  trade.out_trade_no = reader.text("/out_trade_no");
  trade.notify_url = reader.text("/notify_url", is_notify_url);
  details.attach = reader.optional_text("/attach").value_or("");
  read_amount(reader, trade);
  read_expiry(reader, trade, now);
  read_payer(reader, product, details);
  read_scenario(reader, trade, details);
  details.fingerprint = fingerprint_of(reader, trade, details);
  if (reader.refusal()) return std::unexpected(*reader.refusal());
  trade.details = write_details(details);
  return trade;
}

std::optional<net::HttpResponse> refusal_of_close(const WechatpayMerchant& merchant, std::string_view body) {
  Reader reader(body);
  read_mchid(reader, merchant);
  return reader.refusal();
}

std::expected<WechatpayRefundOrder, net::HttpResponse> read_refund_order(std::string_view body) {
  Reader reader(body);
  WechatpayRefundOrder order;
  order.transaction_id = reader.optional_text("/transaction_id").value_or("");
  order.out_trade_no = reader.optional_text("/out_trade_no").value_or("");
  if (order.transaction_id.empty() && order.out_trade_no.empty())
    reader.blame("/transaction_id", "", "transaction_id 和 out_trade_no 必须二选一");
  order.out_refund_no = reader.text("/out_refund_no");
  order.notify_url = reader.optional_text("/notify_url", is_notify_url).value_or("");
  reader.optional_text("/reason");
  order.amount = reader.fen("/amount/refund");
  order.total = reader.fen("/amount/total");
  order.currency = reader.text("/amount/currency", is_currency);
  if (order.amount > order.total)
    reader.blame("/amount/refund", std::to_string(order.amount), "退款金额不能大于原订单金额");
  if (reader.refusal()) return std::unexpected(*reader.refusal());
  return order;
}

std::optional<net::HttpResponse> refusal_of_mchid(const WechatpayMerchant& merchant, std::string_view mchid) {
  if (mchid == merchant.mchid) return std::nullopt;
  const bool is_merchant =
      std::ranges::any_of(kWechatpayMerchants, [&](const auto& candidate) { return candidate.mchid == mchid; });
  return is_merchant ? wechatpay_error(kAppidMchidNotMatch, "mch_id与签名的商户号不一致")
                     : wechatpay_error(kMchNotExists, "商户号不存在");
}

}  // namespace finality::sandbox
