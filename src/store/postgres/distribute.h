// Spreading the tables over shards, by merchant: what an engine asks for that makes one database of several machines.
//
// Which table goes where: its merchant's rows lie together on one shard, of all tables. `nodes` is spread by its
// number. What belongs to no merchant is kept whole on every machine.
#pragma once

#include <string>
#include <vector>

#include "store/postgres/connection.h"

namespace finality::postgres {

/// Those of `tables` that are not spread yet. REQUIRES: Citus is there.
Result<std::vector<std::string>> undistributed(Connection& connection, const std::vector<std::string>& tables);

/// Spreads by Citus those of `tables` that are not yet, with the rows they hold. The primary key of a table gets the
/// column that spreads it. Errors say what to do next. REQUIRES: a transaction is under way, which an error ends in
/// vain.
Result<void> distribute(Connection& connection, const std::vector<std::string>& tables);

}  // namespace finality::postgres
