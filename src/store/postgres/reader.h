// Reader of a PostgreSQL store: look-ups and lists for the API on a read-only connection.
#pragma once

#include <memory>

#include "store/postgres/connection_options.h"
#include "store/store.h"

namespace finality::postgres {

/// On a distributed store, the reader refuses the reads of a shard that has failed (store/postgres/read_guard.h).
Result<std::unique_ptr<Reader>> make_reader(const ConnectionOptions& options);

}  // namespace finality::postgres
