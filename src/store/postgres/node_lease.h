// Lease of a node number, a row of the table `nodes`. Only the holder of the lease may create ids with the number.
//
// The lease belongs to the process with the current token until `leased_until`, by the database's clock. A process that
// takes over a node number increments the token. Every commit first updates the row of its node, for three reasons:
//   - A commit of an earlier holder is fenced, because the token has changed.
//   - The row stays locked until the database has committed or rolled back.
//   - Afterwards, `last_batch` shows whether the batch was committed.
#pragma once

#include <string_view>

#include "base/id.h"
#include "store/postgres/connection.h"

namespace finality::postgres {

/// SQL expression for the database's clock in milliseconds. It returns the time when the server received the statement,
/// so it is too early by the time that the statement waited for locks. Citus rejects clock_timestamp() in writes,
/// because each shard would read a different time.
inline constexpr std::string_view kNow = "(extract(epoch FROM statement_timestamp()) * 1000)::bigint";

struct NodeLease {
  std::int64_t number = 0;
  std::int64_t token = 0;
  Time ids_until;  // earlier holders may have created ids up to this instant
  Time leased_at;  // by the database's clock
};

/// The reply of a statement that extends the lease.
struct LeaseExtension {
  std::int64_t batch = 0;  // sequence number of the last batch
  Time at;                 // by the database's clock
};

/// Leases the smallest free node number: an unused number, or a number whose lease has expired, for the time `lease`.
/// Fails if all numbers are leased. `limit`: the time limit of each statement, for a distributed store, whose shards
/// can fail; a number whose shard fails is skipped. 0: no limit.
Result<NodeLease> lease_node(Connection& connection, Duration lease, Duration limit = Duration(0));

/// Adds the first statement of a commit to the round trip. It extends the lease and records `ids_until`.
void send_batch(Connection& connection, const NodeLease& node, Time ids_until, Duration lease);

/// Reads the reply to the statement of send_batch(): its `batch` is this batch. Returns empty if another process holds
/// the lease.
std::optional<LeaseExtension> batch_of(const Reply& reply, Duration lease);

/// Extends the lease. The returned `batch` is the last one that was committed under the node number. Returns an empty
/// optional if another process holds the lease. `limit`: the time limit of the statement; 0: no limit.
std::expected<std::optional<LeaseExtension>, Failure> extend_lease(Connection& connection, const NodeLease& node,
                                                                   Duration lease, Duration limit = Duration(0));

/// Releases the node number. Ignores errors of the connection, because the lease expires anyway. `latest` is the time
/// of the last id with this node number; the next holder creates only later ids.
void release_node(Connection& connection, const NodeLease& node, Time latest);

}  // namespace finality::postgres
