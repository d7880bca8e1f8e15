// One lane's session on the rows in memory: optimistic, as the others are.
#pragma once

#include <memory>

#include "store/memory/disk.h"
#include "store/memory/tables.h"

namespace finality::memory {

/// Leases the lowest node number that nobody holds, or `node` although somebody does. Flushes apart when there is a
/// disk; it may be null.
std::unique_ptr<Session> make_session(std::shared_ptr<Tables> tables, std::shared_ptr<Disk> disk,
                                      std::optional<std::int64_t> node = {});

}  // namespace finality::memory
