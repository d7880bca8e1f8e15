// What the resources share: the services, and what the API keeps beside them.
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

/// Owned by the server; handlers and readers' tasks hold a plain reference. Shared only so that a timer, which may
/// outlive the server, finds out.
struct Api : std::enable_shared_from_this<Api> {
  Api(const Services& given, std::unique_ptr<ReaderPool> pool)
      : services(given), metrics(given.registry), authenticator(*pool, given.clock), readers(std::move(pool)) {}

  Services services;
  Metrics metrics;
  Router router;
  Authenticator authenticator;
  /// Payments whose payer came back a moment ago: the channel is not asked for each reload of the page.
  ExpiringCache<PaymentId, bool> returns_asked{limits::kReturnsRemembered, limits::kReturnAskedAgainAfter};
  /// Payments that were queried through the API a moment ago.
  ExpiringCache<PaymentId, bool> payments_queried{limits::kQueriesRemembered, limits::kQueryPause};
  std::atomic<bool> draining = false;
  std::unique_ptr<ReaderPool> readers;  // last: its threads use all of the above
};

}  // namespace finality::http
