#include "decide/account/reverse_transfer.h"

#include "decide/account/debit.h"
#include "decide/account/transfer_writer.h"
#include "model/natural_key.h"

namespace finality {

void add_reads(const ReverseTransfer& command, ReadSet& reads) {
  reads.keys.push_back({key_of_transfer(command.merchant_id, command.source, command.reference), ObjectType::transfer});
}

Decision decide(const ReverseTransfer& command, Context& context) {
  const Hash16 key = key_of_transfer(command.merchant_id, command.source, command.reference);
  const Key* taken = context.rows.keys.find(key);
  if (taken == nullptr) {
    Transfer tombstone;
    tombstone.id = context.next_id<TransferId>();
    tombstone.merchant_id = command.merchant_id;
    tombstone.source = command.source;
    tombstone.reference = command.reference;
    tombstone.created_at = context.now;
    return CommandResult{.object = add_transfer(context, std::move(tombstone), TransferEvent::reverse)};
  }

  const Transfer& known = *context.rows.transfers.find(TransferId{taken->id});
  if (context.cell(transfer_machine, known.state, TransferEvent::reverse).kind == fsm::CellKind::keep)
    return CommandResult{.object = known.id};
  const Account& payer = *context.rows.accounts.find(*known.credit_account_id);  // debited by the reversal
  const Account& payee = *context.rows.accounts.find(*known.debit_account_id);
  if (auto free = check_lock(payer, command.lock_token, context.now); !free) return std::unexpected(free.error());
  if (const auto code = refused_debit(context, payer, known.amount, known.currency))
    return refuse(*code, explain(*code, payer), {}, std::string(name_of(known.state)));
  if (const auto code = refused_credit(context, payee, known.currency))
    return refuse(*code, explain(*code, payee), {}, std::string(name_of(known.state)));
  return CommandResult{.object = reverse_transfer(context, known.id)};
}

}  // namespace finality
