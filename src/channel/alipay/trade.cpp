#include "channel/alipay/trade.h"

#include <optional>

#include "channel/alipay/values.h"

namespace finality::alipay {
namespace {

constexpr std::size_t kNumberBytesMax = 64;

/// A trade_status, its evidence for a trade without refunds, and whether the status alone proves a payment.
struct Status {
  std::string_view name;
  EvidenceKind kind;
  bool is_paid;
};
constexpr Status kStatuses[] = {
    {"WAIT_BUYER_PAY", EvidenceKind::waiting, false},
    {"TRADE_SUCCESS", EvidenceKind::paid, true},
    {"TRADE_FINISHED", EvidenceKind::paid, true},  // paid, and refunds are no longer possible
    {"TRADE_CLOSED", EvidenceKind::closed, false},
};

const Status* find_status(std::string_view name) {
  for (const Status& status : kStatuses)
    if (status.name == name) return &status;
  return nullptr;
}

struct Sums {
  MinorUnits total = 0;
  std::optional<MinorUnits> refunded;
};

Result<Sums> read_sums(const TradeFields& fields) {
  const auto total = parse_yuan(fields.total_amount);
  if (!total || *total == 0) return fail("total_amount is not a positive amount in yuan");
  if (fields.refund_fee.empty()) return Sums{*total, {}};
  const auto refunded = parse_yuan(fields.refund_fee);
  if (!refunded) return fail("refund_fee is not an amount in yuan");
  if (*refunded > *total) return fail("refund_fee is greater than total_amount");
  return Sums{*total, *refunded};
}

// Copies amounts, currency and payment time of a paid trade into `evidence`.
Result<void> read_money(const TradeFields& fields, Evidence& evidence) {
  const Result<Sums> sums = read_sums(fields);
  if (!sums) return std::unexpected(sums.error());
  const auto currency = parse_currency(fields.currency.empty() ? "CNY" : fields.currency);
  if (!currency || exponent_of(*currency) != 2) return fail("trans_currency is not a currency with two decimals");
  if (fields.trade_no.empty()) return fail("trade_no is missing");
  if (!fields.paid_at.empty()) {
    const auto paid_at = parse_beijing(fields.paid_at);
    if (!paid_at)
      return fail("the payment time (send_pay_date or gmt_payment) is not in the format yyyy-MM-dd HH:mm:ss");
    evidence.paid_at = *paid_at;
  }
  evidence.amount = sums->total;
  evidence.currency = *currency;
  // Alipay closes a paid trade only after its full refund.
  const bool is_closed = fields.status == "TRADE_CLOSED";
  evidence.refunded = sums->refunded.value_or(is_closed ? sums->total : 0);
  return {};
}

}  // namespace

Result<Evidence> read_trade(const TradeFields& fields) {
  const Status* status = find_status(fields.status);
  if (status == nullptr) return fail("trade_status is unknown");
  if (fields.trade_no.size() > kNumberBytesMax) return fail("trade_no is longer than 64 bytes");
  Evidence evidence{.kind = status->kind, .code = std::string(fields.status)};
  if (!fields.trade_no.empty()) evidence.channel_trade_no = fields.trade_no;

  const bool was_refunded = !fields.refunded_at.empty() || parse_yuan(fields.refund_fee).value_or(0) > 0;
  const bool was_paid = status->is_paid || was_refunded || !fields.paid_at.empty();
  if (was_paid && evidence.kind == EvidenceKind::waiting)
    return fail("trade_status is WAIT_BUYER_PAY, but the trade was paid");
  if (was_paid && evidence.kind == EvidenceKind::closed) evidence.kind = EvidenceKind::paid;
  if (!was_paid) return evidence;
  if (auto read = read_money(fields, evidence); !read) return std::unexpected(read.error());
  return evidence;
}

}  // namespace finality::alipay
