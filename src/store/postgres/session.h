// Session on a PostgreSQL store; each lane has one session.
#pragma once

#include <memory>

#include "store/postgres/connection_options.h"
#include "store/store.h"

namespace finality::postgres {

/// Connects to the database and leases a node number. Errors state what to do.
Result<std::unique_ptr<Session>> make_session(const ConnectionOptions& options);

}  // namespace finality::postgres
