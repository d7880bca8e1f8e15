// Books external refunds, which a channel made without our request (in its console, for a complaint, or by paying
// twice). A channel reports them by refund number or by the running total of a trade
// (docs/adr/0030-external-refunds.md). External refunds are facts and are booked regardless of our limits.
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
/// Returns the refunds and reversals of the receipt that are booked.
BookedRefunds booked_refunds(const OrderAggregate& aggregate, const Receipt& receipt);

/// The part of a receipt in suspense that still has to be returned to the payer.
MinorUnits left_in_suspense(const OrderAggregate& aggregate, const Receipt& receipt);

/// The amount of the receipt's external refunds that were booked without a refund number. A refund number that is
/// reported later is set off against this amount.
MinorUnits unnumbered(const OrderAggregate& aggregate, const Receipt& receipt);

/// The sum of the receipt's refunds that succeeded or are in progress, minus their returns. With `succeeded_only`,
/// refunds in progress are excluded.
MinorUnits refunded_of(const OrderAggregate& aggregate, const Receipt& receipt, bool succeeded_only);

/// The amount by which refunds and reversals exceed the receipt.
MinorUnits over_refunded(const OrderAggregate& aggregate, const Receipt& receipt);

/// The content of evidence of kind `paid` about external refunds that is not booked yet.
struct ExternalRefundChanges {
  bool is_new_number = false;  // an unknown refund number
  MinorUnits numbered = 0;     // the part of the amount under that refund number that is not booked yet
  bool completes = false;      // the refund number is of a refund in progress, which has succeeded
  MinorUnits unnumbered = 0;   // the part of the running total that no refund explains
  bool waits = false;          // the total exceeds the booked refunds and cannot be used while a result is outstanding
  bool must_query = false;     // the total exceeds the booked refunds and is too old: it must be queried again
  bool is_amount_hidden = false;  // a refund of unknown amount that no booked refund explains
  bool completes_query = false;   // completes the query of the total

  /// Whether the evidence contains anything that is not booked yet.
  bool any() const {
    return is_new_number || completes || unnumbered > 0 || waits || must_query || is_amount_hidden || completes_query;
  }
};
/// Compares the evidence with the booked refunds of the receipt and returns the difference.
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

/// Books the payout of a second attempt of one refund as an external refund. Has no effect when its out_refund_no is
/// known.
void book_second_payout(OrderWriter& writer, const Attempt& attempt);

/// Adds an external refund for a replaced attempt, which the channel may still pay out, and queries the channel until
/// the attempt's result is known. Until `send_deadline` the attempt's request may still arrive.
void follow_attempt(OrderWriter& writer, const Attempt& attempt, std::optional<Time> send_deadline);

/// Starts to query the channel for the running total of the receipt's trade. The result is booked like every running
/// total.
void query_total(OrderWriter& writer, ReceiptId receipt);

/// Ends an external refund that has succeeded: posts it, notifies the merchant and opens a case of `kind`.
void end_external_refund(OrderWriter& writer, RefundId refund, CaseKind kind);

/// Removes the refund number of an external refund that has failed from its receipt, so that the channel can report it
/// again.
void forget_external_refund(OrderWriter& writer, const Refund& refund);

/// Called when a refund, reversal or external refund is no longer in progress at the channel. Processes a running total
/// that arrived in the meantime, and queries the total again.
void note_refund_end(OrderWriter& writer, PaymentId payment, ReceiptId receipt, bool succeeded);

/// Reduces the receipt's reversal to the remaining amount of the receipt, or ends it when nothing remains. Has no
/// effect while an attempt of the reversal is at the channel.
void trim_reversal(OrderWriter& writer, ReceiptId receipt);

/// Opens a case `over_refunded` about the refund when the refunds of its receipt exceed the receipt.
void check_over_refunded(OrderWriter& writer, RefundId refund);

}  // namespace finality
