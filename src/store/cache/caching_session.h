// Session decorator that caches the rows its own commits wrote, so that rows in use are not reloaded for each batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/limits.h"
#include "store/store.h"

namespace finality::store {

/// Whether sessions of other processes or lanes can write the rows that a session caches.
enum class Writers : std::uint8_t {
  one,      // the session is the only writer while it holds its node number: cached rows are current
  several,  // other sessions may write too: cached rows are guarded by their versions, which the commit checks
};

/// Wraps `session` in a cache of at most `rows_max` rows per type, least recently used evicted first. The cache is
/// cleared by every commit that is not `ok`, and by every lease.
///
/// With Writers::several, cached rows enter the working set through recall(), so that the commit compares their
/// versions. After a conflict the session bypasses the cache, first for accounts, then entirely, for a number of
/// batches that doubles. Two processes on one merchant then wait for each other's row locks instead of deciding every
/// batch twice. Rows without a guarding version (merchants, endpoints, fees) are cached with Writers::one only.
///
/// Not thread safe, like every session.
std::unique_ptr<Session> cache_rows(std::unique_ptr<Session> session, Writers writers,
                                    std::size_t rows_max = limits::kRowsRememberedMax);

}  // namespace finality::store
