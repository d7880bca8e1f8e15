#include "decide/authorization/classify_authorization.h"

#include <algorithm>

#include "decide/authorization/held.h"
#include "decide/order/settle_order.h"

namespace finality {
namespace {

using Kind = AuthorizationEvidenceKind;

// Classifies a hold of an authorization in a final state. What is known to be held is being released already. A rest
// that is reported again counts only if the report is newer than the end.
AuthorizationEvent classify_late_hold(const ClassifiedAuthorization& in) {
  const Authorization& authorization = in.authorization;
  const bool is_first = authorization.authorized_amount == 0;
  const bool is_failed = authorization.state == AuthorizationState::failed;
  if (is_failed && is_first) return AuthorizationEvent::authorized_after_failure;
  const bool is_newer = !authorization.final_evidence_at || in.evidence.asked_at > *authorization.final_evidence_at;
  const bool is_held_again = in.evidence.kind == Kind::authorized && held_of(in.aggregate, authorization) == 0;
  if (!is_held_again || (!is_first && !is_newer)) return AuthorizationEvent::already_known;
  return is_failed ? AuthorizationEvent::authorized_after_failure : AuthorizationEvent::authorized_unexpectedly;
}

// Whether a report about a hold in another currency is older than the end of that hold. No amount of it is stored, so
// the case shows that it was reported before.
bool is_old_mismatch(const ClassifiedAuthorization& in) {
  const Authorization& authorization = in.authorization;
  const bool has_ended = authorization_machine.is_final(authorization.state) && !authorization.close_pending &&
                         authorization.final_evidence_at && in.evidence.asked_at <= *authorization.final_evidence_at;
  return has_ended && std::ranges::any_of(in.aggregate.cases, [&](const Case& row) {
           return row.kind == CaseKind::amount_mismatch && object_of(row) == ObjectRef(authorization.id);
         });
}

AuthorizationEvent classify_hold(const ClassifiedAuthorization& in) {
  const Authorization& authorization = in.authorization;
  const Order& order = in.aggregate.order;
  if (in.evidence.currency != authorization.currency)
    return is_old_mismatch(in) ? AuthorizationEvent::already_known : AuthorizationEvent::authorized_mismatch;
  if (authorization_machine.is_final(authorization.state)) return classify_late_hold(in);
  if (!is_before_hold(authorization)) return AuthorizationEvent::authorized;
  const bool is_wanted =
      !order_machine.is_final(order.state) && !order.close_requested && holder_of(in.aggregate) == nullptr;
  return is_wanted ? AuthorizationEvent::authorized : AuthorizationEvent::authorized_unexpectedly;
}

AuthorizationEvent classify_absent(const ClassifiedAuthorization& in) {
  const Authorization& authorization = in.authorization;
  // Before the send deadline a "not found" is classified as unknown, because the query can overtake the request.
  if (authorization.send_deadline && in.evidence.asked_at <= *authorization.send_deadline &&
      authorization.state == AuthorizationState::processing)
    return AuthorizationEvent::unknown;
  if (authorization.close_pending || in.aggregate.order.close_requested)
    return AuthorizationEvent::not_found_while_closing;
  return in.is_made_by_payer ? AuthorizationEvent::waiting : AuthorizationEvent::not_found;
}

// The events of the kinds that depend on no other fact. A hold that is over without an amount never existed.
constexpr std::pair<Kind, AuthorizationEvent> kEvents[] = {
    {Kind::waiting, AuthorizationEvent::waiting},
    {Kind::authorized, AuthorizationEvent::unknown},
    {Kind::released, AuthorizationEvent::closed},
    {Kind::expired, AuthorizationEvent::closed},
    {Kind::failed, AuthorizationEvent::failed},
    {Kind::closed, AuthorizationEvent::closed},
    {Kind::unknown, AuthorizationEvent::unknown},
    {Kind::release_refused, AuthorizationEvent::release_refused},
    {Kind::release_again, AuthorizationEvent::release_again},
};

bool is_about_release(Kind kind) { return kind == Kind::release_refused || kind == Kind::release_again; }

}  // namespace

bool is_about_hold(const AuthorizationEvidence& evidence) {
  const bool has_amount = evidence.authorized > 0 || evidence.captured > 0;
  return has_amount &&
         (evidence.kind == Kind::authorized || evidence.kind == Kind::released || evidence.kind == Kind::expired);
}

bool is_of_another_hold(const Authorization& authorization, const AuthorizationEvidence& evidence) {
  const auto& known = authorization.channel_trade_no;
  const auto& reported = evidence.channel_trade_no;
  return authorization.authorized_at && known && reported && known != reported && is_about_hold(evidence);
}

bool is_hold_over(const AuthorizationEvidence& evidence) {
  return is_about_hold(evidence) && evidence.kind != Kind::authorized;
}

AuthorizationEvent classify(const ClassifiedAuthorization& in) {
  if (is_about_hold(in.evidence)) return classify_hold(in);  // money is never stale
  const auto& final_at = in.authorization.final_evidence_at;
  if (final_at && in.evidence.asked_at < *final_at) return AuthorizationEvent::already_known;
  if (in.evidence.kind == Kind::not_found) return classify_absent(in);
  // Nothing was released before the hold, so the report contradicts our requests.
  if (is_about_release(in.evidence.kind) && is_before_hold(in.authorization)) return AuthorizationEvent::unknown;
  for (const auto& [kind, event] : kEvents)
    if (kind == in.evidence.kind) return event;
  return AuthorizationEvent::unknown;
}

}  // namespace finality
