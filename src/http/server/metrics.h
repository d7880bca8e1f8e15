// Metrics of the API. The names follow the HTTP conventions of OpenTelemetry, in the syntax of Prometheus.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <atomic>
#include <deque>
#include <string>
#include <string_view>

namespace finality::http {

/// Histograms of the request durations of one route, one per status class (2xx, 4xx, …). Thread safe. observe() looks
/// up each histogram in the registry once, and caches the pointer.
class RouteMetrics {
 public:
  RouteMetrics(prometheus::Family<prometheus::Histogram>& family, std::string method, std::string route);
  void observe(int status, double seconds);

 private:
  prometheus::Family<prometheus::Histogram>& family_;
  std::string method_;
  std::string route_;
  std::array<std::atomic<prometheus::Histogram*>, 6> by_class_{};  // created on first use: no empty series
};

class Metrics {
 public:
  /// `registry` must outlive this object.
  explicit Metrics(prometheus::Registry& registry);

  /// Adds the metrics of one route. The reference is valid as long as this object. Not thread safe: call it before the
  /// first request.
  RouteMetrics& add_route(const std::string& method, const std::string& route);
  /// Exposes the counter of rejected notifications with value 0 before the first rejection. A series that starts at 1
  /// would not trigger an alert on increase(). Thread safe.
  void show_refusals(const std::string& channel, const std::string& reason);
  /// Counts a rejected notification. `channel` and `reason` must come from small fixed sets, because
  /// each pair creates a time series. Thread safe.
  void notification_refused(const std::string& channel, const std::string& reason);
  /// Adds the counter of the requests that the rate limit or quota refused. The reference is valid as long as the
  /// registry.
  prometheus::Counter& add_rate_limit(std::string_view limit);
  /// Returns all metrics of the registry in the Prometheus text format. Thread safe.
  std::string text() const;

 private:
  prometheus::Registry& registry_;
  prometheus::Family<prometheus::Histogram>& durations_;
  prometheus::Family<prometheus::Counter>& refused_;
  prometheus::Family<prometheus::Counter>& rate_limited_;
  std::deque<RouteMetrics> routes_;
};

}  // namespace finality::http
