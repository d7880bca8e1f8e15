// POST /v1/refunds: refunds a payment in full or in part.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct CreateRefund {
  MerchantId merchant_id;
  PaymentId payment_id;
  std::optional<MinorUnits> amount;  // empty: the remaining refundable amount
  std::string merchant_refund_no;
  std::optional<std::string> reason;
  // Channel, currency and account of the payment. The caller looks them up, because they determine the accounts to
  // load.
  std::string channel;
  Currency currency;
  std::optional<AccountId> account_id{};
};

void add_reads(const CreateRefund& command, ReadSet& reads);

/// Debits the merchant's payable account and claims the send. The same merchant_refund_no with the same fields returns
/// the same refund. Refuses: not_found, merchant_refund_no_conflict, payment_not_refundable, refund_exceeds_paid, busy.
Decision decide(const CreateRefund& command, Context& context);

}  // namespace finality
