// The one way a request reaches a channel: within its deadline, counted, and its answer through the gate.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "worker/outside.h"

namespace finality {

/// Sends `request` unless the deadline has passed (then nothing happens: the row comes due again). `hear` runs once on
/// an I/O thread, inside the gate, with what came of it. REQUIRES: called inside the gate.
void ask_channel(const std::shared_ptr<Outside>& outside, UpstreamRequest request, Time now, Time deadline,
                 std::function<void(const net::Outcome&)> hear);

/// The answer as channels read it.
UpstreamResponse response_of(const net::Outcome& outcome);

/// What the timeline says of the exchange, as JSON: never a header or a body, since those may carry secrets.
std::string exchange_detail(std::string_view call, const net::Outcome& outcome, std::string_view evidence,
                            const std::string& code, const std::string& message);

}  // namespace finality
