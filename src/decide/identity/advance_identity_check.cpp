#include "decide/identity/advance_identity_check.h"

#include "decide/record.h"

namespace finality {

void add_reads(const AdvanceIdentityCheck&, ReadSet& reads) {
  reads.owners.push_back(kPlatform);
  reads.identity_checks.push_back(kIdentityCheck);
}

Decision decide(const AdvanceIdentityCheck& command, Context& context) {
  auto& rows = context.rows.identity_checks;
  const IdentityCheck* found = rows.find(kIdentityCheck);
  if ((found == nullptr ? 0 : found->version) != command.version)
    return refuse(RefusalCode::illegal_transition, "Another server checks the orders.");
  IdentityCheck row = found != nullptr ? *found : IdentityCheck{.id = kIdentityCheck, .created_at = context.now};
  row.version = command.version + 1;
  row.checked_until = command.checked_until;
  row.claimed_until = command.claimed_until;
  if (found != nullptr)
    rows.change(kIdentityCheck) = row;
  else
    rows.insert(kIdentityCheck, row);
  record_setting(context, row);
  return CommandResult{.object = kIdentityCheck};
}

}  // namespace finality
