#include "channel/wechatpay/trade.h"

#include <algorithm>

#include "base/limits.h"
#include "channel/parsing/json_fields.h"

namespace finality::wechatpay {
namespace {

constexpr std::size_t kNumberBytesMax = 64;
constexpr std::size_t kFieldBytesMax = 64;
constexpr std::size_t kTextBytesMax = 500;

struct State {
  std::string_view name;
  EvidenceKind kind;
  bool is_refunded = false;  // refunded partly or fully; WeChat does not report the refunded amount
};
// clang-format off
constexpr State kStates[] = {
    {"SUCCESS", EvidenceKind::paid},
    {"REFUND", EvidenceKind::paid, true},
    {"NOTPAY", EvidenceKind::waiting},
    {"USERPAYING", EvidenceKind::waiting},
    {"ACCEPT", EvidenceKind::waiting},  // the payer has accepted, but is not debited yet
    {"CLOSED", EvidenceKind::closed},
    {"REVOKED", EvidenceKind::closed},  // revoked barcode payment; was paid if transaction_id is set
    {"PAYERROR", EvidenceKind::failed},
};
// clang-format on

std::string text_or_empty(const boost::json::object& body, std::string_view name, std::size_t bytes_max) {
  return std::string(text_field(body, name, bytes_max).value_or(""));
}

// Reads the amount of the trade from amount.total, which includes any discount that WeChat pays.
Result<void> read_sum(const boost::json::object& transaction, Evidence& evidence) {
  const boost::json::object* amount = object_field(transaction, "amount");
  if (amount == nullptr) return fail("amount is missing");
  const auto total = whole_field(*amount, "total", 1, limits::kAmountMax);
  if (!total) return fail("amount.total is not a positive amount in fen");
  const bool has_currency = amount->contains("currency");  // a missing currency means CNY
  const auto currency = parse_currency(has_currency ? text_or_empty(*amount, "currency", kFieldBytesMax) : "CNY");
  if (!currency) return fail("amount.currency is not a currency code");
  evidence.amount = *total;
  evidence.currency = *currency;
  return {};
}

Result<void> read_money(const boost::json::object& transaction, Evidence& evidence) {
  const auto number = text_field(transaction, "transaction_id", kNumberBytesMax);
  if (!number) return fail("transaction_id is missing");
  evidence.channel_trade_no = std::string(*number);
  if (const auto sum = read_sum(transaction, evidence); !sum) return sum;
  // success_time may be missing: WeChat does not guarantee it for a refunded trade.
  if (evidence.is_refund_unknown && !transaction.contains("success_time")) return {};
  const auto paid_at = parse_rfc3339(text_or_empty(transaction, "success_time", kFieldBytesMax));
  if (!paid_at) return fail("success_time is not an RFC 3339 time");
  evidence.paid_at = *paid_at;
  return {};
}

}  // namespace

Result<Trade> read_trade(const boost::json::object& transaction, const Account& account) {
  if (text_field(transaction, "mchid", kFieldBytesMax) != account.mchid) return fail("mchid is of another merchant");
  if (text_field(transaction, "appid", kFieldBytesMax) != account.appid) return fail("appid is of another application");
  const auto out_trade_no = text_field(transaction, "out_trade_no", kNumberBytesMax);
  if (!out_trade_no) return fail("out_trade_no is missing");
  const auto name = text_field(transaction, "trade_state", kFieldBytesMax);
  const auto* state = std::ranges::find(kStates, name.value_or(""), &State::name);
  if (state == std::end(kStates)) return fail("trade_state is unknown");
  if (state->kind == EvidenceKind::closed && transaction.contains("transaction_id"))
    return fail("trade_state is CLOSED or REVOKED, but transaction_id is set");
  Trade trade{.out_trade_no = std::string(*out_trade_no)};
  trade.evidence.kind = state->kind;
  trade.evidence.code = *name;
  trade.evidence.message = text_or_empty(transaction, "trade_state_desc", kTextBytesMax);
  trade.evidence.is_refund_unknown = state->is_refunded;
  if (state->kind == EvidenceKind::paid)
    if (const auto money = read_money(transaction, trade.evidence); !money) return std::unexpected(money.error());
  return trade;
}

}  // namespace finality::wechatpay
