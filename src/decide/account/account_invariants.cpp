#include "decide/account/account_invariants.h"

#include <fmt/format.h>

#include <map>

namespace finality {
namespace {

MinorUnits held_of(const std::optional<Hold>& hold) {
  return hold && hold->state == HoldState::held ? hold->amount : 0;
}

// Checks that each account's `held` has changed by the sum of the changes of its open holds.
void check_held(const WorkingSet& rows, std::vector<std::string>& findings) {
  std::map<AccountId, MinorUnits> moved;
  rows.holds.each_in_scope([&](const auto& before, const auto& after) {
    if (after) moved[after->account_id] += held_of(after) - held_of(before);
    if (before && after && hold_machine.is_final(before->state) && before->state != after->state)
      findings.push_back(fmt::format("1: {} left its final state {}", to_text(after->id), name_of(before->state)));
    if (after && (after->state == HoldState::posted) != (after->posted_amount > 0))
      findings.push_back(
          fmt::format("6: {} is {} with {} posted", to_text(after->id), name_of(after->state), after->posted_amount));
    if (after && after->posted_amount > after->amount)
      findings.push_back(fmt::format("6: {} has a posted_amount above its amount", to_text(after->id)));
  });
  rows.accounts.each_in_scope([&](const auto& before, const auto& after) {
    if (after && after->held - (before ? before->held : 0) != moved[after->id])
      findings.push_back(fmt::format("6: the held amount of {} is not the sum of its open holds", to_text(after->id)));
  });
}

void check_account(const std::optional<Account>& before, const Account& after, std::vector<std::string>& findings) {
  if (after.kind != AccountKind::user) return;
  const std::string id = to_text(after.id);
  if (after.held < 0 || after.available() < 0)
    findings.push_back(fmt::format("6: {} has {} available, {} held", id, after.available(), after.held));
  if (after.state == AccountState::closed && (after.balance != 0 || after.held != 0))
    findings.push_back(fmt::format("6: {} is closed with a balance or holds", id));
  if (before && account_machine.is_final(before->state) && before->state != after.state)
    findings.push_back(fmt::format("1: {} left its final state {}", id, name_of(before->state)));
  const bool was_frozen = before && before->state == AccountState::frozen;
  if (was_frozen && after.balance < before->balance)
    findings.push_back(fmt::format("6: {} is frozen and was debited", id));
}

void check_transfers(const WorkingSet& rows, std::vector<std::string>& findings) {
  rows.transfers.each_in_scope([&](const auto& before, const auto& after) {
    if (before && after && transfer_machine.is_final(before->state) && before->state != after->state)
      findings.push_back(fmt::format("1: {} left its final state {}", to_text(after->id), name_of(before->state)));
  });
}

}  // namespace

void check_accounts(const WorkingSet& rows, std::vector<std::string>& findings) {
  rows.accounts.each_in_scope([&](const auto& before, const auto& after) {
    if (after) check_account(before, *after, findings);
  });
  check_held(rows, findings);
  check_transfers(rows, findings);
}

}  // namespace finality
