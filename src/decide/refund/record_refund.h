// What a channel said of money going back meets the machine of the refund or the reversal.
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
  std::string out_refund_no;  // the attempt that was asked about; of an earlier one only its success counts
  std::string channel;
  Currency currency;
  MinorUnits amount = 0;  // what that attempt gives back
  RefundEvidence evidence;
};

/// What an answer to the call is recorded with.
inline RecordRefund record_of(const RefundCall& call, RefundEvidence evidence) {
  return {call.merchant_id, call.order_id, call.row,    call.out_refund_no,
          call.channel,     call.currency, call.amount, std::move(evidence)};
}

void add_reads(const RecordRefund& command, ReadSet& reads);

/// Refuses: not_found.
Decision decide(const RecordRefund& command, Context& context);

/// The refund hears the evidence: its machine, its postings, its fee, the case it may make, the merchant who is told.
/// `is_late`: by an attempt that had been given up.
void hear_of_refund(OrderWriter& writer, Refund& refund, const RecordRefund& command, bool is_late = false);

/// The reversal's money is with the payer: its receipt is returned, and the merchant is told.
void end_reversal(OrderWriter& writer, Reversal& reversal);

}  // namespace finality
