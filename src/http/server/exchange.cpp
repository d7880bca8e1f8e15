#include "http/server/exchange.h"

#include <utility>

#include "base/log.h"
#include "base/net/client_address.h"
#include "http/server/problem.h"
#include "wire/audience.h"

namespace finality::http {
namespace {

constexpr std::string_view kApiPath = "/v1/";

}  // namespace

HttpExchange::HttpExchange(net::HttpRequest request, net::Respond respond, std::string request_id)
    : request_(std::move(request)), respond_(std::move(respond)), request_id_(std::move(request_id)) {}

void HttpExchange::enter(const Match& match, RouteMetrics& metrics, bool access_log) {
  parameters_ = match.parameters;
  metrics_ = &metrics;
  if (access_log) logged_path_ = path_to_log(match);
}

// Returns the path for the access log. A path outside /v1/ can contain the secret token of a payer's link, so the log
// has the route's pattern instead.
std::string HttpExchange::path_to_log(const Match& match) const {
  if (request_.path().starts_with(kApiPath)) return std::string(request_.path());
  return match.route != nullptr ? match.route->pattern : "unknown";
}

void HttpExchange::log_access(int status, double seconds) const {
  constexpr double kMicroseconds = 1e6;
  const bool is_known = principal_.key_id != ApiKeyId{};
  log::info("request", {{"method", request_.method},
                        {"path", logged_path_},
                        {"status", status},
                        {"duration_us", static_cast<std::int64_t>(seconds * kMicroseconds)},
                        {"peer", request_.peer},
                        {"key", is_known ? to_text(principal_.key_id) : "-"},
                        {"merchant", principal_.merchant_id == MerchantId{} ? "-" : to_text(principal_.merchant_id)},
                        {"request_id", request_id_}});
}

std::optional<std::string> HttpExchange::source_ip() const {
  return request_.peer.empty() ? std::nullopt : std::optional(request_.peer);
}

ReadClient HttpExchange::read_client() const {
  if (principal_.key_id == ApiKeyId{}) return ReadClient::of_address(net::client_number(request_.peer));
  return principal_.role == Role::merchant ? ReadClient::of(principal_.merchant_id) : ReadClient::of(principal_.key_id);
}

void HttpExchange::drop_body() { request_.body = std::string(); }

void HttpExchange::answer(HttpReply outcome) {
  if (answered_.exchange(true, std::memory_order_acq_rel)) return;
  net::HttpResponse response = outcome ? std::move(*outcome) : problem_response(outcome.error(), request_id_);
  response.body = wire::shown_to(principal_.audience(), std::move(response.body));
  response.headers.add("Request-Id", request_id_);
  if (request_.path().starts_with(kApiPath)) response.headers.add("Cache-Control", "no-store");
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started_;
  if (metrics_ != nullptr) metrics_->observe(response.status, seconds.count());
  if (!logged_path_.empty()) log_access(response.status, seconds.count());
  // Returned first: with the response, the client may send the next large body.
  request_.permit.reset();
  // Moves `respond_` out of the exchange to release the connection now, because the exchange can live longer.
  std::exchange(respond_, nullptr)(std::move(response));
}

}  // namespace finality::http
