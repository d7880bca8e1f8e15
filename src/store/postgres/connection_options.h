// Connection options of a PostgreSQL store: database, lanes, row locks and time limits. Parses the store's URL.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "base/time/time.h"

namespace finality::postgres {

/// Time limits. Every wait has one.
struct Timing {
  Duration statement = std::chrono::seconds(10);           // one statement of a load or a write; never a COMMIT
  Duration lock = std::chrono::seconds(5);                 // for a row that another transaction has locked
  Duration idle_in_transaction = std::chrono::seconds(8);  // before the server ends an idle transaction
  Duration silence = std::chrono::seconds(30);             // without a reply, before the connection counts as broken
  Duration reconnect = std::chrono::seconds(5);            // of reconnecting, before the command is refused
  Duration truth = std::chrono::seconds(60);               // of resolving a COMMIT, before its outcome counts as lost
  Duration lease = std::chrono::seconds(30);               // of a node number, from its last commit or renewal
};

/// Default number of lanes: one per processor, at most four. Each further lane makes batches smaller, so that commits
/// cost more per command.
std::size_t lanes_by_default();

struct ConnectionOptions {
  std::string conninfo;  // connection string for libpq, without Finality's own parameters
  std::size_t lanes = lanes_by_default();
  bool lock_roots = true;
  bool distributed = false;  // tables are distributed by merchant (Citus); read from the database, not from the URL
  Timing timing;
};

/// Parses a store URL, `postgres://…`. Finality's own parameters are finality_lanes (1 to 64) and finality_lock_roots
/// (on or off). With `off`, sessions do not lock rows and detect conflicts by versions only, for databases that cannot
/// lock rows across shards. All other parameters are passed to libpq. Errors never quote a password.
Result<ConnectionOptions> parse_target(const std::string& url);

}  // namespace finality::postgres
