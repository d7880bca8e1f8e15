#include "decide/authorization/authorization_times.h"

#include <algorithm>

#include "decide/authorization/held.h"
#include "decide/authorization/request_end.h"
#include "decide/channel/channel_operation.h"
#include "decide/exception/open_case.h"
#include "decide/order/settle_order.h"

namespace finality {
namespace {

// Returns the time of the event authorization.expiring; empty without a deadline, or after the event.
std::optional<Time> expiring_at(const Policy& policy, const Authorization& authorization) {
  if (authorization.is_expiring_notified || authorization.end_reason) return std::nullopt;
  if (!authorization.capture_before || !authorization.authorized_at) return std::nullopt;
  const Duration life = *authorization.capture_before - *authorization.authorized_at;
  return *authorization.capture_before - std::min(policy.expiring_notice, life / 2);
}

// Returns the next due_at of an authorization that is `authorized`: the first of its deadline, the notice before it and
// the next query. An end that was requested is due now. The deadline waits for an open capture, and both wait for a
// captured total that is queried again.
Time next_watch(const Context& context, const OrderAggregate& aggregate, const Authorization& authorization) {
  const Time now = context.now;
  const Policy& policy = context.policy;
  const bool waits = open_capture_of(aggregate, authorization.id) != nullptr;
  if (!waits && authorization.is_total_waiting)
    return now + policy.query_pause(now - authorization.capture_ended_at.value_or(now));
  if (!waits && authorization.end_reason) return now;
  Time next = now + policy.scaled(policy.authorization_watch);
  if (const auto notice = expiring_at(policy, authorization)) next = std::min(next, std::max(*notice, now));
  if (!authorization.capture_before) return next;
  if (waits && has_passed_deadline(authorization, now))
    return std::min(next, now + policy.query_pause(now - *authorization.capture_before));
  return std::min(next, std::max(*authorization.capture_before, now));
}

// Returns the pause before the next query of an authorization that is being released.
Duration release_pause(const Context& context, const OrderAggregate& aggregate, const Authorization& authorization) {
  const Policy& policy = context.policy;
  if (find_open_case(aggregate.cases, CaseKind::release_blocked, authorization.id) != nullptr)
    return policy.scaled(policy.release_blocked_pause);
  if (sends_used_up(context, authorization)) return policy.scaled(policy.resend_pause_exhausted);
  return policy.query_pause(context.now - authorization.outstanding_since.value_or(context.now));
}

std::optional<Time> next_due(const Context& context, const OrderAggregate& aggregate,
                             const Authorization& authorization) {
  const AuthorizationEffect effect = authorization_machine.due_effect(authorization.state);
  if (aggregate.order.parked) return std::nullopt;
  if (effect == AuthorizationEffect::chase && !authorization.close_pending) return std::nullopt;
  if (effect == AuthorizationEffect::watch) return next_watch(context, aggregate, authorization);
  // An authorization that is to be sent although its close is requested is due now: its claim closes it instead.
  if (is_to_be_sent(authorization) && (authorization.close_pending || aggregate.order.close_requested))
    return context.now;
  if (is_being_released(aggregate, authorization))
    return context.now + release_pause(context, aggregate, authorization);
  return next_look(context, authorization, AuthorizationEvent::already_known);
}

}  // namespace

Time hold_began_at(const Authorization& authorization, const AuthorizationEvidence& evidence, Time now) {
  return std::min(std::max(evidence.authorized_at.value_or(evidence.asked_at), authorization.created_at), now);
}

std::optional<Time> end_with_margin(const Policy& policy, const Authorization& authorization) {
  const AuthorizationTerms* terms = policy.terms_of(authorization.channel);
  std::optional<Time> end = authorization.channel_capture_before;
  if (!end && terms != nullptr) end = *authorization.authorized_at + terms->capture_within_max;
  if (!end) return std::nullopt;
  const Duration life = *end - *authorization.authorized_at;
  return *end - std::clamp(policy.capture_margin, Duration{0}, std::max(life / 8, Duration{0}));
}

std::optional<Time> capture_deadline(const Policy& policy, const Order& order, const Authorization& authorization) {
  const std::optional<Time> end = end_with_margin(policy, authorization);
  if (!order.capture_within) return end;
  const Time wanted = *authorization.authorized_at + std::chrono::seconds(*order.capture_within);
  return end ? std::min(*end, wanted) : wanted;
}

bool is_expiring(const Policy& policy, const Authorization& authorization, Time now) {
  const auto at = expiring_at(policy, authorization);
  return at && *at <= now;
}

bool has_passed_deadline(const Authorization& authorization, Time now) {
  return authorization.capture_before && *authorization.capture_before <= now;
}

void schedule(Context& context, const Order& order, Authorization& authorization) {
  authorization.due_at = next_due(context, *context.rows.orders.find(order.id), authorization);
}

}  // namespace finality
