#include "sandbox/wechatpay/messages.h"

#include <boost/json/array.hpp>

#include <utility>

#include "base/check.h"
#include "base/crypto/aes_gcm.h"
#include "base/crypto/certificate.h"
#include "base/crypto/crypto.h"
#include "base/crypto/encoding.h"
#include "sandbox/core/china_time.h"
#include "sandbox/statements/trade_lines.h"
#include "sandbox/wechatpay/order.h"

namespace finality::sandbox {
namespace {

constexpr std::string_view kPrepayPrefix = "wx";
constexpr std::string_view kPrepaySuffix = "000000";
constexpr std::size_t kGcmNonceBytes = 12;
constexpr std::size_t kOpenidHex = 27;

struct StateTexts {
  TradeState state;
  std::string_view name;
  std::string_view description;
};
constexpr StateTexts kStates[] = {{TradeState::waiting, "NOTPAY", "订单未支付"},
                                  {TradeState::paid, "SUCCESS", "支付成功"},
                                  {TradeState::failed, "PAYERROR", "支付失败"},
                                  {TradeState::closed, "CLOSED", "订单已关闭"}};
constexpr StateTexts kRefunded{TradeState::paid, "REFUND", "订单发生过退款，退款详情请查询退款单"};

const StateTexts& texts_of(const Trade& trade) {
  if (trade.state == TradeState::paid && trade.refunded > 0) return kRefunded;
  return kStates[static_cast<std::size_t>(trade.state)];
}

struct ProductTexts {
  std::string_view product;
  std::string_view trade_type;
};
constexpr ProductTexts kProducts[] = {{"native", "NATIVE"}, {"jsapi", "JSAPI"}, {"app", "APP"}, {"h5", "MWEB"}};

std::string_view trade_type_of(const Trade& trade) {
  for (const ProductTexts& texts : kProducts)
    if (texts.product == trade.product) return texts.trade_type;
  return "NATIVE";
}

// Returns the payer's openid: from the order or, if the order contains none, derived from the payer's name.
std::string openid_of(const Trade& trade, const WechatpayDetails& details) {
  if (!details.openid.empty()) return details.openid;
  return "o" + to_hex(sha256(trade.payer)).substr(0, kOpenidHex);
}

}  // namespace

std::string prepay_id_of(const Trade& trade) {
  return std::string(kPrepayPrefix) + trade.trade_no + std::string(kPrepaySuffix);
}

std::string trade_no_of(std::string_view prepay_id) {
  if (!prepay_id.starts_with(kPrepayPrefix) || !prepay_id.ends_with(kPrepaySuffix)) return {};
  prepay_id.remove_prefix(kPrepayPrefix.size());
  if (prepay_id.size() < kPrepaySuffix.size()) return {};
  prepay_id.remove_suffix(kPrepaySuffix.size());
  return std::string(prepay_id);
}

boost::json::object transaction_of(const WechatpayMerchant& merchant, const Trade& trade) {
  const WechatpayDetails details = read_details(trade.details);
  const bool is_paid = trade.state == TradeState::paid;
  boost::json::object amount{{"currency", trade.currency}, {"total", is_paid ? trade.paid : trade.amount}};
  if (is_paid) amount.insert({{"payer_total", trade.paid}, {"payer_currency", trade.currency}});
  boost::json::object json{{"appid", merchant.appid},
                           {"mchid", merchant.mchid},
                           {"out_trade_no", trade.out_trade_no},
                           {"attach", details.attach},
                           {"trade_state", texts_of(trade).name},
                           {"trade_state_desc", texts_of(trade).description},
                           {"amount", std::move(amount)},
                           {"promotion_detail", boost::json::array()}};
  if (!is_paid) return json;
  json["transaction_id"] = trade.trade_no;
  json["trade_type"] = trade_type_of(trade);
  json["bank_type"] = "OTHERS";
  json["success_time"] = china_rfc3339(trade.paid_at.value_or(trade.created_at));
  json["payer"] = {{"openid", openid_of(trade, details)}};
  return json;
}

std::string_view refund_status(const Refund& refund, Time now) {
  if (refund.stranded_at && now >= *refund.stranded_at && now < refund.settles_at) return "ABNORMAL";
  if (now < refund.settles_at) return "PROCESSING";
  return refund.state == "closed" ? "CLOSED" : "SUCCESS";
}

boost::json::object refund_of(const Refund& refund, const Trade& trade, Time now) {
  const std::string_view status = refund_status(refund, now);
  boost::json::object json{{"refund_id", refund.refund_no},
                           {"out_refund_no", refund.out_refund_no},
                           {"transaction_id", trade.trade_no},
                           {"out_trade_no", trade.out_trade_no},
                           {"channel", "ORIGINAL"},
                           {"user_received_account", "支付用户零钱"},
                           {"create_time", china_rfc3339(refund.created_at)},
                           {"status", status},
                           {"funds_account", "AVAILABLE"},
                           {"amount",
                            {{"total", trade.paid},
                             {"refund", refund.amount},
                             {"from", boost::json::array()},
                             {"payer_total", trade.paid},
                             {"payer_refund", refund.amount},
                             {"settlement_refund", refund.amount},
                             {"settlement_total", trade.paid},
                             {"discount_refund", 0},
                             {"refund_fee", fee_of(trade, refund.amount)},
                             {"currency", refund.currency}}},
                           {"promotion_detail", boost::json::array()}};
  if (status == "SUCCESS") json["success_time"] = china_rfc3339(refund.settles_at);
  return json;
}

boost::json::object encrypted(const WechatpayAccount& account, std::string_view associated, std::string_view name,
                              std::string_view plain) {
  const std::string digest = sha256(std::string(name) + '\n' + std::string(associated) + '\n' + std::string(plain));
  const std::string nonce = to_base64(digest).substr(0, kGcmNonceBytes);
  return {{"algorithm", "AEAD_AES_256_GCM"},
          {"nonce", nonce},
          {"associated_data", associated},
          {"ciphertext", to_base64(aes_256_gcm_encrypt(account.api_v3_key.reveal(), nonce, associated, plain))}};
}

boost::json::object certificates_of(const WechatpayAccount& account) {
  const auto certificate = Certificate::parse(account.platform_certificate);
  FINALITY_CHECK(certificate.has_value(), "the platform certificate was validated before");
  return {{"data", boost::json::array{boost::json::object{
                       {"serial_no", account.platform.serial},
                       {"effective_time", china_rfc3339(certificate->not_before())},
                       {"expire_time", china_rfc3339(certificate->not_after())},
                       {"encrypt_certificate",
                        encrypted(account, "certificate", account.platform.serial, account.platform_certificate)}}}}};
}

}  // namespace finality::sandbox
