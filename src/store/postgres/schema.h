// The schema of a PostgreSQL store: its version, migrations, and what the role that runs Finality may do.
#pragma once

#include <string>

#include "store/postgres/connection.h"

namespace finality::postgres {

/// Checks that the schema fits this program; brings an older one up to date when `migrate`. Several processes may do so
/// at once: one of them does it. Errors say what to do next.
Result<void> prepare_schema(Connection& connection, bool migrate);

/// Whether the store says that its tables lie on shards. REQUIRES: it has a schema.
Result<bool> is_distributed(Connection& connection);

/// Spreads the tables over shards by merchant (store/postgres/distribute.h), for ever, and notes it in the store, so
/// that every process that opens it knows. REQUIRES: the schema is up to date.
Result<void> distribute_tables(Connection& connection);

/// Lets `role` run Finality: read and add rows everywhere, change the columns that change, delete only what expires.
/// Entries and events it can neither change nor delete.
Result<void> grant_running_role(Connection& connection, const std::string& role);

}  // namespace finality::postgres
