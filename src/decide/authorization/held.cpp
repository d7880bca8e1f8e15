#include "decide/authorization/held.h"

#include <algorithm>

namespace finality {

MinorUnits held_of(const OrderAggregate& aggregate, const Authorization& authorization) {
  MinorUnits held = authorization.authorized_amount - authorization.released_amount;
  for (const Capture& capture : aggregate.captures)
    if (capture.authorization_id == authorization.id) held -= capture.paid_amount;
  return std::max<MinorUnits>(held, 0);
}

const Capture* open_capture_of(const OrderAggregate& aggregate, AuthorizationId authorization) {
  const auto at = std::ranges::find_if(aggregate.captures, [&](const Capture& capture) {
    return capture.authorization_id == authorization && !capture_machine.is_final(capture.state);
  });
  return at == aggregate.captures.end() ? nullptr : &*at;
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
