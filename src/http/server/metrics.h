// Metrics of the API. Names follow OpenTelemetry's HTTP conventions as far as Prometheus allows.
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

/// Durations of one route, by class of status. Thread safe. observe() needs no lookup after its first use.
class RouteMetrics {
 public:
  RouteMetrics(prometheus::Family<prometheus::Histogram>& family, std::string method, std::string route);
  void observe(int status, double seconds);

 private:
  prometheus::Family<prometheus::Histogram>& family_;
  std::string method_;
  std::string route_;
  std::array<std::atomic<prometheus::Histogram*>, 6> by_class_{};  // created on first use, to expose no empty series
};

class Metrics {
 public:
  /// `registry` must outlive this.
  explicit Metrics(prometheus::Registry& registry);

  /// Adds the metrics of one route, valid as long as this. Not thread safe: call it before the first request.
  RouteMetrics& add_route(const std::string& method, const std::string& route);
  /// Exposes the counter of rejected notifications with value 0: an alert on increase() does not see a series that
  /// starts at 1.
  void show_refusals(const std::string& channel, const std::string& reason);
  /// Counts a rejected notification. `channel` and `reason` must come from small fixed sets. Thread safe.
  void notification_refused(const std::string& channel, const std::string& reason);
  /// The registry in the Prometheus text format. Thread safe.
  std::string text() const;

 private:
  prometheus::Registry& registry_;
  prometheus::Family<prometheus::Histogram>& durations_;
  prometheus::Family<prometheus::Counter>& refused_;
  std::deque<RouteMetrics> routes_;
};

}  // namespace finality::http
