// The API's metrics, by the names of OpenTelemetry's HTTP conventions as far as Prometheus allows.
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

/// The durations of one route, by class of status. Thread safe; an observation looks nothing up.
class RouteMetrics {
 public:
  RouteMetrics(prometheus::Family<prometheus::Histogram>& family, std::string method, std::string route);
  void observe(int status, double seconds);

 private:
  prometheus::Family<prometheus::Histogram>& family_;
  std::string method_;
  std::string route_;
  std::array<std::atomic<prometheus::Histogram*>, 6> by_class_{};  // filled at first use: no empty series are shown
};

class Metrics {
 public:
  /// `registry` outlives this.
  explicit Metrics(prometheus::Registry& registry);

  /// Handles for one route; they live as long as this. Not thread safe: before the first request.
  RouteMetrics& add_route(const std::string& method, const std::string& route);
  /// Shows the count of such notifications at 0: alerts see no rise of what was not there before.
  void show_refusals(const std::string& channel, const std::string& reason);
  /// Counts a notification that changed nothing. `channel` and `reason` come from small fixed sets. Thread safe.
  void notification_refused(const std::string& channel, const std::string& reason);
  /// The whole registry as Prometheus reads it. Thread safe.
  std::string text() const;

 private:
  prometheus::Registry& registry_;
  prometheus::Family<prometheus::Histogram>& durations_;
  prometheus::Family<prometheus::Counter>& refused_;
  std::deque<RouteMetrics> routes_;
};

}  // namespace finality::http
