#include "decide/payment/record_unknown_receipt.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "decide/channel/channel_operation.h"
#include "decide/exception/open_case.h"
#include "decide/payment/unknown_receipt_writer.h"
#include "model/natural_key.h"
#include "model/out_trade_no.h"

namespace finality {
namespace {

// Returns the merchant in the out_trade_no of a payment or capture; empty if it does not have the format of Finality.
std::optional<MerchantId> merchant_of(std::string_view out_trade_no) {
  if (const auto payment = parse_out_trade_no(out_trade_no)) return payment->merchant_id;
  if (const auto capture = parse_out_capture_no(out_trade_no)) return capture->merchant_id;
  return std::nullopt;
}

// Returns the keys of the receipts that the merchant of the out_trade_no could have of this trade. A capture has two:
// with its ordinal if the channel uses one trade number for all captures.
std::vector<Hash16> keys_at_merchant(const RecordUnknownReceipt& command) {
  const auto merchant = merchant_of(command.out_trade_no);
  if (!merchant || *merchant == kPlatform) return {};
  const std::string trade_no = command.evidence.channel_trade_no.value_or("");
  std::vector<Hash16> keys = {key_of_receipt(*merchant, command.channel, trade_no)};
  if (const auto capture = parse_out_capture_no(command.out_trade_no))
    keys.push_back(key_of_receipt(*merchant, command.channel, trade_no, capture->ordinal));
  return keys;
}

Hash16 key_at_platform(const RecordUnknownReceipt& command) {
  return finality::key_at_platform(command.channel, command.evidence.channel_trade_no.value_or(""));
}

bool reports_refund(const Evidence& evidence) {
  return evidence.refund || evidence.refunded > 0 || evidence.is_refund_unknown;
}

// Returns true if the evidence reports other facts than the receipt, so that its amount cannot be assigned.
bool contradicts(const RecordUnknownReceipt& command, const UnknownReceipt& receipt) {
  const Evidence& evidence = command.evidence;
  return evidence.amount != receipt.amount || evidence.currency != receipt.currency ||
         command.out_trade_no != receipt.out_trade_no || reports_refund(evidence);
}

// Includes the out_trade_no, which the evidence does not contain.
std::int64_t digest_of(const RecordUnknownReceipt& command) {
  return digest_of(command.evidence, kPlatform, command.out_trade_no);
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
  receipt.last_evidence = digest_of(command);
  receipt.paid_at = evidence.paid_at;
  receipt.created_at = context.now;
  return receipt;
}

void book(UnknownReceiptWriter& writer) {
  const UnknownReceipt& receipt = writer.receipt();
  const auto journal = post(writer.context(), posting_for(receipt, EntryType::unknown_receipt, receipt.merchant_id));
  if (journal) writer.noted("booked", *journal);
}

// Prevents the assignment of the receipt. Records the event once per receipt.
void contradict(UnknownReceiptWriter& writer) {
  UnknownReceipt& receipt = writer.receipt();
  if (!std::exchange(receipt.is_contradicted, true)) writer.noted("contradicted");
}

// Adds evidence about a known receipt to its case. A resolved case is final, so its receipt gets another case.
Decision record_further(const RecordUnknownReceipt& command, Context& context, const UnknownReceipt& known) {
  const UnknownReceiptId id = known.id;
  const std::int64_t digest = digest_of(command);
  const bool is_contradiction = contradicts(command, known);
  const bool is_news = is_contradiction || command.evidence.settlement;
  if (digest == known.last_evidence || !is_news) return CommandResult{.object = id};
  context.detail = PaymentEvidence{command.channel, command.evidence};
  UnknownReceiptWriter writer(context, id);
  writer.receipt().last_evidence = digest;
  if (is_contradiction) contradict(writer);
  add_case(writer, CaseKind::unknown_receipt, id);
  return CommandResult{.object = id};
}

}  // namespace

bool is_unknown_receipt(const Evidence& evidence) {
  return evidence.kind == EvidenceKind::paid && evidence.channel_trade_no && evidence.amount > 0;
}

void add_reads(const RecordUnknownReceipt& command, ReadSet& reads) {
  if (const auto merchant = merchant_of(command.out_trade_no)) reads.owners.push_back(*merchant);
  for (const Hash16& key : keys_at_merchant(command)) reads.keys.push_back({key});
  add_reads_of_trade(command.channel, command.evidence.channel_trade_no.value_or(""), reads);
  ledger::add_reads(EntryType::unknown_receipt, kPlatform, command.channel, command.evidence.currency, reads);
}

Decision decide(const RecordUnknownReceipt& command, Context& context) {
  if (!is_unknown_receipt(command.evidence))
    return refuse(RefusalCode::not_found, "The evidence reports no payment that can be booked.");
  const std::vector<Hash16> keys = keys_at_merchant(command);
  if (std::ranges::any_of(keys, [&](const Hash16& key) { return context.rows.keys.find(key) != nullptr; }))
    return refuse(RefusalCode::not_found, "The receipt of this trade is archived with its order.");
  const Hash16 key = key_at_platform(command);
  if (const Key* known = context.rows.keys.find(key)) {
    const UnknownReceiptAggregate* receipt = find_unknown_receipt(context.rows, *known);
    if (receipt != nullptr) return record_further(command, context, receipt->unknown_receipt);
    return refuse(RefusalCode::not_found, "The trade is booked for an order.");
  }

  context.detail = PaymentEvidence{command.channel, command.evidence};
  UnknownReceipt receipt = receipt_of(command, context);
  const UnknownReceiptId id = receipt.id;
  context.rows.keys.insert(key, {key, kPlatform, id.value});
  UnknownReceiptWriter writer(context, UnknownReceiptAggregate{std::move(receipt), {}});
  book(writer);
  if (reports_refund(command.evidence)) contradict(writer);
  add_case(writer, CaseKind::unknown_receipt, id);
  return CommandResult{.object = id, .created = true};
}

Hash16 key_at_platform(std::string_view channel, std::string_view channel_trade_no) {
  return key_of_receipt(kPlatform, channel, channel_trade_no);
}

// An earlier command of the batch can have added a key that refers to an order: its id was not read as that of a
// receipt.
const UnknownReceiptAggregate* find_unknown_receipt(const WorkingSet& rows, const Key& key) {
  const UnknownReceiptId id{key.id};
  return rows.unknown_receipts.loaded(id) ? rows.unknown_receipts.find(id) : nullptr;
}

void reserve_trade(Context& context, OrderId order, std::string_view channel, std::string_view channel_trade_no) {
  const Hash16 hash = key_at_platform(channel, channel_trade_no);
  const Key* known = context.rows.keys.find(hash);
  if (known == nullptr) {
    context.rows.keys.insert(hash, {hash, kPlatform, order.value});
    return;
  }
  const UnknownReceiptAggregate* receipt = find_unknown_receipt(context.rows, *known);
  if (receipt == nullptr) return;  // another capture with the same trade number
  const UnknownReceiptId id = receipt->unknown_receipt.id;
  UnknownReceiptWriter writer(context, id);
  contradict(writer);
  add_case(writer, CaseKind::unknown_receipt, id);
}

void add_reads_of_trade(std::string_view channel, std::string_view channel_trade_no, ReadSet& reads) {
  reads.owners.push_back(kPlatform);
  reads.keys.push_back({key_at_platform(channel, channel_trade_no), ObjectType::unknown_receipt});
}

}  // namespace finality
