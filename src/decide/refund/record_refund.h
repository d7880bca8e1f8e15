// Records evidence about a refund or reversal: applies it to the row's state machine and books the result.
#pragma once

#include "decide/order/order_writer.h"
#include "model/effect.h"
#include "model/evidence.h"
#include "model/read_set.h"

namespace finality {

struct RecordRefund {
  MerchantId merchant_id;
  OrderId order_id;
  ObjectRef row;              // the refund or the reversal
  std::string out_refund_no;  // number of the attempt; for an earlier attempt only a success is recorded
  std::string channel;
  Currency currency;
  MinorUnits amount = 0;  // amount of the attempt
  RefundEvidence evidence;
};

/// Returns the command that records `evidence`, the reply to `call`.
inline RecordRefund record_of(const RefundCall& call, RefundEvidence evidence) {
  return {call.merchant_id, call.order_id, call.row,    call.out_refund_no,
          call.channel,     call.currency, call.amount, std::move(evidence)};
}

void add_reads(const RecordRefund& command, ReadSet& reads);

/// Adds the merchant's ledger accounts that evidence about a refund or reversal over the channel can change.
void add_reads_of_refund_evidence(MerchantId merchant, std::string_view channel, Currency currency, ReadSet& reads);

/// Repeated evidence changes only due_at. Refuses with `not_found` (the merchant has no such refund or reversal).
Decision decide(const RecordRefund& command, Context& context);

/// Applies evidence to the refund: moves its state, posts, returns its fee, opens or settles cases and notifies the
/// merchant. `is_late`: the evidence is about a replaced attempt, so a case `conflicting_result` is opened.
void apply_refund_evidence(OrderWriter& writer, Refund& refund, const RecordRefund& command, bool is_late = false);

/// Completes a reversal whose amount was returned to the payer: marks its receipt as returned, settles its case
/// `reversal_blocked` and notifies the merchant (`payment.reversed`).
void end_reversal(OrderWriter& writer, Reversal& reversal);

}  // namespace finality
