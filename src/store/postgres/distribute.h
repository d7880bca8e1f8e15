// Distributes the tables over shards by merchant, for engines that combine several machines into one database (Citus).
//
// One shard holds a merchant's rows of all tables. `nodes` is distributed by node number. Tables without a merchant are
// reference tables: every machine has a full copy.
#pragma once

#include <string>
#include <vector>

#include "store/postgres/connection.h"

namespace finality::postgres {

/// Returns the names in `tables` whose tables are not distributed yet. REQUIRES: Citus is installed.
Result<std::vector<std::string>> undistributed(Connection& connection, const std::vector<std::string>& tables);

/// Distributes the tables in `tables` that are not distributed yet, with their rows. Adds the distribution column to
/// each primary key. Error messages state what to do. REQUIRES: an open transaction, which the caller rolls back on
/// error.
Result<void> distribute(Connection& connection, const std::vector<std::string>& tables);

}  // namespace finality::postgres
