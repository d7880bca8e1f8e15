// Money going back, refund or reversal, came due: claim what its state owes (send, query) and hand it to the worker.
#pragma once

#include "decide/order_writer.h"
#include "model/needs.h"

namespace finality {

struct ClaimRefund {
  MerchantId merchant_id;
  OrderId order_id;
  ObjectRef row;  // the refund or the reversal
  Time due_at;    // as scanned: a row that moved on meanwhile is not claimed
};

void add_needs(const ClaimRefund& command, Needs& needs);
Decision decide(const ClaimRefund& command, Context& context);

/// The row's `send` event, its number upstream, its deadline, and the request itself for the worker.
void claim_send(OrderWriter& writer, Refund& refund);
void claim_send(OrderWriter& writer, Reversal& reversal);

}  // namespace finality
