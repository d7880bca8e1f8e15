// Books external refunds: refunds that a channel made without a request by Finality (in the channel's console, for a
// complaint, or by a double payout). A channel reports an external refund by its refund number or in the running total
// of a trade (docs/adr/0030-external-refunds.md). The money has moved already, so no limit applies to the booking.
#pragma once

#include <string>
#include <string_view>

#include "decide/order/order_writer.h"
#include "model/evidence.h"
#include "model/read_set.h"

namespace finality {

// A channel refunds a trade as a whole, so the functions that take a receipt are about its trade (trade.h), unless they
// say otherwise.

/// Whether the channel made the refund without a request by Finality.
inline bool is_external(const Refund& refund) { return refund.origin == RefundOrigin::channel; }

/// Returns the receipt that the refund or reversal returns. A refund that names no receipt returns the accepted receipt
/// of its collector; null without an accepted receipt.
const Receipt* receipt_of(const OrderAggregate& aggregate, const Refund& refund);
const Receipt* receipt_of(const OrderAggregate& aggregate, const Reversal& reversal);

/// Whether the refund or reversal returns money of the receipt's trade.
bool is_refund_of_trade(const OrderAggregate& aggregate, const Refund& refund, const Receipt& receipt);
bool is_refund_of_trade(const OrderAggregate& aggregate, const Reversal& reversal, const Receipt& receipt);

/// Sums of the booked refunds and reversals of one trade that were paid over its channel, in minor units.
struct BookedRefunds {
  MinorUnits own = 0;       // succeeded refunds and reversals that Finality requested; returns are not subtracted
  MinorUnits external = 0;  // external refunds, including refunds in progress
  bool is_open = false;     // a refund or reversal is in progress, so a running total cannot be compared
};
/// Returns the sums of the booked refunds and reversals of the trade.
BookedRefunds booked_refunds(const OrderAggregate& aggregate, const Receipt& receipt);

/// Returns the part of a receipt in suspense, without others of its trade, that is still to be returned to the payer; 0
/// for other receipts.
MinorUnits left_in_suspense(const OrderAggregate& aggregate, const Receipt& receipt);

/// Returns the succeeded external refund of the trade with that refund number and amount; empty if it is not booked.
std::optional<RefundId> external_refund_with(const OrderAggregate& aggregate, const Receipt& receipt,
                                             std::string_view number, MinorUnits amount);

/// Returns the amount of the trade's external refunds that were booked without a refund number. When a refund number
/// is reported later, its amount is set off against this amount.
MinorUnits unnumbered(const OrderAggregate& aggregate, const Receipt& receipt);

/// Returns the sum of the refunds that succeeded or are in progress, minus their returns: of the accepted receipts of
/// the trade, or of `receipt` alone if it is not accepted. With `succeeded_only`, refunds in progress are excluded.
MinorUnits refunded_of(const OrderAggregate& aggregate, const Receipt& receipt, bool succeeded_only);

/// Returns the amount by which refunds and reversals exceed the receipts of the trade, or 0.
MinorUnits over_refunded(const OrderAggregate& aggregate, const Receipt& receipt);

/// The difference between the external refunds that evidence of kind `paid` reports and the booked refunds.
struct ExternalRefundChanges {
  bool is_new_number = false;  // the reported refund number is not booked
  MinorUnits numbered = 0;     // part of the amount under that refund number that is not booked yet
  bool completes = false;      // an external refund in progress has that refund number and has succeeded
  MinorUnits unnumbered = 0;   // excess of the running total over all booked refunds
  bool waits = false;          // the total exceeds the booked refunds while a refund is in progress: process it later
  bool must_query = false;     // the total exceeds the booked refunds but predates a refund's end: query it again
  bool is_amount_hidden = false;  // the channel reports a refund of unknown amount, and none is booked
  bool completes_query = false;   // the evidence answers the pending query of the total

  /// Whether the evidence requires a change of the order.
  bool any() const {
    return is_new_number || completes || unnumbered > 0 || waits || must_query || is_amount_hidden || completes_query;
  }
};
/// Compares the evidence with the booked refunds of the trade and returns the difference.
ExternalRefundChanges external_refund_changes(const OrderAggregate& aggregate, const Receipt& receipt,
                                              const Evidence& evidence);

/// Adds to the read set the ledger accounts that external refunds and returns are posted to.
void add_reads_of_external_refunds(MerchantId merchant, std::string_view channel, Currency currency, ReadSet& reads);

/// Books the external refunds of the trade in `changes`, notifies the merchant (`refund.external`) and opens their
/// cases. A refund is of the trade's receipts in suspense first, and of its first accepted receipt for the rest.
void book_external_refunds(OrderWriter& writer, ReceiptId receipt, const Evidence& evidence,
                           const ExternalRefundChanges& changes);

/// One attempt of a refund or reversal that Finality requested. Each attempt has another out_refund_no.
struct Attempt {
  ReceiptId receipt_id;
  std::string out_refund_no;
  MinorUnits amount = 0;
};

/// Books the payout of a second attempt of a refund as an external refund. Has no effect when the attempt's
/// out_refund_no is already booked for the trade.
void book_second_payout(OrderWriter& writer, const Attempt& attempt);

/// Adds an external refund for a replaced attempt, which the channel may still pay out. The channel is queried until
/// the attempt's result is known. `send_deadline`: the attempt's request may arrive at the channel until this time.
void follow_attempt(OrderWriter& writer, const Attempt& attempt, std::optional<Time> send_deadline);

/// Makes the collector due for a query of the running total of the receipt's trade. The result is booked like any
/// running total.
void query_total(OrderWriter& writer, ReceiptId receipt);

/// Moves an external refund to `succeeded`: posts it, notifies the merchant (`refund.external`) and opens a case of
/// `kind`.
void end_external_refund(OrderWriter& writer, RefundId refund, CaseKind kind);

/// Removes the refund number of a failed external refund from its trade. If the channel reports that number again, it
/// is booked again.
void forget_external_refund(OrderWriter& writer, const Refund& refund);

/// Called when a refund, reversal or external refund is no longer in progress at the channel. Processes the running
/// total that arrived while it was in progress, and queries the total again. `succeeded`: the result of the refund.
void note_refund_end(OrderWriter& writer, ReceiptId receipt, bool succeeded);

/// Reduces the reversal of the receipt itself to the remaining amount of the receipt in suspense, or ends the reversal
/// when that amount is 0. Has no effect while an attempt of the reversal is in progress at the channel.
void trim_reversal(OrderWriter& writer, ReceiptId receipt);

/// Opens a case `over_refunded` about the refund when the refunds of its trade exceed the receipts.
void check_over_refunded(OrderWriter& writer, RefundId refund);

}  // namespace finality
