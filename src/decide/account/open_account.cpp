#include "decide/account/open_account.h"

#include "decide/account/account_writer.h"

namespace finality {

void add_reads(const OpenAccount& command, ReadSet& reads) { reads.merchants.push_back(command.merchant_id); }

Decision decide(const OpenAccount& command, Context& context) {
  Account account;
  account.id = context.next_id<AccountId>();
  account.merchant_id = command.merchant_id;
  account.kind = AccountKind::user;
  account.currency = command.currency;
  account.name = command.name;
  account.label = command.label;
  account.overdraft = command.overdraft;
  account.created_at = context.now;
  AccountWriter writer(context, std::move(account));
  return CommandResult{.object = writer.account().id, .created = true};
}

}  // namespace finality
