#include "decide/authorization/book_reported_captures.h"

#include <algorithm>

#include "decide/add_row.h"
#include "decide/authorization/capture_evidence.h"
#include "decide/authorization/held.h"
#include "decide/exception/open_case.h"
#include "decide/payment/book_receipt.h"
#include "decide/payment/record_unknown_receipt.h"
#include "model/natural_key.h"
#include "model/out_trade_no.h"

namespace finality {
namespace {

// Returns the number of the reported trade. A capture that is reported without one has that of the authorization.
const std::string& trade_no_of(const Authorization& authorization, const ReportedCapture& report) {
  return report.channel_trade_no.empty() ? trade_no_of(authorization) : report.channel_trade_no;
}

// Returns the reported capture in the form of evidence about it.
Evidence evidence_about(const Authorization& authorization, const AuthorizationEvidence& evidence,
                        const ReportedCapture& report) {
  return {.kind = EvidenceKind::paid,
          .source = evidence.source,
          .asked_at = evidence.asked_at,
          .channel_trade_no = trade_no_of(authorization, report),
          .amount = report.amount,
          .currency = report.currency,
          .paid_at = report.paid_at,
          .code = evidence.code};
}

// Whether a statement names the reported trade only by the channel's numbers.
bool is_foreign_trade(const ReportedCapture& report) {
  return !report.channel_trade_no.empty() && !parse_ordinal_no(report.out_trade_no);
}

// Whether the report is about the capture. One that was booked from a total has only the number of its trade.
bool is_about(const Authorization& authorization, const ReportedCapture& report, const Capture& capture) {
  if (!capture.out_trade_no.empty()) return capture.out_trade_no == report.out_trade_no;
  return capture.channel_trade_no == trade_no_of(authorization, report) && capture.amount == report.amount;
}

// Whether the report can be that of a capture which was booked from a total. One that the trades of failed captures
// explain is not.
bool can_be_numbered(const OrderAggregate& aggregate, const ReportedCapture& report, const Capture& capture) {
  return is_unnumbered(capture) && capture.amount == report.amount && capture.currency == report.currency &&
         unexplained_of(aggregate, capture.authorization_id) >= report.amount;
}

// Returns the capture that the report is about, or that was booked from a total with its amount; null if there is none.
const Capture* find_reported(const OrderAggregate& aggregate, const Authorization& authorization,
                             const ReportedCapture& report) {
  const auto find = [&](auto is_match) {
    const auto at = std::ranges::find_if(aggregate.captures, [&](const Capture& capture) {
      return capture.authorization_id == authorization.id && is_match(capture);
    });
    return at == aggregate.captures.end() ? nullptr : &*at;
  };
  const Capture* named = find([&](const Capture& capture) { return is_about(authorization, report, capture); });
  if (named != nullptr) return named;
  return find([&](const Capture& capture) { return can_be_numbered(aggregate, report, capture); });
}

// Whether the reported trade is booked for another order or as another trade of the merchant.
bool is_booked_elsewhere(const Context& context, const Authorization& authorization, const ReportedCapture& report) {
  const AuthorizationTerms* terms = context.policy.terms_of(authorization.channel);
  if (report.channel_trade_no.empty() || (terms != nullptr && terms->shares_trade_no)) return false;
  const Hash16 key = key_of_receipt(authorization.merchant_id, authorization.channel, report.channel_trade_no);
  return context.rows.keys.find(key) != nullptr;
}

// Whether the report is about a capture that we requested.
bool is_of_own(const OrderAggregate& aggregate, const Authorization& authorization, const ReportedCapture& report) {
  const Capture* capture = find_reported(aggregate, authorization, report);
  return capture != nullptr && capture->origin != CaptureOrigin::channel;
}

bool is_booked(const Context& context, const OrderAggregate& aggregate, const Authorization& authorization,
               const AuthorizationEvidence& evidence, const ReportedCapture& report) {
  const Capture* capture = find_reported(aggregate, authorization, report);
  if (capture == nullptr) return is_booked_elsewhere(context, authorization, report);
  if (is_unnumbered(*capture)) return false;
  if (capture->origin == CaptureOrigin::channel) return true;
  const Evidence about = evidence_about(authorization, evidence, report);
  return event_of(context, aggregate, *capture, about) == CaptureEvent::already_known &&
         !brings_trade_of_total(context, aggregate, *capture, about);
}

/// What the captured total means.
struct Total {
  MinorUnits excess = 0;   // over all receipts of captures
  bool is_usable = false;  // no capture is open, and the total is newer than the end of the last one
};

Total total_of(const OrderAggregate& aggregate, const Authorization& authorization,
               const AuthorizationEvidence& evidence) {
  if (evidence.currency != authorization.currency) return {};
  MinorUnits booked = 0;
  for (const Capture& capture : aggregate.captures)
    if (capture.authorization_id == authorization.id) booked += capture.paid_amount;
  const auto& ended_at = authorization.capture_ended_at;
  return {std::max<MinorUnits>(evidence.captured - booked, 0),
          open_capture_of(aggregate, authorization.id) == nullptr && (!ended_at || evidence.asked_at > *ended_at)};
}

void apply(OrderWriter& writer, CaptureId id, const Evidence& evidence) {
  Capture& capture = *find_row(writer.aggregate().captures, id);
  const CaptureEvent event = event_of(writer.context(), writer.aggregate(), capture, evidence);
  finish_capture_evidence(writer, capture, event, apply_capture_evidence(writer, capture, evidence, event, true));
}

// Adds an external capture and books its receipt.
CaptureId add_external(OrderWriter& writer, const Authorization& authorization, const ReportedCapture& report,
                       const Evidence& evidence) {
  Context& context = writer.context();
  Capture capture;
  capture.id = context.next_id<CaptureId>();
  capture.order_id = authorization.order_id;
  capture.authorization_id = authorization.id;
  capture.merchant_id = authorization.merchant_id;
  capture.channel_account_id = authorization.channel_account_id;
  capture.origin = CaptureOrigin::channel;
  capture.ordinal = static_cast<std::int64_t>(writer.aggregate().captures.size()) + 1;
  capture.amount = report.amount;
  capture.currency = authorization.currency;
  capture.out_trade_no = report.out_trade_no;
  capture.created_at = context.now;
  writer.created(capture.id, name_of(capture.state));
  const CaptureId id = add_row(writer.aggregate().captures, std::move(capture)).id;
  apply(writer, id, evidence);
  return id;
}

void book_one(OrderWriter& writer, const Authorization& authorization, const AuthorizationEvidence& evidence,
              const ReportedCapture& report) {
  OrderAggregate& aggregate = writer.aggregate();
  if (is_booked(writer.context(), aggregate, authorization, evidence, report)) return;
  const Capture* found = find_reported(aggregate, authorization, report);
  const Evidence about = evidence_about(authorization, evidence, report);
  if (found == nullptr)
    add_external(writer, authorization, report, about);
  else if (is_unnumbered(*found))
    assign_number(writer, *find_row(aggregate.captures, found->id), trade_no_of(authorization, report));
  else
    apply(writer, found->id, about);
  if (is_foreign_trade(report))
    reserve_trade(writer.context(), authorization.order_id, authorization.channel, report.channel_trade_no);
}

void book_excess(OrderWriter& writer, const Authorization& authorization, const AuthorizationEvidence& evidence,
                 MinorUnits excess) {
  const ReportedCapture report{.amount = excess, .currency = evidence.currency, .paid_at = evidence.asked_at};
  const Evidence about = evidence_about(authorization, evidence, report);
  open_case(writer, CaseKind::external_capture, add_external(writer, authorization, report, about));
}

}  // namespace

bool brings_captures(const Context& context, const OrderAggregate& aggregate, const Authorization& authorization,
                     const AuthorizationEvidence& evidence) {
  const bool has_new = std::ranges::any_of(evidence.captures, [&](const ReportedCapture& report) {
    return !is_booked(context, aggregate, authorization, evidence, report);
  });
  const Total total = total_of(aggregate, authorization, evidence);
  return has_new || (total.excess > 0 && (total.is_usable || !authorization.is_total_waiting)) ||
         (total.is_usable && authorization.is_total_waiting);
}

void book_reported_captures(OrderWriter& writer, AuthorizationId id, const AuthorizationEvidence& evidence) {
  Authorization& authorization = *find_row(writer.aggregate().authorizations, id);
  // External captures are booked first, because the end of an own one can end the authorization.
  for (const bool is_own : {false, true})
    for (const ReportedCapture& report : evidence.captures)
      if (is_of_own(writer.aggregate(), authorization, report) == is_own)
        book_one(writer, authorization, evidence, report);
  const Total total = total_of(writer.aggregate(), authorization, evidence);
  if (total.excess > 0 && total.is_usable) book_excess(writer, authorization, evidence, total.excess);
  if (total.is_usable || total.excess > 0) authorization.is_total_waiting = !total.is_usable;
}

void add_reads_of_reported_captures(MerchantId merchant, std::string_view channel,
                                    const AuthorizationEvidence& evidence, ReadSet& reads) {
  add_reads_of_captured(merchant, channel, evidence.currency, reads);
  for (const ReportedCapture& report : evidence.captures) {
    add_reads_of_captured(merchant, channel, report.currency, reads);
    if (!report.channel_trade_no.empty())
      reads.keys.push_back({key_of_receipt(merchant, channel, report.channel_trade_no)});
    if (is_foreign_trade(report)) add_reads_of_trade(channel, report.channel_trade_no, reads);
  }
}

}  // namespace finality
