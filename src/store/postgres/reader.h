// Reader of a PostgreSQL store: look-ups and lists for the API on a read-only connection.
#pragma once

#include <memory>

#include "store/postgres/connection_options.h"
#include "store/postgres/read_guard.h"
#include "store/store.h"

namespace finality::postgres {

/// `guard` is shared by all readers of the store; null unless the store is distributed.
Result<std::unique_ptr<Reader>> make_reader(const ConnectionOptions& options, std::shared_ptr<ReadGuard> guard);

}  // namespace finality::postgres
