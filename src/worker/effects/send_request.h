// Sends requests to channels: asks the circuit breaker of the channel, limits the timeout by the deadline, counts the
// request, and passes the reply to a callback.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "worker/effects/effect_context.h"

namespace finality {

struct ChannelRequest {
  const Channel& channel;
  std::string trade;  // out_trade_no of a payment, out_refund_no of a refund or reversal
  /// Builds and signs the request. Called only if the circuit breaker admits the request, because signing is expensive.
  std::function<UpstreamRequest()> request;
  Time now;
  Time deadline;
  std::string traceparent;  // `traceparent` header (W3C Trace Context); empty: none
};

/// The result of a request to a channel: the response, or the reason why there is none.
struct ChannelReply {
  UpstreamResponse response;
  bool sent = false;     // whether any byte of the request may have been sent
  std::string exchange;  // masked request and response (worker/effects/mask.h); empty if no request was made
};

/// Sends the request and returns true. `on_reply` receives the result once, on an I/O thread and inside the guard. It
/// is not called after the guard was closed. Returns false if the channel's circuit breaker does not admit the request:
/// nothing was sent, and `on_reply` is not called. REQUIRES: called inside the guard, before the deadline.
bool send_request(const std::shared_ptr<EffectContext>& context, ChannelRequest request,
                  std::function<void(const ChannelReply&)> on_reply);

/// Records a configuration warning if `code`, the error code in the reply, suggests misconfiguration. Does nothing if
/// there was no response.
void warn_of_config(EffectContext& context, const Channel& channel, const ChannelReply& reply, const std::string& code,
                    const std::string& message);

/// Returns the reply for a request that was not sent. `why` is the reason.
ChannelReply no_reply(std::string why);

/// Evidence code of a request that the circuit breaker did not admit. The request is repeated when its row is due.
inline constexpr const char* kHeldCode = "channel_down";
/// Returns the explanation of kHeldCode that the timeline shows.
std::string held_message(const std::string& channel);

/// Returns the cause of the command that records the result of a call. `call` is the name of the call's kind. The cause
/// contains the HTTP status and the masked exchange, but no headers, because headers may contain secrets.
Cause cause_of(CauseKind kind, std::string_view call, const ChannelReply& reply, std::string traceparent);

}  // namespace finality
