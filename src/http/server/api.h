// State shared by all resources of the API: the services, router, metrics, reader threads and caches.
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "base/expiring_cache.h"
#include "base/limits.h"
#include "base/time/monotonic_clock.h"
#include "http/server/authentication.h"
#include "http/server/metrics.h"
#include "http/server/rate_limits.h"
#include "http/server/reader_pool.h"
#include "http/server/router.h"
#include "http/server/services.h"
#include "http/server/shared_reply.h"

namespace finality::http {

/// Returns the reply of GET /readyz: whether the store replies.
HttpReply check_store(Reader& reader);
/// Returns the options of that reply. `kept`: Services::readiness_kept.
SharedReply::Options readiness_options(Duration kept);
/// Returns the reply of GET /metrics.
HttpReply metrics_reply(const Metrics& metrics);

/// Connections on which the API reads the store. Requests for keys and for readiness have their own, so that they do
/// not wait for the reads of objects.
struct ApiReaders {
  std::unique_ptr<ReaderPool> objects;
  std::unique_ptr<ReaderPool> keys;   // API keys and merchants
  std::shared_ptr<Reader> readiness;  // used by one thread
};

/// The server owns this object through a shared_ptr, so that timers, which can outlive the server, can detect its
/// destruction. Handlers and reader tasks hold plain references.
struct Api : std::enable_shared_from_this<Api> {
  Api(const Services& injected, ApiReaders opened)
      : services(injected),
        metrics(injected.registry),
        rate_limits(injected.rate_limits, metrics),
        authenticator(*opened.keys, monotonic, rate_limits),
        readers(std::move(opened.objects)),
        key_readers(std::move(opened.keys)),
        readiness(injected.io, readiness_options(injected.readiness_kept),
                  [reader = std::move(opened.readiness)] { return check_store(*reader); }),
        metrics_text(injected.io, {.kept = injected.metrics_kept}, [this] { return metrics_reply(metrics); }) {}

  Services services;
  Metrics metrics;
  RateLimits rate_limits;
  Router router;
  Router health_router;  // of the listener for health and metrics
  MonotonicClock monotonic;
  Authenticator authenticator;
  /// Payments and authorizations queried because their payer returned. Prevents another query when the browser reloads
  /// the return page.
  ExpiringCache<ObjectRef, bool> returns_queried{limits::kReturnsRemembered, limits::kReturnAskedAgainAfter};
  /// Payments and authorizations queried through the API within the last limits::kQueryPause.
  ExpiringCache<ObjectRef, bool> attempts_queried{limits::kQueriesRemembered, limits::kQueryPause};
  /// Uploads and repeated downloads that a quota refused, by QuotaLimit.
  std::array<prometheus::Counter*, kCount<query::QuotaLimit>> statements_refused = [this] {
    std::array<prometheus::Counter*, kCount<query::QuotaLimit>> counters{};
    for (std::size_t i = 0; i < counters.size(); ++i)
      counters[i] = &metrics.add_rate_limit(kNames<query::QuotaLimit>[i]);
    return counters;
  }();
  std::atomic<bool> draining = false;
  // Destroyed first, because their threads use the members above. Those of the key look-ups continue with `readers`.
  std::unique_ptr<ReaderPool> readers;
  std::unique_ptr<ReaderPool> key_readers;
  SharedReply readiness;     // of GET /readyz
  SharedReply metrics_text;  // of GET /metrics
};

}  // namespace finality::http
