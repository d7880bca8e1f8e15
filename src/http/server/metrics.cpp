#include "http/server/metrics.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <utility>

namespace finality::http {
namespace {

const prometheus::Histogram::BucketBoundaries& duration_buckets() {
  static const prometheus::Histogram::BucketBoundaries kSeconds = {0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25,
                                                                   0.5,   0.75, 1,     2.5,  5,     7.5, 10};
  return kSeconds;
}

}  // namespace

RouteMetrics::RouteMetrics(prometheus::Family<prometheus::Histogram>& family, std::string method, std::string route)
    : family_(family), method_(std::move(method)), route_(std::move(route)) {}

void RouteMetrics::observe(int status, double seconds) {
  const int status_class = std::clamp(status / 100, 1, 5);
  std::atomic<prometheus::Histogram*>& handle = by_class_[static_cast<std::size_t>(status_class)];
  prometheus::Histogram* histogram = handle.load(std::memory_order_acquire);
  if (histogram == nullptr) {
    // Two threads can call Add() concurrently. It is thread safe and returns the same series to both.
    histogram = &family_.Add({{"method", method_}, {"route", route_}, {"status", std::to_string(status_class) + "xx"}},
                             duration_buckets());
    handle.store(histogram, std::memory_order_release);
  }
  histogram->Observe(seconds);
}

Metrics::Metrics(prometheus::Registry& registry)
    : registry_(registry),
      durations_(prometheus::BuildHistogram()
                     .Name("finality_http_request_duration_seconds")
                     .Help("Time from the arrival of a request to its response")
                     .Register(registry)),
      refused_(prometheus::BuildCounter()
                   .Name("finality_notifications_refused_total")
                   .Help("Rejected notifications from channels")
                   .Register(registry)),
      rate_limited_(prometheus::BuildCounter()
                        .Name("finality_rate_limited_total")
                        .Help("Requests refused by a rate limit")
                        .Register(registry)) {}

RouteMetrics& Metrics::add_route(const std::string& method, const std::string& route) {
  return routes_.emplace_back(durations_, method, route);
}

void Metrics::show_refusals(const std::string& channel, const std::string& reason) {
  refused_.Add({{"channel", channel}, {"reason", reason}});
}

void Metrics::notification_refused(const std::string& channel, const std::string& reason) {
  refused_.Add({{"channel", channel}, {"reason", reason}}).Increment();
}

prometheus::Counter& Metrics::add_rate_limit(std::string_view limit) {
  return rate_limited_.Add({{"limit", std::string(limit)}});
}

std::string Metrics::text() const { return prometheus::TextSerializer().Serialize(registry_.Collect()); }

}  // namespace finality::http
