// Session of one lane on the in-memory tables. load() takes no row locks; commit() detects conflicts by row versions.
#pragma once

#include <memory>

#include "store/memory/disk.h"
#include "store/memory/tables.h"

namespace finality::memory {

/// Opens a session. Leases the lowest free node number, or takes over `node` even if another session holds it. `disk`
/// may be null: every commit is then durable at once, and flush_apart() returns null.
std::unique_ptr<Session> make_session(std::shared_ptr<Tables> tables, std::shared_ptr<Disk> disk,
                                      std::optional<std::int64_t> node = {});

}  // namespace finality::memory
