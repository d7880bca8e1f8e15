// External refunds: money that a channel paid back without a request of ours (in its own console, for a complaint, or
// twice), and what the running total of a trade says about it (docs/adr/0030-external-refunds.md). They are facts: no
// limit of ours keeps them out of the books.
#pragma once

#include <string>
#include <string_view>

#include "decide/order/order_writer.h"
#include "model/evidence.h"
#include "model/read_set.h"

namespace finality {

/// Whether the channel made it without a request of ours.
inline bool is_external(const Refund& refund) { return refund.origin == RefundOrigin::channel; }

/// The receipt whose money goes back; null for a refund of a payment without an accepted receipt.
const Receipt* receipt_of(const OrderAggregate& aggregate, const Refund& refund);
const Receipt* receipt_of(const OrderAggregate& aggregate, const Reversal& reversal);

/// The booked refunds and reversals of one receipt over its channel.
struct SentBack {
  MinorUnits own = 0;       // refunds and reversals of ours that succeeded, whether or not some of it came back
  MinorUnits external = 0;  // external refunds, those under way included
  bool is_open = false;     // one of them is at the channel, and how it ends is not known: totals say nothing
};
SentBack sent_back(const OrderAggregate& aggregate, const Receipt& receipt);

/// The rest of a receipt in suspense, which has to be returned.
MinorUnits left_in_suspense(const OrderAggregate& aggregate, const Receipt& receipt);

/// What of the booked external refunds of a receipt no number stands for: a number that is reported later claims it.
MinorUnits unnumbered(const OrderAggregate& aggregate, const Receipt& receipt);

/// The sum of the refunds of a receipt that succeeded or are under way, less their returns; with `succeeded_only` of
/// those that succeeded.
MinorUnits refunded_of(const OrderAggregate& aggregate, const Receipt& receipt, bool succeeded_only);

/// How much more than the receipt's amount went back over the channel.
MinorUnits over_refunded(const OrderAggregate& aggregate, const Receipt& receipt);

/// What evidence of kind `paid` says about external refunds and is not booked yet.
struct ExternalNews {
  bool is_new_number = false;     // a refund number that is not known
  MinorUnits numbered = 0;        // what of its amount is not booked yet
  bool completes = false;         // its number is known as under way, and has succeeded
  MinorUnits unnumbered = 0;      // of the running total: explained by no refund
  bool waits = false;             // the total exceeds the booked refunds and cannot be used now
  bool must_ask = false;          // such a total is too old: it is to be asked for again
  bool is_amount_hidden = false;  // something was refunded, how much is not said, and nothing booked explains it
  bool ends_asking = false;       // it answers what was asked about the total

  bool any() const {
    return is_new_number || completes || unnumbered > 0 || waits || must_ask || is_amount_hidden || ends_asking;
  }
};
ExternalNews news_of(const OrderAggregate& aggregate, const Receipt& receipt, const Evidence& evidence);

/// Adds the accounts that external refunds, and returns of refunds, move.
void add_reads_of_external_refunds(MerchantId merchant, std::string_view channel, Currency currency, ReadSet& reads);

/// Books the news, tells the merchant (`refund.external`), and opens the cases.
void book_external_refunds(OrderWriter& writer, PaymentId payment, ReceiptId receipt, const Evidence& evidence,
                           const ExternalNews& news);

/// One attempt of a refund or reversal of ours.
struct Attempt {
  PaymentId payment_id;
  ReceiptId receipt_id;
  std::string out_refund_no;
  MinorUnits amount = 0;
};

/// A second attempt of one refund has paid: it is booked as an external refund. Does nothing
/// when its number is known.
void book_second_payout(OrderWriter& writer, const Attempt& attempt);

/// A replaced attempt may still pay: the channel is queried about it until the result is known. Before the deadline
/// it may not have arrived.
void follow_attempt(OrderWriter& writer, const Attempt& attempt, std::optional<Time> send_deadline);

/// The channel is queried for the running total of that receipt's trade, with the answer booked as any total is.
void query_total(OrderWriter& writer, ReceiptId receipt);

/// An external refund has succeeded: it is posted, and the merchant is notified. `kind`: which case it is.
void end_external_refund(OrderWriter& writer, RefundId refund, CaseKind kind);

/// An external refund that was under way has failed: its number may be reported again.
void forget_external_refund(OrderWriter& writer, const Refund& refund);

/// A refund, reversal or external refund is no longer under way at the channel: a total that arrived meanwhile is
/// examined, and queried again.
void note_refund_end(OrderWriter& writer, PaymentId payment, ReceiptId receipt, bool succeeded);

/// The reversal of that receipt, unless an attempt of it is at the channel, returns the rest, or ends.
void trim_reversal(OrderWriter& writer, ReceiptId receipt);

/// More went back than was paid, and this refund made it so: a person has to know.
void check_over_refunded(OrderWriter& writer, RefundId refund);

}  // namespace finality
