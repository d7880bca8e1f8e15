#include "decide/authorization/held.h"

#include <algorithm>

namespace finality {

MinorUnits held_of(const OrderAggregate& aggregate, const Authorization& authorization) {
  MinorUnits held = authorization.authorized_amount - authorization.released_amount;
  for (const Capture& capture : aggregate.captures)
    if (capture.authorization_id == authorization.id) held -= capture.paid_amount;
  return std::max<MinorUnits>(held, 0);
}

MinorUnits captured_above_hold(const Authorization& authorization) {
  if (authorization.captured_amount == 0) return 0;
  const MinorUnits left = authorization.captured_amount + authorization.released_amount;
  return std::max<MinorUnits>(left - authorization.authorized_amount, 0);
}

const Capture* open_capture_of(const OrderAggregate& aggregate, AuthorizationId authorization) {
  const auto at = std::ranges::find_if(aggregate.captures, [&](const Capture& capture) {
    return capture.authorization_id == authorization && !capture_machine.is_final(capture.state);
  });
  return at == aggregate.captures.end() ? nullptr : &*at;
}

bool is_from_total(const Capture& capture) {
  return capture.origin == CaptureOrigin::channel && capture.out_trade_no.empty();
}

bool is_unnumbered(const Capture& capture) { return is_from_total(capture) && !capture.channel_trade_no; }

bool is_in_total(const OrderAggregate& aggregate, const Capture& capture) {
  if (capture.state != CaptureState::failed || capture.paid_amount != 0) return false;
  return std::ranges::any_of(aggregate.cases, [&](const Case& row) {
    return row.kind == CaseKind::conflicting_result && object_of(row) == ObjectRef(capture.id);
  });
}

const Capture* booked_as(const OrderAggregate& aggregate, const Capture& capture) {
  if (!is_in_total(aggregate, capture)) return nullptr;
  const auto at = std::ranges::find_if(aggregate.captures, [&](const Capture& one) {
    return is_from_total(one) && one.authorization_id == capture.authorization_id && capture.ordinal < one.ordinal &&
           one.channel_trade_no && one.channel_trade_no == capture.channel_trade_no && one.amount == capture.amount;
  });
  return at == aggregate.captures.end() ? nullptr : &*at;
}

MinorUnits unexplained_of(const OrderAggregate& aggregate, AuthorizationId authorization) {
  MinorUnits rest = 0;
  for (const Capture& capture : aggregate.captures) {
    if (capture.authorization_id != authorization) continue;
    if (is_unnumbered(capture)) rest += capture.amount;
    if (is_in_total(aggregate, capture) && booked_as(aggregate, capture) == nullptr) rest -= capture.amount;
  }
  return rest;
}

const std::string& trade_no_of(const Authorization& authorization) {
  return authorization.channel_trade_no ? *authorization.channel_trade_no : authorization.out_trade_no;
}

bool is_holder(const Authorization& authorization) {
  return authorization.state == AuthorizationState::authorized ||
         (authorization.state == AuthorizationState::releasing && authorization.end_reason != EndReason::late);
}

const Authorization* holder_of(const OrderAggregate& aggregate) {
  const auto at = std::ranges::find_if(aggregate.authorizations, is_holder);
  return at == aggregate.authorizations.end() ? nullptr : &*at;
}

}  // namespace finality
