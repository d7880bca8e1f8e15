// A node number: who may make ids under it, and what the last batch committed under it was.
//
// A row of `nodes` belongs to whoever knows its token, until `leased_until` by the database's clock. Whoever takes the
// number over raises the token. Every commit first writes its own row: so it is fenced where the token has changed, its
// row stays locked until the database has decided about the commit, and `last_batch` tells afterwards.
#pragma once

#include <string_view>

#include "base/id.h"
#include "store/postgres/connection.h"

namespace finality::postgres {

/// The database's clock in milliseconds, as SQL: when the statement came in, which is a little early where it waited.
/// Engines with shards do not take clock_timestamp() in what they write, since each shard would read another time.
inline constexpr std::string_view kNow = "(extract(epoch FROM statement_timestamp()) * 1000)::bigint";

struct NodeLease {
  std::int64_t number = 0;
  std::int64_t token = 0;
  Time ids_until;  // ids may have been handed out up to here by the holders before
};

/// Takes the smallest number that is free: new, or leased until an instant that has passed.
Result<NodeLease> lease_node(Connection& connection, Duration lease);

/// Adds the statement that a commit begins with. It answers the number of the batch, and nothing where the lease is
/// somebody else's.
void send_batch(Connection& connection, const NodeLease& node, Time ids_until, Duration lease);

/// Extends the lease and answers the last batch committed under it, or nothing where it is somebody else's.
std::expected<std::optional<std::int64_t>, Failure> extend_lease(Connection& connection, const NodeLease& node,
                                                                 Duration lease);

/// Gives the number back, as far as the connection still allows it. Whoever takes it next may make ids after `latest`,
/// the instant of the last one that was made under it.
void release_node(Connection& connection, const NodeLease& node, Time latest);

}  // namespace finality::postgres
