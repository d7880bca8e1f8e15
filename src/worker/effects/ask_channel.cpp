#include "worker/effects/ask_channel.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "engine/log.h"

namespace finality {
namespace {

constexpr int kServerFault = 500;

struct Asked {
  const Channel& channel;
  std::string trade;
  UpstreamRequest request;  // kept to be shown
  Admission admission;
  Time at;
};

Heard heard_of(const Mask& mask, const Asked& asked, const net::Outcome& outcome) {
  Heard heard{.sent = outcome.sent};
  if (outcome.answered)
    heard.response.http = outcome.response;
  else
    heard.response.failure = outcome.failure;
  heard.exchange = mask.shown_exchange(asked.request, heard.response);
  return heard;
}

// Inside the gate, on an I/O thread.
Heard take(Outside& outside, const Asked& asked, const net::Outcome& outcome) {
  const bool answered = outcome.answered && outcome.response.status < kServerFault;
  if (!outcome.answered) ++outside.counters.channel_calls_unanswered;
  outside.breakers.record(asked.channel.name(), asked.admission, answered, asked.trade, asked.at, outside.clock.now());
  Heard heard = heard_of(outside.options.mask, asked, outcome);
  spdlog::debug("{} {}", asked.channel.name(), heard.exchange);
  return heard;
}

}  // namespace

bool ask_channel(const std::shared_ptr<Outside>& outside, Question question, std::function<void(const Heard&)> hear) {
  const Admission admission = outside->breakers.admit(question.channel.name(), question.now);
  if (admission == Admission::held) return false;
  auto asked = std::make_shared<const Asked>(question.channel, std::move(question.trade), question.request(), admission,
                                             question.now);
  const net::HttpRequest& http = asked->request.http;
  net::Call call{.url = asked->request.url,
                 .method = http.method,
                 .headers = http.headers,
                 .body = http.body,
                 // The deadline is of the engine's clock, which never goes back; ours may have been set back.
                 .timeout = std::min(question.deadline - question.now, limits::kChannelTimeout),
                 .response_bytes_max = limits::kUpstreamBodyMax};
  if (!question.traceparent.empty()) call.headers.add("traceparent", std::move(question.traceparent));
  ++outside->counters.channel_calls;
  outside->client.call(std::move(call), [outside, asked, hear = std::move(hear)](const net::Outcome& outcome) {
    outside->gate.pass([&] { hear(take(*outside, *asked, outcome)); });
  });
  return true;
}

void note_doubts(Outside& outside, const Channel& channel, const Heard& heard, const std::string& code,
                 const std::string& message) {
  if (heard.response.http) outside.doubts.note(channel, code, message, outside.clock.now());
}

Heard unheard(std::string why) {
  return {.response = {.http = {}, .failure = std::move(why)}, .sent = false, .exchange = {}};
}

std::string held_message(const std::string& channel) {
  return "the channel " + channel + " does not answer, and is tried again in a moment";
}

Cause cause_of(CauseKind kind, std::string_view call, const Heard& heard, std::string traceparent) {
  CallResult result{.call = call};
  if (heard.response.http) {
    result.status = heard.response.http->status;
  } else {
    result.failure = heard.response.failure;
    result.sent = heard.sent;
  }
  return {
      .kind = kind, .trigger = std::move(result), .exchange = heard.exchange, .traceparent = std::move(traceparent)};
}

}  // namespace finality
