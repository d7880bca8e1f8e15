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
  std::optional<MinorUnits> amount;  // in minor units; empty: the remaining refundable amount
  std::string merchant_refund_no;
  std::optional<std::string> reason;
  // Channel, currency and account of the payment. The caller looks up the three fields, because they determine the
  // ledger accounts to load.
  std::string channel;
  Currency currency;
  std::optional<AccountId> account_id{};
};

void add_reads(const CreateRefund& command, ReadSet& reads);

/// Debits the merchant's payable account and claims the send. A repeated request (same merchant_refund_no and fields)
/// returns the existing refund. Refuses with `not_found` (no such payment), `merchant_refund_no_conflict` (a refund
/// with other fields has this merchant_refund_no), `payment_not_refundable` (by the payment's state, a parked order,
/// the channel, the limit of refunds, or an unknown refunded amount), `refund_exceeds_paid` (the amount exceeds the
/// refundable amount), `busy` (the payment was created concurrently).
Decision decide(const CreateRefund& command, Context& context);

}  // namespace finality
