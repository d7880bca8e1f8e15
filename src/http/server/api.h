// State shared by all resources of the API: the services, router, metrics, reader threads and caches.
#pragma once

#include <atomic>
#include <memory>

#include "base/expiring_cache.h"
#include "base/limits.h"
#include "http/server/authentication.h"
#include "http/server/metrics.h"
#include "http/server/rate_limits.h"
#include "http/server/reader_pool.h"
#include "http/server/router.h"
#include "http/server/services.h"

namespace finality::http {

/// The server owns this object through a shared_ptr, so that timers, which can outlive the server, can detect its
/// destruction. Handlers and reader tasks hold plain references.
struct Api : std::enable_shared_from_this<Api> {
  Api(const Services& injected, std::unique_ptr<ReaderPool> pool)
      : services(injected),
        metrics(injected.registry),
        rate_limits(injected.rate_limits, metrics),
        authenticator(*pool, injected.clock, rate_limits),
        readers(std::move(pool)) {}

  Services services;
  Metrics metrics;
  RateLimits rate_limits;
  Router router;
  Authenticator authenticator;
  /// Payments and authorizations queried because their payer returned. Prevents another query when the browser reloads
  /// the return page.
  ExpiringCache<ObjectRef, bool> returns_queried{limits::kReturnsRemembered, limits::kReturnAskedAgainAfter};
  /// Payments and authorizations queried through the API within the last limits::kQueryPause.
  ExpiringCache<ObjectRef, bool> attempts_queried{limits::kQueriesRemembered, limits::kQueryPause};
  std::atomic<int> statement_files_open{0};  // files of statements that requests read; see limits::kStatementFilesMax
  std::atomic<bool> draining = false;
  std::unique_ptr<ReaderPool> readers;  // destroyed first, because its threads use the members above
};

}  // namespace finality::http
