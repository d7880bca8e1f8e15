#include "decide/account/transfer_writer.h"

#include "decide/post.h"
#include "model/natural_key.h"
#include "model/policy.h"

namespace finality {
namespace {

std::optional<EntryId> post(Context& context, const Transfer& transfer, EntryType type, AccountId debit,
                            AccountId credit) {
  return finality::post(context, {.type = type,
                                  .merchant_id = transfer.merchant_id,
                                  .channel = std::string(kWallet),
                                  .currency = transfer.currency,
                                  .amount = transfer.amount,
                                  .document = transfer.id,
                                  .root_id = transfer.id.value,
                                  .debit_account = debit,
                                  .credit_account = credit});
}

}  // namespace

TransferId add_transfer(Context& context, Transfer transfer, TransferEvent event, std::optional<EntryId> journal) {
  const auto& cell = context.cell(transfer_machine, transfer.state, event);
  FINALITY_CHECK(cell.kind == fsm::CellKind::move, "a transfer is created by a move");
  transfer.state = cell.to;
  const TransferId id = transfer.id;
  const Hash16 key = key_of_transfer(transfer.merchant_id, transfer.source, transfer.reference);
  context.rows.keys.insert(key, {key, transfer.merchant_id, id.value});
  record(context, {id, transfer.merchant_id, transfer.version}, id, "created", std::nullopt, name_of(transfer.state),
         fsm::CellKind::move)
      .journal_id = journal;
  context.rows.transfers.insert(id, std::move(transfer));
  return id;
}

TransferId post_transfer(Context& context, Transfer transfer, EntryType type) {
  const auto journal = post(context, transfer, type, *transfer.debit_account_id, *transfer.credit_account_id);
  return add_transfer(context, std::move(transfer), TransferEvent::post, journal);
}

std::unexpected<Refusal> refuse_transfer(Context& context, Transfer transfer, RefusalCode code, std::string detail) {
  transfer.refusal = name_of(code);
  add_transfer(context, std::move(transfer), TransferEvent::refuse);
  return refuse_and_keep(code, std::move(detail), std::string(name_of(TransferState::refused)));
}

TransferId reverse_transfer(Context& context, TransferId id) {
  Transfer& transfer = context.rows.transfers.change(id);
  const auto journal =
      post(context, transfer, EntryType::transfer_reversed, *transfer.credit_account_id, *transfer.debit_account_id);
  apply_transition(context, transfer_machine, transfer, TransferEvent::reverse, false, journal, [&transfer] {
    transfer.version += 1;
    return Root{transfer.id, transfer.merchant_id, transfer.version};
  });
  return id;
}

}  // namespace finality
