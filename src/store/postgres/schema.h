// Schema of a PostgreSQL store: version check, migrations, distribution over shards, and the privileges of the database
// role of a Finality server.
#pragma once

#include <string>

#include "store/postgres/connection.h"

namespace finality::postgres {

/// Checks that the schema version matches this program. If `migrate` is true, migrates an older schema; otherwise an
/// older schema is an error. Several processes may call this concurrently; one of them migrates. Error messages state
/// what to do next.
Result<void> prepare_schema(Connection& connection, bool migrate);

/// Whether the store is distributed over shards, as recorded by distribute_tables(). REQUIRES: the store has a schema.
Result<bool> is_distributed(Connection& connection);

/// Distributes the tables over shards by merchant (store/postgres/distribute.h) and records this in the store for every
/// process that opens it. This cannot be undone. REQUIRES: the schema is up to date.
Result<void> distribute_tables(Connection& connection);

/// Grants `role` the privileges that a Finality server needs: SELECT and INSERT on all tables, UPDATE on mutable
/// columns, and DELETE on tables whose rows expire. The role can neither update nor delete ledger entries and events.
Result<void> grant_running_role(Connection& connection, const std::string& role);

}  // namespace finality::postgres
