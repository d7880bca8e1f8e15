// Records evidence about a refund or reversal: applies it to the row's machine and books the result.
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
  std::string out_refund_no;  // names the attempt; of an earlier attempt only a success has an effect
  std::string channel;
  Currency currency;
  MinorUnits amount = 0;  // of the attempt
  RefundEvidence evidence;
};

/// The command that records evidence from the call.
inline RecordRefund record_of(const RefundCall& call, RefundEvidence evidence) {
  return {call.merchant_id, call.order_id, call.row,    call.out_refund_no,
          call.channel,     call.currency, call.amount, std::move(evidence)};
}

void add_reads(const RecordRefund& command, ReadSet& reads);

/// Adds the merchant's ledger accounts that evidence about a refund or reversal over the channel can change.
void add_reads_of_refund_evidence(MerchantId merchant, std::string_view channel, Currency currency, ReadSet& reads);

/// Refuses: not_found.
Decision decide(const RecordRefund& command, Context& context);

/// Applies evidence to the refund: its machine, its postings, its fee, its cases, the notification of the merchant.
/// `is_late`: the evidence is about a replaced attempt.
void apply_refund_evidence(OrderWriter& writer, Refund& refund, const RecordRefund& command, bool is_late = false);

/// Ends a reversal that has reached the payer: marks its receipt as returned and notifies the merchant.
void end_reversal(OrderWriter& writer, Reversal& reversal);

}  // namespace finality
