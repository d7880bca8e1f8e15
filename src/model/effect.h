// What a commit asks the worker to do outside, once it is durable. An effect that is lost (a crash, a full queue) comes
// back by itself: its row is due again after `deadline` and a margin.
#pragma once

#include <variant>
#include <vector>

#include "base/secret.h"
#include "base/time.h"
#include "model/aggregate.h"

namespace finality {

enum class ChannelCallKind : std::uint8_t { send_payment, query_payment, close_payment };
BOOST_DESCRIBE_ENUM(ChannelCallKind, send_payment, query_payment, close_payment)

/// One request to a channel. Nothing may be sent after `deadline`; what comes back later is still evidence.
struct ChannelCall {
  ChannelCallKind kind = ChannelCallKind::query_payment;
  Order order;
  Payment payment;
  Time deadline;
};

/// One attempt of a delivery, signed with each of `secrets`.
struct Deliver {
  Delivery delivery;
  std::vector<Secret> secrets;
  Time deadline;
};

using Effect = std::variant<ChannelCall, Deliver>;

}  // namespace finality
