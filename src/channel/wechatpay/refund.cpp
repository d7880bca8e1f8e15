#include "channel/wechatpay/refund.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "channel/parsing/json_fields.h"

namespace finality::wechatpay {
namespace {

constexpr std::size_t kNumberBytesMax = 64;
constexpr std::size_t kFieldBytesMax = 64;

struct Status {
  std::string_view name;
  RefundEvidenceKind kind;
  const char* message;
  bool is_stranded = false;
};
// CLOSED: no money moved, and the out_refund_no cannot be used again. ABNORMAL: the money has left the merchant but has
// not reached the payer, for example because the bank card is closed. The merchant completes the refund on the merchant
// platform, and WeChat then reports SUCCESS under the same out_refund_no. ABNORMAL is therefore not final, and a retry
// with another out_refund_no would refund twice.
constexpr Status kStatuses[] = {
    {"PROCESSING", RefundEvidenceKind::accepted, ""},
    {"SUCCESS", RefundEvidenceKind::refunded, ""},
    {"ABNORMAL", RefundEvidenceKind::accepted,
     "WeChat could not pay out the refund: handle it as an abnormal refund on the merchant platform", true},
    {"CLOSED", RefundEvidenceKind::try_again, "WeChat closed the refund, and no money went back"},
};

Result<void> read_sums(const boost::json::object& refund, RefundReport& report) {
  const boost::json::object* amount = object_field(refund, "amount");
  if (amount == nullptr) return fail("amount is missing");
  const auto sum = whole_field(*amount, "refund", 1, limits::kAmountMax);
  const auto total = whole_field(*amount, "total", 1, limits::kAmountMax);
  if (!sum || !total) return fail("amount.refund or amount.total is not a positive amount in fen");
  if (*sum > *total) return fail("amount.refund is greater than amount.total");
  report.refund = *sum;
  report.total = *total;
  if (amount->contains("currency")) report.currency = text_field(*amount, "currency", kFieldBytesMax).value_or("");
  return {};
}

}  // namespace

Result<RefundReport> read_refund(const boost::json::object& refund, std::string_view status_name) {
  RefundReport report;
  const std::pair<std::string_view, std::string*> texts[] = {{"out_trade_no", &report.out_trade_no},
                                                             {"transaction_id", &report.transaction_id},
                                                             {"out_refund_no", &report.out_refund_no},
                                                             {status_name, &report.status}};
  for (const auto& [name, member] : texts) {
    const auto text = text_field(refund, name, kNumberBytesMax);
    if (!text) return fail(fmt::format("{} is missing", name));
    *member = *text;
  }
  if (const auto sums = read_sums(refund, report); !sums) return std::unexpected(sums.error());
  const auto* status = std::ranges::find(kStatuses, std::string_view(report.status), &Status::name);
  if (status == std::end(kStatuses)) return fail("its status is not PROCESSING, SUCCESS, ABNORMAL or CLOSED");
  report.evidence.kind = status->kind;
  report.evidence.code = report.status;
  report.evidence.message = status->message;
  report.evidence.is_stranded = status->is_stranded;
  return report;
}

bool is_about(const RefundReport& report, const RefundCall& call) {
  return report.out_refund_no == call.out_refund_no && report.transaction_id == call.channel_trade_no &&
         report.refund == call.amount && report.total == call.trade_amount && report.currency == call.currency.text();
}

}  // namespace finality::wechatpay
