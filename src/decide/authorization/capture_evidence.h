// Applies evidence to a capture, for all commands that record such evidence: about the capture itself, or about its
// authorization.
#pragma once

#include <string>

#include "decide/authorization/classify_capture.h"
#include "decide/order/order_writer.h"
#include "model/read_set.h"

namespace finality {

/// Returns the event that the evidence about the capture causes. A trade is known if it has a receipt, or if a captured
/// total contains it.
CaptureEvent event_of(const Context& context, const OrderAggregate& aggregate, const Capture& capture,
                      const Evidence& evidence);

/// Whether the evidence shows that a captured total contains the trade of our failed capture, and this is not recorded
/// yet. A total that the channel reports after the failure contains what it captured in spite of it: the captures that
/// were booked from totals since then have the amount of the trade, and it is not that of another failed capture.
bool brings_trade_of_total(const Context& context, const OrderAggregate& aggregate, const Capture& capture,
                           const Evidence& evidence);

/// What the application of evidence requires next.
struct AppliedEvidence {
  fsm::Actions actions = fsm::Actions::none;
  ReceiptId receipt;  // the receipt that was booked; 0 if none was
};

/// Applies the event to the capture: books the receipt with its fee, stores the facts of the evidence and ends the
/// capture (end_capture.h). A trade that a captured total contains gets no second receipt: a capture of its amount that
/// was booked from the total gets its number, the failed capture a case `conflicting_result`, and the hold is queried
/// to compare the total. Once such trades explain the whole of what was booked from totals, the cases
/// `external_capture` are settled. `record_keep`: an event that keeps the state is recorded. REQUIRES: Context::detail
/// is set; add_reads_of_captured() added the reads.
AppliedEvidence apply_capture_evidence(OrderWriter& writer, Capture& capture, const Evidence& evidence,
                                       CaptureEvent event, bool record_keep);

/// Starts the reversal and opens the cases that follow from the application.
void finish_capture_evidence(OrderWriter& writer, const Capture& capture, CaptureEvent event,
                             const AppliedEvidence& applied);

/// Stores the number of the trade of a capture that was booked from a captured total, and settles its case
/// `external_capture`; also the cases of the others if the trades of failed captures explain them. REQUIRES:
/// is_unnumbered().
void assign_number(OrderWriter& writer, Capture& capture, const std::string& trade_no);

/// Adds to the read set the ledger accounts that the receipt of a capture is posted to.
void add_reads_of_captured(MerchantId merchant, std::string_view channel, Currency currency, ReadSet& reads);

/// Sets the capture's due_at by its state and the last event. Evidence that does not move the capture (`moved`) does
/// not shorten the pause before its next send.
void schedule(const Context& context, const Order& order, Capture& capture, CaptureEvent event, bool moved);

}  // namespace finality
