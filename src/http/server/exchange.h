// One HTTP request with its route, its principal, and the callback that sends the response.
#pragma once

#include <atomic>
#include <chrono>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/net/http_server.h"
#include "http/server/metrics.h"
#include "http/server/principal.h"
#include "http/server/reader_pool.h"
#include "http/server/router.h"
#include "model/refusal.h"

namespace finality::http {

/// Result of a handler: a response or a refusal.
using HttpReply = std::expected<net::HttpResponse, Refusal>;

/// One request and its response. Passed between threads and used by one thread at a time; only answer() and answered()
/// are thread safe.
class HttpExchange {
 public:
  HttpExchange(net::HttpRequest request, net::Respond respond, std::string request_id);

  /// Sets the route. `metrics` must outlive the exchange. If `access_log` is true, the response is logged.
  void enter(const Match& match, RouteMetrics& metrics, bool access_log);
  void identify(const Principal& principal) { principal_ = principal; }

  const net::HttpRequest& request() const { return request_; }
  const std::string& request_id() const { return request_id_; }
  const Principal& principal() const { return principal_; }
  /// Returns the value of the route's first (index 0) or second (index 1) {placeholder}.
  std::string_view parameter(std::size_t index = 0) const { return parameters_[index]; }
  std::chrono::steady_clock::time_point started_at() const { return started_; }
  /// Returns the IP address of the client; empty if it is unknown.
  std::optional<std::string> source_ip() const;
  /// Returns the client in whose part of the queue the reads of the request wait: its merchant, its operator key, or,
  /// as long as the key is unknown, its address.
  ReadClient read_client() const;

  /// Frees the body, which is no longer needed after its fields were read. The response can take seconds.
  void drop_body();

  /// Sends the response, or the refusal as problem+json, with a Request-Id header. Removes the fields of the body that
  /// the caller does not receive (wire/audience.h). Adds `Cache-Control: no-store` to
  /// responses below /v1/, because they can contain secrets and personal data. Only the first call has an effect.
  void answer(HttpReply outcome);
  void refuse(Refusal refusal) { answer(std::unexpected(std::move(refusal))); }
  bool answered() const { return answered_.load(std::memory_order_acquire); }

 private:
  std::string path_to_log(const Match& match) const;
  void log_access(int status, double seconds) const;

  net::HttpRequest request_;
  net::Respond respond_;
  std::string request_id_;
  std::array<std::string_view, kPathParametersMax> parameters_;  // views of request_.target
  Principal principal_;
  RouteMetrics* metrics_ = nullptr;
  std::string logged_path_;  // empty if the response is not logged
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::atomic<bool> answered_ = false;
};

using HttpExchangePtr = std::shared_ptr<HttpExchange>;

}  // namespace finality::http
