#include "decide/payment/record_unknown_receipt.h"

#include <utility>

#include "decide/exception/open_case.h"
#include "decide/payment/unknown_receipt_writer.h"
#include "model/natural_key.h"
#include "model/out_trade_no.h"

namespace finality {
namespace {

// Returns the key of a receipt that the merchant of the out_trade_no would have of this trade; empty if the
// out_trade_no does not have the format of Finality.
std::optional<Hash16> key_at_merchant(const RecordUnknownReceipt& command) {
  const auto number = parse_out_trade_no(command.out_trade_no);
  if (!number || number->merchant_id == kPlatform) return std::nullopt;
  return key_of_receipt(number->merchant_id, command.channel, command.evidence.channel_trade_no.value_or(""));
}

Hash16 key_at_platform(const RecordUnknownReceipt& command) {
  return key_of_receipt(kPlatform, command.channel, command.evidence.channel_trade_no.value_or(""));
}

UnknownReceipt receipt_of(const RecordUnknownReceipt& command, Context& context) {
  const Evidence& evidence = command.evidence;
  UnknownReceipt receipt;
  receipt.id = context.next_id<UnknownReceiptId>();
  receipt.channel = command.channel;
  receipt.channel_account_id = context.policy.account_of(command.channel);
  receipt.channel_trade_no = *evidence.channel_trade_no;
  receipt.out_trade_no = command.out_trade_no;
  receipt.amount = evidence.amount;
  receipt.currency = evidence.currency;
  receipt.funds = context.policy.funds_of(command.channel);
  receipt.paid_at = evidence.paid_at;
  receipt.created_at = context.now;
  return receipt;
}

void book(UnknownReceiptWriter& writer) {
  const UnknownReceipt& receipt = writer.receipt();
  const auto journal = post(writer.context(), posting_for(receipt, EntryType::unknown_receipt, receipt.merchant_id));
  if (journal) writer.noted("booked", *journal);
}

}  // namespace

bool is_unknown_receipt(const Evidence& evidence) {
  return evidence.kind == EvidenceKind::paid && evidence.channel_trade_no && evidence.amount > 0 && !evidence.refund &&
         evidence.refunded == 0 && !evidence.is_refund_unknown;
}

void add_reads(const RecordUnknownReceipt& command, ReadSet& reads) {
  if (const auto number = parse_out_trade_no(command.out_trade_no)) reads.owners.push_back(number->merchant_id);
  if (const auto key = key_at_merchant(command)) reads.keys.push_back({*key});
  reads.keys.push_back({key_at_platform(command)});
  ledger::add_reads(EntryType::unknown_receipt, kPlatform, command.channel, command.evidence.currency, reads);
}

Decision decide(const RecordUnknownReceipt& command, Context& context) {
  if (!is_unknown_receipt(command.evidence))
    return refuse(RefusalCode::not_found, "The evidence reports no payment that can be booked.");
  if (const auto key = key_at_merchant(command); key && context.rows.keys.find(*key) != nullptr)
    return refuse(RefusalCode::not_found, "The receipt of this trade is archived with its order.");
  const Hash16 key = key_at_platform(command);
  if (const Key* known = context.rows.keys.find(key)) return CommandResult{.object = UnknownReceiptId{known->id}};

  context.detail = PaymentEvidence{command.channel, command.evidence};
  UnknownReceipt receipt = receipt_of(command, context);
  const UnknownReceiptId id = receipt.id;
  context.rows.keys.insert(key, {key, kPlatform, id.value});
  UnknownReceiptWriter writer(context, UnknownReceiptAggregate{std::move(receipt), {}});
  book(writer);
  add_case(writer, CaseKind::unknown_receipt, id);
  return CommandResult{.object = id, .created = true};
}

}  // namespace finality
