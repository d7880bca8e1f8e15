// Connection options of a PostgreSQL store: database, lanes, row locks and time limits. Parses the store's URL.
#pragma once

#include <cstddef>
#include <string>

#include "base/limits.h"
#include "base/result.h"
#include "base/time/time.h"

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
};

/// One lane per processor, at most four. More lanes would make smaller batches on a small machine.
std::size_t lanes_by_default();

struct ConnectionOptions {
  std::string conninfo;  // for libpq, without Finality's own parameters
  std::size_t lanes = lanes_by_default();
  bool lock_roots = true;
  bool distributed = false;  // the tables are on shards, by merchant; read from the database, not from the URL
  Timing timing;
};

/// Parses `postgres://…`. Finality's own parameters are finality_lanes=1…64 and finality_lock_roots=on|off (off for
/// engines that cannot lock rows across shards; then only a root's version guards it). All others are passed to libpq.
Result<ConnectionOptions> parse_target(const std::string& url);

}  // namespace finality::postgres
