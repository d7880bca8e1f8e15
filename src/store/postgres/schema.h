// The schema of a PostgreSQL store: version, migrations, distribution, and the privileges of the role that runs
// Finality.
#pragma once

#include <string>

#include "store/postgres/connection.h"

namespace finality::postgres {

/// Checks that the schema version matches this program. Migrates an older schema when `migrate` is set. Several
/// processes may call this concurrently; one of them migrates. Error messages state what to do next.
Result<void> prepare_schema(Connection& connection, bool migrate);

/// Whether the store is recorded as distributed over shards. REQUIRES: it has a schema.
Result<bool> is_distributed(Connection& connection);

/// Distributes the tables over shards by merchant (store/postgres/distribute.h) and records this in the store, where
/// every process that opens it reads it. This cannot be undone. REQUIRES: the schema is up to date.
Result<void> distribute_tables(Connection& connection);

/// Grants `role` the privileges to run Finality: SELECT and INSERT on all tables, UPDATE on mutable columns, DELETE
/// only on tables whose rows expire. The role can neither update nor delete entries and events.
Result<void> grant_running_role(Connection& connection, const std::string& role);

}  // namespace finality::postgres
