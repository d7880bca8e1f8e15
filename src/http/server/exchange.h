// One request on its way: what came in, who asks, and the one way to answer.
#pragma once

#include <atomic>
#include <chrono>
#include <expected>
#include <memory>
#include <string>
#include <utility>

#include "base/net/http_server.h"
#include "http/server/metrics.h"
#include "http/server/principal.h"
#include "http/server/router.h"
#include "model/refusal.h"

namespace finality::http {

/// What a handler comes to: an answer, or why there is none.
using HttpReply = std::expected<net::HttpResponse, Refusal>;

/// Handed from thread to thread, used by one at a time; answer() and answered() are thread safe.
class HttpExchange {
 public:
  HttpExchange(net::HttpRequest request, net::Respond respond, std::string request_id);

  /// Its route is known now. `metrics` outlives the exchange. With `access_log` the response is logged.
  void enter(const Match& match, RouteMetrics& metrics, bool access_log);
  void identify(const Principal& principal) { principal_ = principal; }

  const net::HttpRequest& request() const { return request_; }
  const std::string& request_id() const { return request_id_; }
  const Principal& principal() const { return principal_; }
  /// The part of the path that stands for the route's first (0) or second {placeholder}.
  std::string_view parameter(std::size_t index = 0) const { return parameters_[index]; }

  /// Frees the body: an answer may be seconds away.
  void drop_body();

  /// Answers with Request-Id added. Only the first answer counts.
  void answer(HttpReply outcome);
  void refuse(Refusal refusal) { answer(std::unexpected(std::move(refusal))); }
  bool answered() const { return answered_.load(std::memory_order_acquire); }

 private:
  void log_access(int status, double seconds) const;

  net::HttpRequest request_;
  net::Respond respond_;
  std::string request_id_;
  std::array<std::string_view, kPathParametersMax> parameters_;  // into request_.target
  Principal principal_;
  RouteMetrics* metrics_ = nullptr;
  std::string logged_path_;  // empty: not logged
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::atomic<bool> answered_ = false;
};

using HttpExchangePtr = std::shared_ptr<HttpExchange>;

}  // namespace finality::http
