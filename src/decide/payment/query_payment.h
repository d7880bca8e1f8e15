// POST /v1/payments/{id}/query: ask the channel now, whatever the schedule says.
#pragma once

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct QueryPayment {
  MerchantId merchant_id;
  PaymentId payment_id;
};

void add_reads(const QueryPayment& command, ReadSet& reads);

/// Refuses: not_found. A payment that was never sent is not asked about.
Decision decide(const QueryPayment& command, Context& context);

}  // namespace finality
