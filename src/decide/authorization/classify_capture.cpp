#include "decide/authorization/classify_capture.h"

#include <utility>

#include "decide/authorization/held.h"

namespace finality {
namespace {

using Kind = EvidenceKind;

CaptureEvent classify_paid(const ClassifiedCapture& in) {
  if (in.is_receipt_known) return CaptureEvent::already_known;
  const Capture& capture = in.capture;
  const bool matches = in.evidence.amount == capture.amount && in.evidence.currency == capture.currency;
  if (!matches) return CaptureEvent::captured_mismatch;
  if (capture.state == CaptureState::failed) return CaptureEvent::captured_after_failure;
  const bool is_wanted = !capture_machine.is_final(capture.state) && is_holder(in.authorization);
  return is_wanted ? CaptureEvent::captured : CaptureEvent::captured_unexpectedly;
}

// Before the send deadline a "not found" is classified as unknown, because the query can overtake the request. It
// confirms a refusal that is_doubtful().
CaptureEvent classify_absent(const ClassifiedCapture& in) {
  const bool is_early = in.capture.send_deadline && in.evidence.asked_at <= *in.capture.send_deadline;
  if (is_early) return CaptureEvent::unknown;
  const bool is_refused = in.capture.failure_code && !capture_machine.is_final(in.capture.state);
  return is_refused ? CaptureEvent::refused : CaptureEvent::not_found;
}

// Whether the evidence is the refusal of a repeated request. An earlier request of the same number had no result. If it
// succeeded after the query that did not find it, its capture can be the reason of the refusal. So the channel is
// queried before the refusal is believed.
bool is_doubtful(const ClassifiedCapture& in) {
  return is_refusal(in.evidence) && in.evidence.source == CauseKind::channel_reply && in.capture.sends > 1 &&
         !capture_machine.is_final(in.capture.state);
}

// Whether the evidence was asked for before the capture ended. Captures end one after the other, so the end of the last
// one is not earlier.
bool is_stale(const ClassifiedCapture& in) {
  const auto& ended_at = in.authorization.capture_ended_at;
  return capture_machine.is_final(in.capture.state) && ended_at && in.evidence.asked_at < *ended_at;
}

// The events of the kinds that depend on no other fact.
constexpr std::pair<Kind, CaptureEvent> kEvents[] = {
    {Kind::waiting, CaptureEvent::accepted},
    {Kind::failed, CaptureEvent::refused},
    {Kind::closed, CaptureEvent::refused},
};

}  // namespace

bool is_refusal(const Evidence& evidence) {
  return evidence.kind == EvidenceKind::failed || evidence.kind == EvidenceKind::closed;
}

CaptureEvent classify(const ClassifiedCapture& in) {
  if (in.evidence.kind == Kind::paid) return classify_paid(in);  // money is never stale
  if (is_stale(in)) return CaptureEvent::already_known;
  if (in.evidence.kind == Kind::not_found) return classify_absent(in);
  if (is_doubtful(in)) return CaptureEvent::unknown;
  for (const auto& [kind, event] : kEvents)
    if (kind == in.evidence.kind) return event;
  return in.evidence.is_not_now ? CaptureEvent::not_now : CaptureEvent::unknown;
}

}  // namespace finality
