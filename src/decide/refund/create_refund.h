// POST /v1/refunds: the merchant gives money back, all of it or a part.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct CreateRefund {
  MerchantId merchant_id;
  PaymentId payment_id;
  std::optional<MinorUnits> amount;  // empty: all that is left
  std::string merchant_refund_no;
  std::optional<std::string> reason;
  // As the payment has them; the caller looked them up, since the accounts to load depend on them.
  std::string channel;
  Currency currency;
  std::optional<AccountId> account_id{};
};

void add_reads(const CreateRefund& command, ReadSet& reads);

/// Takes the money out of the merchant's payable, claims the sending and asks the worker to send it. The same number
/// with the same content is the same refund. Refuses: not_found, merchant_refund_no_conflict, payment_not_refundable,
/// refund_exceeds_paid.
Decision decide(const CreateRefund& command, Context& context);

}  // namespace finality
