// Session decorator that caches the rows that its commits wrote, so that a batch need not reload them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/limits.h"
#include "store/store.h"

namespace finality::store {

/// Whether sessions of other processes or lanes can write the rows that a session caches.
enum class Writers : std::uint8_t {
  one,      // the session is the only writer while it holds its node number, so cached rows are current
  several,  // other sessions may write the same rows, so the commit checks the versions of cached rows
};

/// Wraps `session` in a cache of at most `rows_max` rows per type, least recently used evicted first. The cache is
/// cleared by every commit that is not `ok`, and by every lease.
///
/// With Writers::several, cached rows enter the working set through recall(), so that the commit compares their
/// versions. After a conflict the next batches bypass the cache, first for accounts, then for all rows. Their number
/// doubles with each conflict. Two processes that serve one merchant then wait for each other's row locks instead of
/// deciding every batch twice. Merchants, endpoints and fees are cached with Writers::one only, because a commit
/// compares their versions only when it changes them.
///
/// Not thread safe, like every session.
std::unique_ptr<Session> cache_rows(std::unique_ptr<Session> session, Writers writers,
                                    std::size_t rows_max = limits::kRowsRememberedMax);

}  // namespace finality::store
