#include "decide/account/create_hold.h"

#include "decide/account/account_writer.h"
#include "decide/account/debit.h"
#include "model/natural_key.h"

namespace finality {
namespace {

Decision answer_again(const CreateHold& command, const Hold& known) {
  if (known.fingerprint == command.fingerprint) return CommandResult{.object = known.id};
  return refuse(RefusalCode::reference_conflict,
                "This reference belongs to a hold with other fields. Use a new reference, or repeat the first request.",
                "reference");
}

}  // namespace

void add_reads(const CreateHold& command, ReadSet& reads) {
  reads.keys.push_back({key_of_hold(command.merchant_id, command.source, command.reference), ObjectType::hold});
  reads.accounts.push_back(command.account_id);
  reads.accounts.push_back(command.credit_account_id);
}

Decision decide(const CreateHold& command, Context& context) {
  const Hash16 key = key_of_hold(command.merchant_id, command.source, command.reference);
  if (const Key* taken = context.rows.keys.find(key))
    return answer_again(command, *context.rows.holds.find(HoldId{taken->id}));
  const Account* account = find_user_account(context, command.merchant_id, command.account_id);
  if (account == nullptr) return refuse(RefusalCode::not_found, "The account does not exist.", "account");
  const Account* credit = find_user_account(context, command.merchant_id, command.credit_account_id);
  if (credit == nullptr) return refuse(RefusalCode::not_found, "The account does not exist.", "credit_account");
  if (account == credit)
    return refuse(RefusalCode::invalid_request, "credit_account must differ from account.", "credit_account");
  if (auto free = check_lock(*account, command.lock_token, context.now); !free) return std::unexpected(free.error());
  if (const auto code = refused_debit(context, *account, command.amount, command.currency))
    return refuse(*code, explain(*code, *account));
  if (const auto code = refused_credit(context, *credit, command.currency))
    return refuse(*code, explain(*code, *credit));

  Hold hold;
  hold.id = context.next_id<HoldId>();
  hold.merchant_id = command.merchant_id;
  hold.account_id = command.account_id;
  hold.credit_account_id = command.credit_account_id;
  hold.amount = command.amount;
  hold.currency = command.currency;
  hold.source = command.source;
  hold.reference = command.reference;
  hold.fingerprint = command.fingerprint;
  hold.source_ip = command.source_ip;
  hold.expires_at = context.now + command.expires_in;
  hold.due_at = hold.expires_at;
  hold.created_at = context.now;
  context.rows.keys.insert(key, {key, hold.merchant_id, hold.id.value});
  AccountWriter writer(context, command.account_id);
  writer.account().held += hold.amount;
  writer.created(hold);
  return CommandResult{.object = context.rows.holds.insert(hold.id, hold).id, .created = true};
}

}  // namespace finality
