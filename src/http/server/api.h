// State shared by all resources of the API: the services, router, metrics, reader threads and caches.
#pragma once

#include <atomic>
#include <memory>

#include "base/limits.h"
#include "http/server/authentication.h"
#include "http/server/expiring_cache.h"
#include "http/server/metrics.h"
#include "http/server/reader_pool.h"
#include "http/server/router.h"
#include "http/server/services.h"

namespace finality::http {

/// Owned by the server; handlers and reader tasks hold a plain reference. A shared_ptr only so that timers, which can
/// outlive the server, can detect its destruction.
struct Api : std::enable_shared_from_this<Api> {
  Api(const Services& injected, std::unique_ptr<ReaderPool> pool)
      : services(injected),
        metrics(injected.registry),
        authenticator(*pool, injected.clock),
        readers(std::move(pool)) {}

  Services services;
  Metrics metrics;
  Router router;
  Authenticator authenticator;
  /// Payments whose payer returned recently, so that reloads of the page do not query the channel again.
  ExpiringCache<PaymentId, bool> returns_queried{limits::kReturnsRemembered, limits::kReturnAskedAgainAfter};
  /// Payments recently queried through the API.
  ExpiringCache<PaymentId, bool> payments_queried{limits::kQueriesRemembered, limits::kQueryPause};
  std::atomic<bool> draining = false;
  std::unique_ptr<ReaderPool> readers;  // last: its threads use the members above
};

}  // namespace finality::http
