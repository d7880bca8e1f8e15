#include "channel/alipay/trade.h"

#include <optional>

#include "channel/alipay/values.h"

namespace finality::alipay {
namespace {

constexpr std::size_t kNumberBytesMax = 64;

/// Meaning of a status without refunds, and whether the status itself proves a payment.
struct Status {
  std::string_view word;
  EvidenceKind means;
  bool is_paid;
};
constexpr Status kStatuses[] = {
    {"WAIT_BUYER_PAY", EvidenceKind::waiting, false},
    {"TRADE_SUCCESS", EvidenceKind::paid, true},
    {"TRADE_FINISHED", EvidenceKind::paid, true},  // paid, and refunds are no longer possible
    {"TRADE_CLOSED", EvidenceKind::closed, false},
};

const Status* find_status(std::string_view word) {
  for (const Status& status : kStatuses)
    if (status.word == word) return &status;
  return nullptr;
}

struct Sums {
  MinorUnits total = 0;
  std::optional<MinorUnits> refunded;
};

Result<Sums> read_sums(const TradeWords& words) {
  const auto total = parse_yuan(words.total_amount);
  if (!total || *total == 0) return fail("total_amount is not an amount");
  if (words.refund_fee.empty()) return Sums{*total, {}};
  const auto refunded = parse_yuan(words.refund_fee);
  if (!refunded) return fail("refund_fee is not an amount");
  if (*refunded > *total) return fail("refund_fee is greater than total_amount");
  return Sums{*total, *refunded};
}

// The money of a trade that was paid.
Result<void> read_money(const TradeWords& words, Evidence& evidence) {
  const Result<Sums> sums = read_sums(words);
  if (!sums) return std::unexpected(sums.error());
  const auto currency = parse_currency(words.currency.empty() ? "CNY" : words.currency);
  if (!currency || exponent_of(*currency) != 2) return fail("trans_currency is not a currency of two decimals");
  if (words.trade_no.empty()) return fail("trade_no is missing");
  if (!words.paid_at.empty()) {
    const auto paid_at = parse_beijing(words.paid_at);
    if (!paid_at) return fail("the time of the payment is not a time");
    evidence.paid_at = *paid_at;
  }
  evidence.amount = sums->total;
  evidence.currency = *currency;
  // Alipay closes a paid trade only after its full refund.
  const bool is_closed = words.status == "TRADE_CLOSED";
  evidence.refunded = sums->refunded.value_or(is_closed ? sums->total : 0);
  return {};
}

}  // namespace

Result<Evidence> read_trade(const TradeWords& words) {
  const Status* status = find_status(words.status);
  if (status == nullptr) return fail("trade_status is not a status of Alipay");
  if (words.trade_no.size() > kNumberBytesMax) return fail("trade_no is too long");
  Evidence evidence{.kind = status->means, .code = std::string(words.status)};
  if (!words.trade_no.empty()) evidence.channel_trade_no = words.trade_no;

  const bool went_back = !words.refunded_at.empty() || parse_yuan(words.refund_fee).value_or(0) > 0;
  const bool was_paid = status->is_paid || went_back || !words.paid_at.empty();
  if (was_paid && evidence.kind == EvidenceKind::waiting)
    return fail("trade_status is WAIT_BUYER_PAY, but the trade was paid");
  if (was_paid && evidence.kind == EvidenceKind::closed) evidence.kind = EvidenceKind::paid;
  if (!was_paid) return evidence;
  if (auto read = read_money(words, evidence); !read) return std::unexpected(read.error());
  return evidence;
}

}  // namespace finality::alipay
