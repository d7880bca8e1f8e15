#include "sim/auditors/posting_auditor.h"

#include <algorithm>
#include <cstdlib>

#include "model/policy.h"
#include "sim/auditors/collected.h"

namespace finality::sim {
namespace {

// Returns true if the refund debits the merchant: the refunded receipt was accepted.
bool takes_from_merchant(const OrderAggregate& aggregate, const Refund& refund) {
  const Receipt* receipt = refunded_receipt(aggregate, refund);
  return receipt != nullptr && receipt->state == ReceiptState::accepted;
}

// Returns what collected the money of a receipt, refund, return or settlement of the order; empty for other documents.
std::optional<CollectedBy> collected_by_document(const OrderAggregate& aggregate, const Entry& entry) {
  const auto of = [&](const auto* row) { return row != nullptr ? collected_by(aggregate, *row) : std::nullopt; };
  switch (entry.document_type) {
    case ObjectType::receipt:
      return of(find_row(aggregate.receipts, ReceiptId{entry.document_id}));
    case ObjectType::refund:
      return of(find_row(aggregate.refunds, RefundId{entry.document_id}));
    case ObjectType::money_return: {
      const Return* row = find_row(aggregate.returns, ReturnId{entry.document_id});
      return row != nullptr ? of(find_row(aggregate.refunds, row->refund_id)) : std::nullopt;
    }
    case ObjectType::channel_settlement:
      return of(find_row(aggregate.channel_settlements, ChannelSettlementId{entry.document_id}));
    default:
      return std::nullopt;
  }
}

// Whether the receipt of a payment has another amount than its order.
bool is_of_other_amount(const OrderAggregate& aggregate, const Receipt& receipt) {
  return !receipt.capture_id && receipt.amount != aggregate.order.amount;
}

}  // namespace

void PostingAuditor::look_at(const WorkingSet& rows) {
  for (const Entry& entry : rows.entries)
    if (entry.id == entry.journal_id)
      posted_[{entry.type, entry.document_type, entry.document_id}] += std::abs(entry.amount);
  rows.orders.each([&](const OrderId&, const auto& base, const auto& now) {
    if (!now || (base && base->order.version == now->order.version)) return;
    check_order(*now);
    check_owners(rows, *now);
    check_conversions(rows, *now);
  });
  rows.transfers.each([&](const TransferId& id, const auto& base, const auto& now) {
    if (!now || (base && base->version == now->version)) return;
    if (!now->debit_account_id || now->source == "wallet") return;
    const bool moved = now->state == TransferState::posted || now->state == TransferState::reversed;
    require(EntryType::transfer, id, moved ? now->amount : 0);
    require(EntryType::transfer_reversed, id, now->state == TransferState::reversed ? now->amount : 0);
  });
  rows.holds.each([&](const HoldId& id, const auto& base, const auto& now) {
    if (!now || (base && base->version == now->version)) return;
    const MinorUnits posted = now->state == HoldState::posted ? now->posted_amount : 0;
    const bool is_of_authorization = now->source == kWallet;
    require(EntryType::hold_posted, id, is_of_authorization ? 0 : posted);
    require(EntryType::wallet_paid, id, is_of_authorization ? posted : 0);
  });
  rows.adjustments.each([&](const AdjustmentId&, const auto& base, const auto& now) {
    if (now && (!base || base->version != now->version)) check_adjustment(rows, *now);
  });
}

void PostingAuditor::require(EntryType type, ObjectRef document, MinorUnits amount) {
  const auto at = posted_.find({type, document.type, document.value});
  const MinorUnits posted = at == posted_.end() ? 0 : at->second;
  findings_.require(posted == amount, "7 one posting per document", "{} of {}: {} posted, {} expected", name_of(type),
                    to_text(document), posted, amount);
}

void PostingAuditor::check_order(const OrderAggregate& aggregate) {
  MinorUnits refunded = 0;
  for (const Receipt& receipt : aggregate.receipts) {
    const bool accepted = receipt.state == ReceiptState::accepted;
    const bool was_mismatch = accepted && is_of_other_amount(aggregate, receipt);
    require(EntryType::receipt_accepted, receipt.id, accepted && !was_mismatch ? receipt.amount : 0);
    require(EntryType::mismatch_accepted, receipt.id, was_mismatch ? receipt.amount : 0);
    require(EntryType::receipt_written_off, receipt.id, receipt.written_off);
    if (receipt.state == ReceiptState::suspense || was_mismatch)
      require(EntryType::receipt_in_suspense, receipt.id, receipt.amount);
  }
  for (const Refund& refund : aggregate.refunds) {
    const bool done = refund.state == RefundState::succeeded;
    const MinorUnits ours = refund.origin == RefundOrigin::merchant ? refund.amount : 0;
    const MinorUnits external = done ? refund.amount - ours : 0;
    require(EntryType::refund_accepted, refund.id, ours);
    require(EntryType::refund_succeeded, refund.id, done ? ours : 0);
    require(EntryType::refund_failed, refund.id, refund.state == RefundState::failed ? ours : 0);
    require(EntryType::external_refund, refund.id, external - refund.from_suspense);
    require(EntryType::external_refund_from_suspense, refund.id, refund.from_suspense);
    require(EntryType::external_refund_charged, refund.id, refund.charged);
    require(EntryType::fee_returned, refund.id, refund.fee_returned);
    if (done && takes_from_merchant(aggregate, refund)) refunded += refund.amount - refund.returned_amount;
  }
  for (const Return& row : aggregate.returns) {
    require(EntryType::refund_returned, row.id, row.amount - row.to_platform);
    require(EntryType::charged_refund_returned, row.id, row.to_platform);
    require(EntryType::fee_charged_again, row.id, row.fee_charged);
  }
  for (const ChannelSettlement& row : aggregate.channel_settlements) {
    const bool of_receipt = row.document_type == ObjectType::receipt;
    const auto when = [](bool wanted, MinorUnits amount) { return wanted ? amount : 0; };
    require(EntryType::receipt_converted, row.id, when(of_receipt && row.is_converted(), row.amount));
    require(EntryType::refund_converted, row.id, when(!of_receipt && row.is_converted(), row.amount));
    require(EntryType::receipt_converted_for_merchant, row.id, when(of_receipt, row.merchant_amount));
    require(EntryType::refund_converted_for_merchant, row.id, when(!of_receipt, row.merchant_amount));
    require(EntryType::channel_fee, row.id, when(row.fee > 0, row.fee));
    require(EntryType::channel_fee_returned, row.id, when(row.fee < 0, -row.fee));
  }
  for (const Reversal& reversal : aggregate.reversals) {
    const auto in = [&](ReversalState state) { return reversal.state == state ? reversal.amount : 0; };
    require(EntryType::reversal_succeeded, reversal.id, in(ReversalState::succeeded));
    require(EntryType::reversal_settled_offline, reversal.id, in(ReversalState::settled_offline));
  }
  for (const Payment& payment : aggregate.payments) require(EntryType::fee_charged, payment.id, payment.fee_amount);
  for (const Capture& capture : aggregate.captures) require(EntryType::fee_charged, capture.id, capture.fee_amount);
  for (const Receipt& receipt : aggregate.receipts)
    if (receipt.state == ReceiptState::accepted) check_fees(aggregate, receipt);
  findings_.require(aggregate.order.refunded_amount == refunded, "5 refunds",
                    "{} shows {} as refunded, its refunds sum to {}", to_text(aggregate.order.id),
                    aggregate.order.refunded_amount, refunded);
}

// Checks that a posted adjustment, and no other, has one journal with one entry on the adjusted account and one on the
// counterpart, and that another key than the proposer's approved it.
void PostingAuditor::check_adjustment(const WorkingSet& rows, const Adjustment& adjustment) {
  using enum EntryType;
  const bool is_posted = adjustment.state == AdjustmentState::posted;
  const bool is_credit = adjustment.amount > 0;
  const EntryType expected = adjustment.type == AdjustmentType::penalty ? penalty
                             : adjustment.type == AdjustmentType::rounding
                                 ? (is_credit ? rounding_loss : rounding_gain)
                                 : (is_credit ? opening_balance_credited : opening_balance_debited);
  for (const EntryType type :
       {opening_balance_credited, opening_balance_debited, penalty, rounding_loss, rounding_gain})
    require(type, adjustment.id, is_posted && type == expected ? std::abs(adjustment.amount) : 0);
  if (!is_posted) return;
  const AccountKind counterpart = adjustment.type == AdjustmentType::opening_balance ? AccountKind::equity
                                  : adjustment.funds == Funds::platform              ? AccountKind::loss
                                                                                     : AccountKind::merchant_direct;
  int entries = 0;
  for (const Entry& entry : rows.entries) {
    if (entry.document_type != ObjectType::adjustment || entry.document_id != adjustment.id.value) continue;
    ++entries;
    const Account& account = *rows.accounts.find(entry.account_id);
    const bool is_adjusted = entry.amount == adjustment.amount;
    findings_.require(account.kind == (is_adjusted ? adjustment.account : counterpart) &&
                          account.channel == (is_adjusted ? adjustment.channel : std::string()) &&
                          account.merchant_id == adjustment.merchant_id && entry.currency == adjustment.currency &&
                          (is_adjusted || entry.amount == -adjustment.amount),
                      "7 one posting per document", "{} posted {} to {} {}", to_text(adjustment.id), entry.amount,
                      name_of(account.kind), account.channel);
  }
  findings_.require(entries == 2, "7 one posting per document", "{} has {} entries", to_text(adjustment.id), entries);
  findings_.require(adjustment.decided_by && adjustment.decided_by != adjustment.proposed_by, "8 two operators",
                    "{} was approved by the key that proposed it", to_text(adjustment.id));
}

// Only money that the platform holds is payable to the merchant. The exceptions are fees, which the platform charges
// and returns, and refunds that the platform bears.
void PostingAuditor::check_owners(const WorkingSet& rows, const OrderAggregate& aggregate) {
  using enum AccountKind;
  for (const Entry& entry : rows.entries) {
    if (entry.root_id != aggregate.order.id.value) continue;
    const std::optional<CollectedBy> of = collected_by_document(aggregate, entry);
    if (!of || entry.type == EntryType::external_refund_charged || entry.type == EntryType::charged_refund_returned ||
        entry.type == EntryType::fee_returned || entry.type == EntryType::fee_charged_again)
      continue;
    const AccountKind kind = rows.accounts.find(entry.account_id)->kind;
    const bool is_held = of->funds == Funds::platform;
    const bool is_wrong = is_held ? kind == merchant_direct || kind == direct_refunds_in_transit
                                  : kind == merchant_payable || kind == refunds_in_transit;
    findings_.require(!is_wrong, "8 whose money", "{} of {}, whose funds are {}, is posted to {}", name_of(entry.type),
                      to_text(of->id), name_of(of->funds), name_of(kind));
  }
}

// A conversion moves the reported amount of each currency between the receivable, or the merchant's account, and the
// conversion account.
void PostingAuditor::check_conversions(const WorkingSet& rows, const OrderAggregate& aggregate) {
  for (const Entry& entry : rows.entries) {
    const ChannelSettlement* row = find_row(aggregate.channel_settlements, ChannelSettlementId{entry.document_id});
    const bool is_conversion = row != nullptr && entry.document_type == ObjectType::channel_settlement &&
                               entry.type != EntryType::channel_fee && entry.type != EntryType::channel_fee_returned;
    if (!is_conversion) continue;
    const bool for_merchant = entry.type == EntryType::receipt_converted_for_merchant ||
                              entry.type == EntryType::refund_converted_for_merchant;
    const bool is_settled = entry.currency == row->settled_currency;
    const MinorUnits amount = is_settled ? (for_merchant ? row->merchant_settled : row->settled_amount)
                                         : (for_merchant ? row->merchant_amount : row->amount);
    // A receipt's receivable is credited in the currency of the payment and debited in the settlement currency. The
    // merchant's account, the conversion account and refunds each reverse the direction.
    const bool is_fx = rows.accounts.find(entry.account_id)->kind == AccountKind::fx;
    const bool is_reversed = (row->document_type != ObjectType::receipt) != for_merchant != is_fx;
    const bool is_debit = is_settled != is_reversed;
    findings_.require(entry.amount == (is_debit ? -amount : amount), "7 conversions",
                      "{} of {} moves {} {}, the channel reported {}", name_of(entry.type), to_text(row->id),
                      entry.amount, entry.currency.text(), amount);
  }
}

// Checks that refundable fees were returned in proportion to the refunded amounts of the receipts of a trade.
void PostingAuditor::check_fees(const OrderAggregate& aggregate, const Receipt& receipt) {
  const MinorUnits refunded =
      refunds_of_trade(aggregate, receipt, [](const Refund& refund) { return refund.state == RefundState::succeeded; });
  MinorUnits returned = 0;
  for (const Refund& refund : aggregate.refunds) {
    const Receipt* of = refunded_receipt(aggregate, refund);
    if (of != nullptr && of->state == ReceiptState::accepted && is_one_trade(aggregate, *of, receipt))
      returned += refund.fee_returned - refund.fee_charged_again;
  }
  MinorUnits due = 0;
  for (const Receipt& other : aggregate.receipts) {
    if (other.state != ReceiptState::accepted || !is_one_trade(aggregate, other, receipt)) continue;
    const MinorUnits part = std::min(part_of_refunds(aggregate, other, refunded), other.amount);
    const std::optional<CollectedBy> of = collected_by(aggregate, other);
    if (of && of->fee_refundable && other.amount > 0) due += of->fee_amount * part / other.amount;
  }
  findings_.require(returned == due, "7 one posting per document", "{}: {} of its fee returned, {} expected",
                    to_text(receipt.id), returned, due);
}

}  // namespace finality::sim
