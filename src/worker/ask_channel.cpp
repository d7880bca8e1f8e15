#include "worker/ask_channel.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "engine/log.h"
#include "worker/mask.h"

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

Heard heard_of(const Asked& asked, const net::Outcome& outcome) {
  Heard heard{.sent = outcome.sent};
  if (outcome.answered)
    heard.response.http = outcome.response;
  else
    heard.response.failure = outcome.failure;
  heard.exchange = shown_exchange(asked.request, heard.response);
  return heard;
}

// Inside the gate, on an I/O thread.
Heard take(Outside& outside, const Asked& asked, const net::Outcome& outcome) {
  const bool answered = outcome.answered && outcome.response.status < kServerFault;
  if (!outcome.answered) ++outside.counters.channel_calls_unanswered;
  outside.breakers.record(asked.channel.name(), asked.admission, answered, asked.trade, asked.at, outside.clock.now());
  Heard heard = heard_of(asked, outcome);
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

std::string exchange_detail(std::string_view call, const Heard& heard, std::string_view evidence,
                            const std::string& code, const std::string& message) {
  boost::json::object detail{{"call", call}, {"evidence", evidence}};
  if (heard.response.http) {
    detail["status"] = heard.response.http->status;
  } else {
    detail["failure"] = heard.response.failure;
    detail["sent"] = heard.sent;
  }
  if (!code.empty()) detail["code"] = code;
  if (!message.empty()) detail["message"] = message;
  return boost::json::serialize(detail);
}

}  // namespace finality
