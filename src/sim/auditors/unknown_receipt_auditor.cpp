#include "sim/auditors/unknown_receipt_auditor.h"

#include <algorithm>

#include "store/sql/columns.h"

namespace finality::sim {
namespace {

constexpr const char* kCases = "3 exception queue";
constexpr const char* kSuspense = "4 suspense";
constexpr const char* kClearing = "6 clearing";
constexpr const char* kBooks = "7 books of the merchant";
constexpr const char* kStored = "1 stored state";

// Returns the state of a receipt that its case implies.
UnknownReceiptState decided_state(const Case& row) {
  if (row.state != CaseState::resolved) return UnknownReceiptState::unassigned;
  if (row.resolution == "assign") return UnknownReceiptState::assigned;
  return row.resolution == "cancel" ? UnknownReceiptState::cancelled : UnknownReceiptState::unassigned;
}

}  // namespace

void UnknownReceiptAuditor::look_at(const WorkingSet& rows) {
  bool is_changed = false;
  rows.unknown_receipts.each([&](const UnknownReceiptId&, const auto& base, const auto& now) {
    if (!now || (base && base->unknown_receipt.version == now->unknown_receipt.version)) return;
    is_changed = true;
    check_receipt(*now, !base);
  });
  for (const Entry& entry : rows.entries) check_entry(entry);
  if (is_changed) check_sums();
}

void UnknownReceiptAuditor::check_receipt(const UnknownReceiptAggregate& aggregate, bool is_new) {
  const UnknownReceipt& receipt = aggregate.unknown_receipt;
  receipts_.insert_or_assign(receipt.id, receipt);
  findings_.require(!aggregate.cases.empty(), kCases, "{} has no case", to_text(receipt.id));
  const auto unresolved =
      std::ranges::count_if(aggregate.cases, [](const Case& row) { return row.state != CaseState::resolved; });
  findings_.require(unresolved <= 1, kCases, "{} has {} unresolved cases", to_text(receipt.id), unresolved);
  if (is_new)
    findings_.require(trades_[receipt.channel].insert(receipt.channel_trade_no).second, kSuspense,
                      "{} of {} was recorded twice", receipt.channel_trade_no, receipt.channel);
  // Evidence after a decision opens another case, which cannot move the money again.
  UnknownReceiptState expected = UnknownReceiptState::unassigned;
  for (const Case& row : aggregate.cases) {
    const UnknownReceiptState decided = decided_state(row);
    if (decided == UnknownReceiptState::unassigned) continue;
    findings_.require(expected == UnknownReceiptState::unassigned, kCases, "{} was decided twice, again in {}",
                      to_text(receipt.id), to_text(row.id));
    findings_.require(decided != UnknownReceiptState::assigned || receipt.assigned_to == row.assign_to, kCases,
                      "{} was approved as assign, but {} has another merchant", to_text(row.id), to_text(receipt.id));
    expected = decided;
  }
  findings_.require(receipt.state == expected, kCases, "{} is {}, its cases decided {}", to_text(receipt.id),
                    name_of(receipt.state), name_of(expected));
}

void UnknownReceiptAuditor::check_entry(const Entry& entry) {
  if (entry.document_type != ObjectType::unknown_receipt) return;
  const auto receipt = receipts_.find(UnknownReceiptId{entry.document_id});
  if (receipt == receipts_.end()) return findings_.require(false, kBooks, "{} has no receipt", to_text(entry.id));
  const MerchantId expected = entry.type == EntryType::receipt_assigned
                                  ? receipt->second.assigned_to.value_or(MerchantId{})
                                  : receipt->second.merchant_id;
  findings_.require(entry.merchant_id == expected, kBooks, "{} of {} is in the books of {}, expected {}",
                    name_of(entry.type), to_text(receipt->first), to_text(entry.merchant_id), to_text(expected));
}

void UnknownReceiptAuditor::check_sums() {
  std::map<Currency, MinorUnits> clearing;
  std::map<Currency, MinorUnits> suspense;
  for (const auto& [id, account] : money_.accounts()) {
    if (account.kind == AccountKind::clearing) clearing[account.currency] += account.balance;
    if (account.kind == AccountKind::suspense && account.merchant_id == kPlatform)
      suspense[account.currency] += account.balance;
  }
  for (const auto& [id, receipt] : receipts_)
    if (receipt.state == UnknownReceiptState::unassigned) suspense[receipt.currency] -= receipt.amount;
  for (const auto& [currency, sum] : clearing)
    findings_.require(sum == 0, kClearing, "the clearing accounts sum to {} {}", sum, currency.text());
  for (const auto& [currency, sum] : suspense)
    findings_.require(sum == 0, kSuspense, "the suspense of the platform and its unassigned receipts differ by {} {}",
                      sum, currency.text());
}

void UnknownReceiptAuditor::ended(Reader& reader) {
  for (const auto& [id, receipt] : receipts_) {
    const auto stored = reader.unknown_receipt(id);
    findings_.require(stored && *stored && store::same_row(receipt, **stored), kStored,
                      "{} differs from the last commit", to_text(id));
  }
  for (const auto& [channel, trades] : acknowledged_)
    for (const std::string& trade : trades)
      findings_.require(trades_[channel].contains(trade), kSuspense, "{} of {} was acknowledged, but is not booked",
                        trade, channel);
}

}  // namespace finality::sim
