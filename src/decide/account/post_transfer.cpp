#include "decide/account/post_transfer.h"

#include "decide/account/debit.h"
#include "decide/account/transfer_writer.h"
#include "model/natural_key.h"

namespace finality {
namespace {

// Returns the result for a repeated reference: the existing transfer in its current state, or its stored refusal.
Decision answer_again(const PostTransfer& command, const Transfer& known, const Context& context) {
  if (context.cell(transfer_machine, known.state, TransferEvent::post).kind == fsm::CellKind::refuse &&
      known.amount == 0)
    return refuse(RefusalCode::already_reversed,
                  "The transfer was reversed before it arrived, and is not posted. Use a new reference.", "reference",
                  std::string(name_of(known.state)));
  if (known.fingerprint != command.fingerprint)
    return refuse(RefusalCode::reference_conflict,
                  "This reference belongs to a transfer with other fields. Use a new reference, or repeat the first "
                  "request.",
                  "reference");
  if (known.refusal)
    return refuse(parse_enum<RefusalCode>(*known.refusal).value_or(RefusalCode::illegal_transition),
                  "The first transfer with this reference was refused, which is final. Use a new reference.", {},
                  std::string(name_of(known.state)));
  return CommandResult{.object = known.id};
}

// Returns the requested amount, or quantity × price. Empty when the product exceeds limits::kAmountMax.
std::optional<MinorUnits> amount_of(const PostTransfer& command, const Price* price) {
  if (price == nullptr) return command.amount;
  const std::int64_t quantity = command.quantity.value_or(1);
  if (price->amount > limits::kAmountMax / quantity) return std::nullopt;
  return price->amount * quantity;
}

Transfer transfer_of(const PostTransfer& command, Context& context) {
  Transfer transfer;
  transfer.id = context.next_id<TransferId>();
  transfer.merchant_id = command.merchant_id;
  transfer.debit_account_id = command.debit_account_id;
  transfer.credit_account_id = command.credit_account_id;
  transfer.currency = command.currency;
  transfer.source = command.source;
  transfer.reference = command.reference;
  transfer.fingerprint = command.fingerprint;
  transfer.price = command.price;
  if (command.price) transfer.quantity = command.quantity.value_or(1);
  transfer.by_user = command.by_user;
  transfer.info = command.info;
  transfer.source_ip = command.source_ip;
  transfer.created_at = context.now;
  return transfer;
}

}  // namespace

void add_reads(const PostTransfer& command, ReadSet& reads) {
  reads.keys.push_back({key_of_transfer(command.merchant_id, command.source, command.reference), ObjectType::transfer});
  reads.accounts.push_back(command.debit_account_id);
  reads.accounts.push_back(command.credit_account_id);
  if (command.price) reads.keys.push_back({key_of_price(command.merchant_id, *command.price), ObjectType::price});
}

Decision decide(const PostTransfer& command, Context& context) {
  const Hash16 key = key_of_transfer(command.merchant_id, command.source, command.reference);
  if (const Key* taken = context.rows.keys.find(key))
    return answer_again(command, *context.rows.transfers.find(TransferId{taken->id}), context);

  const Account* debit = find_user_account(context, command.merchant_id, command.debit_account_id);
  if (debit == nullptr) return refuse(RefusalCode::not_found, "The account does not exist.", "debit_account");
  const Account* credit = find_user_account(context, command.merchant_id, command.credit_account_id);
  if (credit == nullptr) return refuse(RefusalCode::not_found, "The account does not exist.", "credit_account");
  if (debit == credit)
    return refuse(RefusalCode::invalid_request, "credit_account must differ from debit_account.", "credit_account");
  if (auto free = check_lock(*debit, command.lock_token, context.now); !free) return std::unexpected(free.error());

  const Price* price = nullptr;
  if (command.price)
    if (const Key* named = context.rows.keys.find(key_of_price(command.merchant_id, *command.price)))
      price = context.rows.prices.find(PriceId{named->id});
  Transfer transfer = transfer_of(command, context);
  if (command.price && price == nullptr)
    return refuse_transfer(context, std::move(transfer), RefusalCode::price_not_found,
                           fmt::format("The price list has no price {}.", *command.price));
  const std::optional<MinorUnits> amount = amount_of(command, price);
  if (!amount)
    return refuse(RefusalCode::invalid_request,
                  fmt::format("quantity times the price must be at most {}.", limits::kAmountMax), "quantity");
  transfer.amount = *amount;
  if (price != nullptr && price->currency != command.currency)
    return refuse_transfer(context, std::move(transfer), RefusalCode::currency_mismatch,
                           fmt::format("The currency of the price is {}.", price->currency.text()));
  if (const auto code = refused_debit(context, *debit, *amount, command.currency))
    return refuse_transfer(context, std::move(transfer), *code, explain(*code, *debit));
  if (const auto code = refused_credit(context, *credit, command.currency))
    return refuse_transfer(context, std::move(transfer), *code, explain(*code, *credit));
  return CommandResult{.object = post_transfer(context, std::move(transfer), EntryType::transfer), .created = true};
}

}  // namespace finality
