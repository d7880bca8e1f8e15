#include "decide/account/unlock_account.h"

#include "decide/account/account_writer.h"
#include "decide/account/debit.h"

namespace finality {

void add_reads(const UnlockAccount& command, ReadSet& reads) { reads.accounts.push_back(command.account_id); }

Decision decide(const UnlockAccount& command, Context& context) {
  const Account* found = find_user_account(context, command.merchant_id, command.account_id);
  if (found == nullptr) return refuse(RefusalCode::not_found, "The account does not exist.");
  if (check_lock(*found, std::nullopt, context.now)) return CommandResult{.object = command.account_id};  // no lock
  if (auto held = check_lock(*found, command.token, context.now, "token"); !held) return std::unexpected(held.error());
  AccountWriter writer(context, command.account_id);
  writer.account().lock_owner.reset();
  writer.account().lock_token.reset();
  writer.account().lock_expires_at.reset();
  writer.noted("unlocked");
  return CommandResult{.object = command.account_id};
}

}  // namespace finality
