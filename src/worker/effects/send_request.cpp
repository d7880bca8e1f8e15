#include "worker/effects/send_request.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/log.h"

namespace finality {
namespace {

constexpr int kServerFault = 500;

struct SentRequest {
  const Channel& channel;
  std::string trade;
  UpstreamRequest request;  // needed for the exchange in the timeline
  Admission admission;
  Time at;
};

ChannelReply reply_of(const Mask& mask, const SentRequest& sent, const net::CallResult& outcome) {
  ChannelReply reply{.sent = outcome.sent};
  if (outcome.answered)
    reply.response.http = outcome.response;
  else
    reply.response.failure = outcome.failure;
  reply.exchange = mask.shown_exchange(sent.request, reply.response);
  return reply;
}

// Records the outcome in the circuit breaker and returns the reply. Called on an I/O thread, inside the guard.
ChannelReply take(EffectContext& context, const SentRequest& sent, const net::CallResult& outcome) {
  const bool answered = outcome.answered && outcome.response.status < kServerFault;
  if (!outcome.answered) ++context.counters.channel_calls_unanswered;
  context.breakers.record(sent.channel.name(), sent.admission, answered, sent.trade, sent.at, context.clock.now());
  ChannelReply reply = reply_of(context.options.mask, sent, outcome);
  log::debug("channel exchange", {{"channel", sent.channel.name()}, {"exchange", reply.exchange}});
  return reply;
}

}  // namespace

bool send_request(const std::shared_ptr<EffectContext>& context, ChannelRequest request,
                  std::function<void(const ChannelReply&)> on_reply) {
  const Admission admission = context->breakers.admit(request.channel.name(), request.now);
  if (admission == Admission::held) return false;
  auto sent = std::make_shared<const SentRequest>(request.channel, std::move(request.trade), request.request(),
                                                  admission, request.now);
  const net::HttpRequest& http = sent->request.http;
  net::Call call{.url = sent->request.url,
                 .method = http.method,
                 .headers = http.headers,
                 .body = http.body,
                 // The remaining time can exceed kChannelTimeout: the engine's clock, on which the deadline is based,
                 // never runs backwards, but this clock can be set back.
                 .timeout = std::min(request.deadline - request.now, limits::kChannelTimeout),
                 .response_bytes_max = limits::kUpstreamBodyMax};
  if (!request.traceparent.empty()) call.headers.add("traceparent", std::move(request.traceparent));
  ++context->counters.channel_calls;
  context->client.call(std::move(call),
                       [context, sent, on_reply = std::move(on_reply)](const net::CallResult& outcome) {
                         context->guard.enter([&] { on_reply(take(*context, *sent, outcome)); });
                       });
  return true;
}

void warn_of_config(EffectContext& context, const Channel& channel, const ChannelReply& reply, const std::string& code,
                    const std::string& message) {
  if (reply.response.http) context.config_warnings.note(channel, code, message, context.clock.now());
}

ChannelReply no_reply(std::string why) {
  return {.response = {.http = {}, .failure = std::move(why)}, .sent = false, .exchange = {}};
}

std::string held_message(const std::string& channel) {
  return "the channel " + channel + " does not respond; the request will be retried";
}

Cause cause_of(CauseKind kind, std::string_view call, const ChannelReply& reply, std::string traceparent) {
  CallResult result{.call = call};
  if (reply.response.http) {
    result.status = reply.response.http->status;
  } else {
    result.failure = reply.response.failure;
    result.sent = reply.sent;
  }
  return {
      .kind = kind, .trigger = std::move(result), .exchange = reply.exchange, .traceparent = std::move(traceparent)};
}

}  // namespace finality
