#include "worker/ask_channel.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

#include "base/limits.h"

namespace finality {

void ask_channel(const std::shared_ptr<Outside>& outside, UpstreamRequest request, Time now, Time deadline,
                 std::function<void(const net::Outcome&)> hear) {
  net::Call http{.url = std::move(request.url),
                 .method = std::move(request.http.method),
                 .headers = std::move(request.http.headers),
                 .body = std::move(request.http.body),
                 .timeout = deadline - now,
                 .response_bytes_max = limits::kUpstreamBodyMax};
  ++outside->counters.channel_calls;
  outside->client.call(std::move(http), [outside, hear = std::move(hear)](const net::Outcome& outcome) {
    outside->gate.pass([&] {
      if (!outcome.answered) ++outside->counters.channel_calls_unanswered;
      hear(outcome);
    });
  });
}

UpstreamResponse response_of(const net::Outcome& outcome) {
  UpstreamResponse response;
  if (outcome.answered)
    response.http = outcome.response;
  else
    response.failure = outcome.failure;
  return response;
}

std::string exchange_detail(std::string_view call, const net::Outcome& outcome, std::string_view evidence,
                            const std::string& code, const std::string& message) {
  boost::json::object detail{{"call", call}, {"evidence", evidence}};
  if (outcome.answered) {
    detail["status"] = outcome.response.status;
  } else {
    detail["failure"] = outcome.failure;
    detail["sent"] = outcome.sent;
  }
  if (!code.empty()) detail["code"] = code;
  if (!message.empty()) detail["message"] = message;
  return boost::json::serialize(detail);
}

}  // namespace finality
