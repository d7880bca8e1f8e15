// The one way a request reaches a channel: past its circuit breaker, within its deadline, counted, and its answer
// through the guard.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "worker/effects/effect_context.h"

namespace finality {

struct ChannelRequest {
  const Channel& channel;
  std::string trade;  // our number of what it is about
  /// Runs before ask_channel() returns, unless the request is held back: a signature is not cheap.
  std::function<UpstreamRequest()> request;
  Time now;
  Time deadline;
  std::string traceparent;  // may be empty
};

/// What came of a request.
struct ChannelReply {
  UpstreamResponse response;
  bool sent = false;     // some byte of the request may have left
  std::string exchange;  // both, masked (worker/effects/mask.h); empty where nothing left
};

/// Sends the request. `hear` runs once on an I/O thread, inside the guard, with what came of it. False when the
/// channel's circuit breaker holds it back: then no byte has left, and `hear` does not run.
/// REQUIRES: called inside the guard, before the deadline.
bool ask_channel(const std::shared_ptr<EffectContext>& context, ChannelRequest request,
                 std::function<void(const ChannelReply&)> hear);

/// Notes what an answer, heard as evidence of that code, makes doubtful of our settings. Silence says nothing of them.
void warn_of_config(EffectContext& context, const Channel& channel, const ChannelReply& reply, const std::string& code,
                    const std::string& message);

/// What became of a request that never left.
ChannelReply no_reply(std::string why);

/// The word for a request that the circuit breaker held back; it is asked again when its row comes due.
inline constexpr const char* kHeldCode = "channel_down";
std::string held_message(const std::string& channel);

/// The cause of a command that records the result of the call. `call` is name_of() its kind. Of the response it has
/// the status, and the masked exchange: never a header, since those may carry secrets.
Cause cause_of(CauseKind kind, std::string_view call, const ChannelReply& reply, std::string traceparent);

}  // namespace finality
