#include "http/server/exchange.h"

#include <utility>

#include "http/server/problem.h"

namespace finality::http {

HttpExchange::HttpExchange(net::HttpRequest request, net::Respond respond, std::string request_id)
    : request_(std::move(request)), respond_(std::move(respond)), request_id_(std::move(request_id)) {}

void HttpExchange::enter(const Match& match, RouteMetrics& metrics) {
  parameters_ = match.parameters;
  metrics_ = &metrics;
}

void HttpExchange::drop_body() { request_.body = std::string(); }

void HttpExchange::answer(HttpReply outcome) {
  if (answered_.exchange(true, std::memory_order_acq_rel)) return;
  net::HttpResponse response = outcome ? std::move(*outcome) : problem_response(outcome.error(), request_id_);
  response.headers.add("Request-Id", request_id_);
  if (metrics_ != nullptr) {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started_;
    metrics_->observe(response.status, seconds.count());
  }
  // Moved out, so that the connection is let go at once although the exchange may live on.
  std::exchange(respond_, nullptr)(std::move(response));
}

}  // namespace finality::http
