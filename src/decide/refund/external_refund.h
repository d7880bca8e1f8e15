// Books external refunds, which a channel made without our request (in its console, for a complaint, or by paying
// twice). They are reported by number or by the running total of a trade (docs/adr/0030-external-refunds.md). They are
// facts and are booked regardless of our limits.
#pragma once

#include <string>
#include <string_view>

#include "decide/order/order_writer.h"
#include "model/evidence.h"
#include "model/read_set.h"

namespace finality {

/// Whether the channel made the refund without our request.
inline bool is_external(const Refund& refund) { return refund.origin == RefundOrigin::channel; }

/// The refunded receipt; null for a refund of a payment without an accepted receipt.
const Receipt* receipt_of(const OrderAggregate& aggregate, const Refund& refund);
const Receipt* receipt_of(const OrderAggregate& aggregate, const Reversal& reversal);

/// The booked refunds and reversals of one receipt over its channel.
struct BookedRefunds {
  MinorUnits own = 0;       // our succeeded refunds and reversals, without subtracting returns
  MinorUnits external = 0;  // external refunds, those in progress included
  bool is_open = false;     // one of them has an outstanding result, so totals cannot be interpreted
};
BookedRefunds booked_refunds(const OrderAggregate& aggregate, const Receipt& receipt);

/// The part of a receipt in suspense that still has to be returned.
MinorUnits left_in_suspense(const OrderAggregate& aggregate, const Receipt& receipt);

/// The part of the receipt's booked external refunds without a number. A number that is reported later is set off
/// against it.
MinorUnits unnumbered(const OrderAggregate& aggregate, const Receipt& receipt);

/// The sum of the receipt's refunds that succeeded or are in progress, minus their returns; with `succeeded_only` only
/// of those that succeeded.
MinorUnits refunded_of(const OrderAggregate& aggregate, const Receipt& receipt, bool succeeded_only);

/// The amount by which refunds and reversals exceed the receipt.
MinorUnits over_refunded(const OrderAggregate& aggregate, const Receipt& receipt);

/// The content of evidence of kind `paid` about external refunds that is not booked yet.
struct ExternalRefundChanges {
  bool is_new_number = false;  // an unknown refund number
  MinorUnits numbered = 0;     // the part of its amount that is not booked yet
  bool completes = false;      // the number of a refund in progress, which has succeeded
  MinorUnits unnumbered = 0;   // the part of the running total that no refund explains
  bool waits = false;          // the total exceeds the booked refunds and cannot be used while a result is outstanding
  bool must_query = false;     // the total exceeds the booked refunds and is too old: it must be queried again
  bool is_amount_hidden = false;  // a refund of unknown amount that no booked refund explains
  bool completes_query = false;   // completes the query of the total

  bool any() const {
    return is_new_number || completes || unnumbered > 0 || waits || must_query || is_amount_hidden || completes_query;
  }
};
ExternalRefundChanges external_refund_changes(const OrderAggregate& aggregate, const Receipt& receipt,
                                              const Evidence& evidence);

/// Adds the accounts that external refunds and returns are posted to.
void add_reads_of_external_refunds(MerchantId merchant, std::string_view channel, Currency currency, ReadSet& reads);

/// Books the content of `changes`, notifies the merchant (`refund.external`) and opens the cases.
void book_external_refunds(OrderWriter& writer, PaymentId payment, ReceiptId receipt, const Evidence& evidence,
                           const ExternalRefundChanges& changes);

/// One attempt of one of our refunds or reversals.
struct Attempt {
  PaymentId payment_id;
  ReceiptId receipt_id;
  std::string out_refund_no;
  MinorUnits amount = 0;
};

/// Books the payout of a second attempt of one refund as an external refund. Has no effect when its number is known.
void book_second_payout(OrderWriter& writer, const Attempt& attempt);

/// Adds an external refund for a replaced attempt, which may still pay: the channel is queried until its result is
/// known. Until `send_deadline` its request may still arrive.
void follow_attempt(OrderWriter& writer, const Attempt& attempt, std::optional<Time> send_deadline);

/// Starts to query the channel for the running total of the receipt's trade. The result is booked like any total.
void query_total(OrderWriter& writer, ReceiptId receipt);

/// Ends an external refund that has succeeded: posts it, notifies the merchant and opens a case of that kind.
void end_external_refund(OrderWriter& writer, RefundId refund, CaseKind kind);

/// Forgets the number of an external refund that has failed, so that it can be reported again.
void forget_external_refund(OrderWriter& writer, const Refund& refund);

/// Called when a refund, reversal or external refund is no longer in progress at the channel. Processes a total that
/// arrived in the meantime and queries it again.
void note_refund_end(OrderWriter& writer, PaymentId payment, ReceiptId receipt, bool succeeded);

/// Reduces the receipt's reversal to the rest of the receipt, or ends it, unless one of its attempts is at the channel.
void trim_reversal(OrderWriter& writer, ReceiptId receipt);

/// Opens a case `over_refunded` about the refund when the refunds of its receipt exceed the receipt.
void check_over_refunded(OrderWriter& writer, RefundId refund);

}  // namespace finality
