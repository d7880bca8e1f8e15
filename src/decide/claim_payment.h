// A payment came due: claim what its state owes (send, query, close upstream, chase) and hand it to the worker.
//
// A send is claimed by its own event, in the commit that sets the deadline, before any byte leaves. Asking is claimed
// by moving `due_at` on: it changes no state, so it makes no new version.
#pragma once

#include "decide/order_writer.h"
#include "model/needs.h"

namespace finality {

struct ClaimPayment {
  MerchantId merchant_id;
  OrderId order_id;
  PaymentId payment_id;
  Time due_at;  // as scanned: a row that moved on meanwhile is not claimed
};

void add_needs(const ClaimPayment& command, Needs& needs);
Decision decide(const ClaimPayment& command, Context& context);

/// The payment's `send` event, its deadline, and the request itself for the worker.
void claim_send(OrderWriter& writer, Payment& payment);

/// Asks the worker for `kind` now; the row is due again when no answer came. Makes no new version.
void claim_call(Context& context, const Order& order, Payment& payment, ChannelCallKind kind);

}  // namespace finality
