// Connection options of a PostgreSQL store: database, lanes, row locks and time limits. Parses the store's URL.
#pragma once

#include <cstddef>
#include <string>

#include "base/limits.h"
#include "base/result.h"
#include "base/time/time.h"

namespace finality {
class CheckedClock;
}

namespace finality::postgres {

/// Time limits of a connection; base/limits.h states their meaning. Only tests use other values.
struct Timing {
  Duration statement = limits::kStatementTimeMax;
  Duration lock = limits::kRowLockWaitMax;
  Duration idle_in_transaction = limits::kIdleTransactionMax;
  Duration silence = limits::kStoreSilenceMax;
  Duration reconnect = limits::kReconnectMax;
  Duration commit_outcome = limits::kCommitOutcomeWaitMax;
  Duration lease = limits::kNodeLease;
  Duration part_probe = limits::kStorePartProbeMax;
  Duration part_refused_for = limits::kStorePartRefusedFor;
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
  CheckedClock* clock = nullptr;  // compared with the database's clock; outlives the store; may be null
};

/// Parses a store URL, `postgres://…`. Finality's own parameters are finality_lanes (1 to 64) and finality_lock_roots
/// (on or off). With `off`, sessions do not lock rows and detect conflicts by versions only, for databases that cannot
/// lock rows across shards. All other parameters are passed to libpq. Errors never quote a password.
Result<ConnectionOptions> parse_target(const std::string& url);

}  // namespace finality::postgres
