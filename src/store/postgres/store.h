// Store on PostgreSQL 13 or newer, or on a compatible database. Supports several lanes, and several processes on one
// database.
#pragma once

#include <memory>
#include <string>

#include "store/postgres/connection_options.h"
#include "store/store.h"

namespace finality::postgres {

/// Opens the database at `url` (postgres://…, parameters in store/postgres/connection_options.h). Migrates an older
/// schema if `migrate` is true and `read_only` is false. `clock`: see StoreOptions. Error messages state what to do
/// next.
Result<std::unique_ptr<Store>> open(const std::string& url, bool read_only, bool migrate,
                                    CheckedClock* clock = nullptr);
Result<std::unique_ptr<Store>> open(const ConnectionOptions& options, bool read_only, bool migrate);

/// Migrates the schema and distributes its tables over shards (store/postgres/distribute.h). This cannot be undone.
Result<void> distribute_tables(const std::string& url);

/// Grants the database role `role` exactly the privileges that a Finality server needs (store/postgres/schema.h).
Result<void> grant_running_role(const std::string& url, const std::string& role);

}  // namespace finality::postgres
