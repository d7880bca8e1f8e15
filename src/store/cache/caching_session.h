// A session that remembers what its own commits left, so that rows in use are not read again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/limits.h"
#include "store/store.h"

namespace finality::store {

enum class Writers : std::uint8_t {
  one,      // nobody else writes as long as the session holds its node number: what it committed last is what there is
  several,  // others may write as well: what is remembered is guarded by its version, and by a check where it stays
};

/// Wraps `session`. It remembers at most so many rows of each kind; the least used go first. After any commit that was
/// not `ok`, and with each lease, it forgets everything. With `several` it gives WorkingSet::recall what it remembers,
/// so that the commit compares the versions; a conflict makes it do without accounts, or else without any memory, for a
/// while, longer each time, so that two processes on one merchant wait for each other's locks instead of deciding
/// everything twice. What no version guards (merchants, their endpoints and fees) is remembered with `one` only. Not
/// thread safe, like every session.
std::unique_ptr<Session> remember_rows(std::unique_ptr<Session> session, Writers writers,
                                       std::size_t rows_max = limits::kRowsRememberedMax);

}  // namespace finality::store
