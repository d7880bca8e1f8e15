// POST /v1/payments/{id}/query: queries the channel now instead of at the payment's due_at.
#pragma once

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct QueryPayment {
  MerchantId merchant_id;
  PaymentId payment_id;
};

void add_reads(const QueryPayment& command, ReadSet& reads);

/// Has no effect on a payment that is not sent yet and on a wallet payment. Refuses with `not_found` (no such payment).
Decision decide(const QueryPayment& command, Context& context);

}  // namespace finality
