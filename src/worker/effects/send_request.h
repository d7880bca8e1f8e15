// Sends requests to channels: checks the circuit breaker and the deadline, counts the request, and delivers the reply
// inside the guard.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "worker/effects/effect_context.h"

namespace finality {

struct ChannelRequest {
  const Channel& channel;
  std::string trade;  // out_trade_no of a payment, out_refund_no of a refund or reversal
  /// Called before send_request() returns, unless the breaker holds the request back, because signing is expensive.
  std::function<UpstreamRequest()> request;
  Time now;
  Time deadline;
  std::string traceparent;  // may be empty
};

/// The result of a request to a channel.
struct ChannelReply {
  UpstreamResponse response;
  bool sent = false;     // at least one byte of the request may have been sent
  std::string exchange;  // request and response, masked (worker/effects/mask.h); empty if nothing was sent
};

/// Sends the request. `on_reply` receives the result exactly once, on an I/O thread inside the guard. Returns false if
/// the channel's circuit breaker holds the request back: nothing was sent and `on_reply` is not called. REQUIRES:
/// called inside the guard, before the deadline.
bool send_request(const std::shared_ptr<EffectContext>& context, ChannelRequest request,
                  std::function<void(const ChannelReply&)> on_reply);

/// Records a configuration warning if the evidence code of a reply suggests one. Does nothing without a response.
void warn_of_config(EffectContext& context, const Channel& channel, const ChannelReply& reply, const std::string& code,
                    const std::string& message);

/// The reply for a request that was never sent.
ChannelReply no_reply(std::string why);

/// Evidence code of a request that the circuit breaker held back. The request is retried when its row is due.
inline constexpr const char* kHeldCode = "channel_down";
/// Explanation of kHeldCode for the timeline.
std::string held_message(const std::string& channel);

/// The cause of a command that records the result of the call. `call` is name_of() its kind. It contains the response's
/// status and the masked exchange, but no headers, because headers may carry secrets.
Cause cause_of(CauseKind kind, std::string_view call, const ChannelReply& reply, std::string traceparent);

}  // namespace finality
