#include "decide/account/lock_account.h"

#include "decide/account/account_writer.h"
#include "decide/account/debit.h"

namespace finality {

void add_reads(const LockAccount& command, ReadSet& reads) { reads.accounts.push_back(command.account_id); }

Decision decide(const LockAccount& command, Context& context) {
  const Account* found = find_user_account(context, command.merchant_id, command.account_id);
  if (found == nullptr) return refuse(RefusalCode::not_found, "The account does not exist.");
  if (context.cell(account_machine, found->state, AccountEvent::lock).kind == fsm::CellKind::refuse)
    return refuse(RefusalCode::account_closed, "The account is closed and cannot be reopened.", {},
                  std::string(name_of(found->state)));
  if (auto free = check_lock(*found, command.token, context.now, "token"); !free) return std::unexpected(free.error());

  AccountWriter writer(context, command.account_id);
  Account& account = writer.account();
  account.lock_owner = command.owner;
  account.lock_expires_at = context.now + command.ttl;
  if (!command.token) {
    account.lock_number += 1;
    account.lock_token = fmt::format("{}-{}", account.lock_number, command.nonce);
  }
  writer.noted(command.token ? "renewed" : "locked");
  return CommandResult{.object = command.account_id, .shown = Shown::lock};
}

}  // namespace finality
