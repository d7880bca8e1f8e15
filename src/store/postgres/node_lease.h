// Lease of a node number. The holder may create ids under the number. The row records the last batch committed under
// it.
//
// The process with the current token holds the lease on a row of `nodes`, until `leased_until` by the database's clock.
// A process that takes over a node number increments the token. Every commit first updates the row of its node. So a
// commit is fenced when the token has changed, the row stays locked until the database has decided the commit, and
// `last_batch` shows afterwards whether the commit was carried out.
#pragma once

#include <string_view>

#include "base/id.h"
#include "store/postgres/connection.h"

namespace finality::postgres {

/// SQL expression for the database's clock in milliseconds. It is the time when the server received the statement,
/// which is slightly early for a statement that waited. Distributed engines reject clock_timestamp() in writes, since
/// each shard would read a different time.
inline constexpr std::string_view kNow = "(extract(epoch FROM statement_timestamp()) * 1000)::bigint";

struct NodeLease {
  std::int64_t number = 0;
  std::int64_t token = 0;
  Time ids_until;  // earlier holders may have created ids up to this instant
};

/// Leases the smallest free node number: an unused number, or a number whose lease has expired.
Result<NodeLease> lease_node(Connection& connection, Duration lease);

/// Adds the first statement of a commit. The statement returns the sequence number of the batch, or no row when another
/// process holds the lease.
void send_batch(Connection& connection, const NodeLease& node, Time ids_until, Duration lease);

/// Extends the lease and returns the sequence number of the last batch committed under it, or nothing when another
/// process holds the lease.
std::expected<std::optional<std::int64_t>, Failure> extend_lease(Connection& connection, const NodeLease& node,
                                                                 Duration lease);

/// Releases the node number if the connection still works. The next holder may create ids after `latest`, the instant
/// of the last id that was created under the node number.
void release_node(Connection& connection, const NodeLease& node, Time latest);

}  // namespace finality::postgres
