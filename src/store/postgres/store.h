// The store on PostgreSQL 13 and newer, and what speaks its protocol: several lanes, several processes.
#pragma once

#include <memory>
#include <string>

#include "store/postgres/connection_options.h"
#include "store/store.h"

namespace finality::postgres {

/// Opens the database that `url` names (postgres://…, parameters in store/postgres/connection_options.h). Unless
/// `read_only`, brings the schema up to date when `migrate`. Errors say what to do next.
Result<std::unique_ptr<Store>> open(const std::string& url, bool read_only, bool migrate);
Result<std::unique_ptr<Store>> open(const ConnectionOptions& options, bool read_only, bool migrate);

/// Brings the schema up to date and spreads its tables over shards; see store/postgres/distribute.h.
Result<void> distribute_tables(const std::string& url);

/// Lets the database's role `role` run Finality, and not more; see store/postgres/schema.h.
Result<void> grant_running_role(const std::string& url, const std::string& role);

}  // namespace finality::postgres
