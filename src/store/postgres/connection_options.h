// Which database a store is, how long anything may take there, and what of it the URL says.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "base/time/time.h"

namespace finality::postgres {

/// No wait is without an end.
struct Timing {
  Duration statement = std::chrono::seconds(10);           // one statement of a load or a write; never a COMMIT
  Duration lock = std::chrono::seconds(5);                 // for a row that somebody else holds
  Duration idle_in_transaction = std::chrono::seconds(8);  // then the server ends a transaction that was left alone
  Duration silence = std::chrono::seconds(30);             // without an answer: the connection counts as broken
  Duration reconnect = std::chrono::seconds(5);            // until a command is refused
  Duration truth = std::chrono::seconds(60);               // until nobody can tell what became of a COMMIT
  Duration lease = std::chrono::seconds(30);               // of a node number, from its last commit or renewal
};

/// One for each processor, up to four: with more, a small machine makes small batches.
std::size_t lanes_by_default();

struct ConnectionOptions {
  std::string conninfo;  // for libpq, without the parameters that are ours
  std::size_t lanes = lanes_by_default();
  bool lock_roots = true;
  bool distributed = false;  // the database says so: its tables lie on shards, by merchant
  Timing timing;
};

/// Reads `postgres://…`. Our own parameters are finality_lanes=1…64 and finality_lock_roots=on|off (off for engines
/// that cannot lock rows over shards: then a root's version alone guards it); all others are libpq's.
Result<ConnectionOptions> parse_target(const std::string& url);

}  // namespace finality::postgres
