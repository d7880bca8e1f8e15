// Performs one call to a channel: its request over HTTP, its answer as evidence into the engine. Silence is evidence
// too: `unknown`.
#pragma once

#include <memory>

#include "worker/outside.h"

namespace finality {

/// Nothing is sent when the call's deadline has passed: whoever claimed it counts on that.
/// REQUIRES: called inside the gate, on a thread that may wait for nothing. Returns at once.
void perform_channel_call(const std::shared_ptr<Outside>& outside, ChannelCall call, Ticket ticket);

}  // namespace finality
