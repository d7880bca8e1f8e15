// Carries out the approved resolution of a case about a difference between a statement and the books.
#pragma once

#include <expected>

#include "decide/exception/approve_resolution.h"

namespace finality {

/// The type of the entry that the resolution `adjust` posts for a difference of that amount, found in a statement of
/// that kind. REQUIRES: amount != 0.
constexpr EntryType adjustment_type_of(StatementKind kind, MinorUnits amount) {
  if (kind == StatementKind::bank) return amount > 0 ? EntryType::bank_surplus : EntryType::bank_shortage;
  return amount > 0 ? EntryType::rounding_gain : EntryType::rounding_loss;
}

/// Refuses with `illegal_transition` if nothing can be posted for the difference: its amount is 0, or it does not show
/// that the balance differs (Difference::changes_balance).
std::expected<void, Refusal> check_adjustment(const Difference& difference);

/// Approves the case. The resolution `adjust` posts Difference::amount between the receivable account of the channel
/// (or the ledger account of the bank account) and the loss account, in the books of the difference's merchant; `keep`
/// moves nothing. Refuses with `illegal_transition` (the difference has ended, or `adjust` and check_adjustment()
/// refuses) or `busy` (the command has loaded the accounts of another channel or currency). REQUIRES:
/// the case has a proposal that the approver may approve.
std::expected<void, Refusal> approve_difference(Context& context, const ApproveResolution& command);

}  // namespace finality
