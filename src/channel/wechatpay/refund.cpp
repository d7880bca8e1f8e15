#include "channel/wechatpay/refund.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "channel/parsing/json_fields.h"

namespace finality::wechatpay {
namespace {

constexpr std::size_t kNumberBytesMax = 64;
constexpr std::size_t kWordBytesMax = 64;

struct Status {
  std::string_view name;
  RefundEvidenceKind means;
  const char* message;
  bool is_stranded = false;
};
// CLOSED: no money moved, and the number cannot be used again. ABNORMAL: the money has left the merchant but did not
// reach the payer (the bank card is closed). The merchant completes the refund on the merchant platform, and it becomes
// SUCCESS under the same number. It is therefore not final, and a retry with another number would refund twice.
constexpr Status kStatuses[] = {
    {"PROCESSING", RefundEvidenceKind::accepted, ""},
    {"SUCCESS", RefundEvidenceKind::refunded, ""},
    {"ABNORMAL", RefundEvidenceKind::accepted,
     "WeChat could not pay out the refund: handle it as an abnormal refund on the merchant platform", true},
    {"CLOSED", RefundEvidenceKind::try_again, "WeChat closed the refund, and no money went back"},
};

Result<void> read_sums(const boost::json::object& refund, RefundSaid& said) {
  const boost::json::object* amount = object_field(refund, "amount");
  if (amount == nullptr) return fail("amount is missing");
  const auto sum = whole_field(*amount, "refund", 1, limits::kAmountMax);
  const auto total = whole_field(*amount, "total", 1, limits::kAmountMax);
  if (!sum || !total) return fail("amount.refund or amount.total is not an amount");
  if (*sum > *total) return fail("amount.refund is greater than amount.total");
  said.refund = *sum;
  said.total = *total;
  if (amount->contains("currency")) said.currency = text_field(*amount, "currency", kWordBytesMax).value_or("");
  return {};
}

}  // namespace

Result<RefundSaid> read_refund(const boost::json::object& refund, std::string_view status_name) {
  RefundSaid said;
  const std::pair<std::string_view, std::string*> texts[] = {{"out_trade_no", &said.out_trade_no},
                                                             {"transaction_id", &said.transaction_id},
                                                             {"out_refund_no", &said.out_refund_no},
                                                             {status_name, &said.status}};
  for (const auto& [name, member] : texts) {
    const auto text = text_field(refund, name, kNumberBytesMax);
    if (!text) return fail(fmt::format("{} is missing", name));
    *member = *text;
  }
  if (const auto sums = read_sums(refund, said); !sums) return std::unexpected(sums.error());
  const auto* status = std::ranges::find(kStatuses, std::string_view(said.status), &Status::name);
  if (status == std::end(kStatuses)) return fail("its status is not a status of WeChat");
  said.evidence.kind = status->means;
  said.evidence.code = said.status;
  said.evidence.message = status->message;
  said.evidence.is_stranded = status->is_stranded;
  return said;
}

bool is_about(const RefundSaid& said, const RefundCall& call) {
  return said.out_refund_no == call.out_refund_no && said.transaction_id == call.channel_trade_no &&
         said.refund == call.amount && said.total == call.trade_amount && said.currency == call.currency.text();
}

}  // namespace finality::wechatpay
