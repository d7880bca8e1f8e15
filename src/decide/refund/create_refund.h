// POST /v1/refunds: refunds a payment, a capture or the captures of an authorization in full or in part.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct CreateRefund {
  MerchantId merchant_id;
  ObjectRef collected;               // the payment, capture or authorization to refund
  std::optional<MinorUnits> amount;  // in minor units; empty: the remaining refundable amount
  std::string merchant_refund_no;
  std::optional<std::string> reason;
  // Channel, currency and account of the payment or authorization. The caller looks up the three fields, because they
  // determine the ledger accounts to load.
  std::string channel;
  Currency currency;
  std::optional<AccountId> account_id{};
  OrderId order_id{};  // order of the capture or authorization, looked up by the caller; not used for a payment
};

void add_reads(const CreateRefund& command, ReadSet& reads);

/// Debits the merchant's payable account and claims the send. A repeated request (same merchant_refund_no and fields)
/// returns the existing refund. Without `amount` it is a repetition whatever the amount of the refund is: whether the
/// first request had an amount is not stored. Captures are refundable while their authorization still holds the rest.
/// Refuses with `not_found` (no such payment, capture or authorization), `merchant_refund_no_conflict` (a refund with
/// other fields has this merchant_refund_no), `payment_not_refundable` (by the state, a parked order, the channel, the
/// limit of refunds, an unknown refunded amount, or a request that names a capture where the channel refunds the
/// authorization, or the reverse), `refund_exceeds_paid` (the amount exceeds the refundable amount), `busy` (the
/// payment or authorization was created concurrently).
Decision decide(const CreateRefund& command, Context& context);

}  // namespace finality
