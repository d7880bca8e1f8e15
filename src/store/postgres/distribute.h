// Distributes the tables over the shards of a Citus cluster by merchant.
//
// One shard holds all rows of a merchant. The table `nodes` is distributed by node number. Tables without a merchant
// become reference tables: every machine has a full copy.
#pragma once

#include <string>
#include <vector>

#include "model/ids.h"
#include "store/postgres/connection.h"
#include "store/store.h"

namespace finality::postgres {

/// Returns those of `tables` that are not distributed yet. REQUIRES: the database has the Citus extension.
Result<std::vector<std::string>> undistributed(Connection& connection, const std::vector<std::string>& tables);

/// Distributes those of `tables` that are not distributed yet, with their rows. Adds the distribution column to each
/// primary key. Error messages state what to do. REQUIRES: a transaction is open, and the caller rolls it back after an
/// error.
Result<void> distribute(Connection& connection, const std::vector<std::string>& tables);

/// Returns the worker of the cluster that holds the rows of each merchant, in the order of `merchants`. Reads only
/// metadata of the coordinator, so it works while a worker is down. REQUIRES: the tables are distributed.
std::expected<std::vector<StorePart>, Failure> workers_of(Connection& connection,
                                                          const std::vector<MerchantId>& merchants);

}  // namespace finality::postgres
