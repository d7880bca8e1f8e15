// Session of one lane on the in-memory tables. Optimistic, like the sessions on databases.
#pragma once

#include <memory>

#include "store/memory/disk.h"
#include "store/memory/tables.h"

namespace finality::memory {

/// Leases the lowest free node number, or takes over `node` even if it is held. `disk` may be null; flush_apart()
/// returns a flusher only if it is not.
std::unique_ptr<Session> make_session(std::shared_ptr<Tables> tables, std::shared_ptr<Disk> disk,
                                      std::optional<std::int64_t> node = {});

}  // namespace finality::memory
