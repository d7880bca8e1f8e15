#include "store/postgres/node_lease.h"

#include <fmt/format.h>

#include <algorithm>

namespace finality::postgres {
namespace {

constexpr int kTriesMax = 100;  // attempts to lease a number that no other process leases at the same time

const SqlStatement kLeased{{.name = "node.leased",
                            .shards = Shards::every,
                            .tables = "nodes",
                            .purpose = "Lists all node numbers and which of them are free",
                            .text = fmt::format("SELECT number, CASE WHEN leased_until < {} THEN 1 ELSE 0 END::bigint "
                                                "FROM nodes ORDER BY number",
                                                kNow)}};
const SqlStatement kLeaseNew{
    {.name = "node.lease_new",
     .shards = Shards::node,
     .tables = "nodes",
     .purpose = "Leases a new number; returns no row when another process leased it first",
     .text = fmt::format("INSERT INTO nodes (number, token, ids_until, last_batch, leased_until) "
                         "VALUES ($1, 1, 0, 0, {} + $2::bigint) ON CONFLICT DO NOTHING "
                         "RETURNING number, token, ids_until, leased_until",
                         kNow)}};
const SqlStatement kTakeOver{{.name = "node.take_over",
                              .shards = Shards::node,
                              .tables = "nodes",
                              .purpose = "Leases a number with an expired lease; no row when another process was first",
                              .text = fmt::format("UPDATE nodes SET token = token + 1, leased_until = {0} + $2::bigint "
                                                  "WHERE number = $1 AND leased_until < {0} "
                                                  "RETURNING number, token, ids_until, leased_until",
                                                  kNow)}};
const SqlStatement kBatch{{.name = "node.batch",
                           .shards = Shards::node,
                           .tables = "nodes",
                           .purpose = "Begins every commit: checks the token, numbers the batch, renews the lease",
                           .text = fmt::format("UPDATE nodes SET ids_until = $3, last_batch = last_batch + 1, "
                                               "leased_until = {} + $4::bigint WHERE number = $1 AND token = $2 "
                                               "RETURNING last_batch, leased_until",
                                               kNow)}};
const SqlStatement kExtend{
    {.name = "node.extend",
     .shards = Shards::node,
     .tables = "nodes",
     .purpose = "Renews the lease; returns the last batch, to resolve a COMMIT with a lost reply",
     .text = fmt::format("UPDATE nodes SET leased_until = {} + $3::bigint "
                         "WHERE number = $1 AND token = $2 RETURNING last_batch, leased_until",
                         kNow)}};
const SqlStatement kRelease{
    {.name = "node.release",
     .shards = Shards::node,
     .tables = "nodes",
     .purpose = "Releases a node number",
     .text = "UPDATE nodes SET leased_until = 0, ids_until = $3 WHERE number = $1 AND token = $2"}};

struct FreeNumber {
  std::int64_t number;
  bool is_new;
};

// Returns the smallest free node number according to the reply. Another process may lease it before this process does.
FreeNumber free_number(const Reply& reply) {
  std::int64_t number = 0;
  for (int i = 0; i < reply.rows(); ++i, ++number) {
    Cursor row = reply.row(i);
    if (row.read<std::int64_t>() != number) break;
    if (row.read<bool>()) return {number, false};
  }
  return {number, true};
}

// Runs one statement as a separate transaction. `limit`: its time limit; 0: no limit.
std::expected<Reply, Failure> ask_within(Connection& connection, Duration limit, const SqlStatement& statement,
                                         const Parameters& parameters) {
  if (limit != Duration(0)) connection.limit_time(limit);
  connection.send(statement, parameters);
  Replies replies = connection.finish();
  if (!replies) return std::unexpected(std::move(replies.error()));
  return std::move(replies->back());
}

Error not_leased(std::string_view why) { return {fmt::format("cannot lease a node number: {}", why)}; }

// Tries to lease one number. Returns empty if another process was first.
std::expected<std::optional<NodeLease>, Failure> lease_number(Connection& connection, FreeNumber free, Duration lease,
                                                              Duration limit) {
  connection.clear_warning();
  const auto reply = ask_within(connection, limit, free.is_new ? kLeaseNew : kTakeOver,
                                Parameters(std::int64_t{free.number}, lease.count()));
  if (!reply) return std::unexpected(reply.error());
  if (!connection.warning().empty()) return std::unexpected(Failure{.state = {}, .message = connection.warning()});
  if (reply->rows() == 0) return std::nullopt;
  Cursor row = reply->row(0);
  NodeLease node;
  row.read(node.number);
  row.read(node.token);
  row.read(node.ids_until);
  row.read(node.leased_at);
  node.leased_at = node.leased_at - lease;
  return node;
}

// Leases a number without the list of all numbers, which needs every shard. Skips the numbers of shards that fail.
Result<NodeLease> lease_without_list(Connection& connection, Duration lease, Duration limit) {
  std::string why = "no number is free";
  for (std::int64_t number = 0; number < std::min<std::int64_t>(kTriesMax, kIdNodesMax); ++number)
    for (const bool is_new : {false, true}) {
      auto leased = lease_number(connection, {number, is_new}, lease, limit);
      if (leased && *leased) return **leased;
      if (leased) continue;
      why = leased.error().message;
      if (leased.error().broken || !is_shard_failure(leased.error())) return std::unexpected(not_leased(why));
      break;
    }
  return std::unexpected(not_leased(why));
}

}  // namespace

// If two processes try to lease the same node number, the statement of the second waits for the first and then returns
// no row. The loop then tries the next free number.
Result<NodeLease> lease_node(Connection& connection, Duration lease, Duration limit) {
  for (int tries = 0; tries < kTriesMax; ++tries) {
    const auto listed = ask_within(connection, limit, kLeased, {});
    if (!listed && limit != Duration(0) && !listed.error().broken && is_shard_failure(listed.error()))
      return lease_without_list(connection, lease, limit);
    if (!listed) return std::unexpected(not_leased(listed.error().message));
    const FreeNumber free = free_number(*listed);
    if (free.number >= kIdNodesMax) break;
    auto leased = lease_number(connection, free, lease, limit);
    if (!leased && limit != Duration(0) && !leased.error().broken && is_shard_failure(leased.error()))
      return lease_without_list(connection, lease, limit);
    if (!leased) return std::unexpected(not_leased(leased.error().message));
    if (*leased) return **leased;
  }
  return fail(fmt::format(
      "all {} node numbers of {} are leased. Stop other processes, or wait until the leases of dead ones expire.",
      kIdNodesMax, connection.place()));
}

void send_batch(Connection& connection, const NodeLease& node, Time ids_until, Duration lease) {
  connection.send(kBatch, Parameters(node.number, node.token, ids_until, lease.count()));
}

// The statements return the end of the lease instead of the clock, because they need not read the clock twice.
std::optional<LeaseExtension> batch_of(const Reply& reply, Duration lease) {
  if (reply.rows() == 0) return std::nullopt;
  Cursor row = reply.row(0);
  LeaseExtension extension;
  row.read(extension.batch);
  row.read(extension.at);
  extension.at = extension.at - lease;
  return extension;
}

std::expected<std::optional<LeaseExtension>, Failure> extend_lease(Connection& connection, const NodeLease& node,
                                                                   Duration lease, Duration limit) {
  const auto reply = ask_within(connection, limit, kExtend, Parameters(node.number, node.token, lease.count()));
  if (!reply) return std::unexpected(reply.error());
  return batch_of(*reply, lease);
}

void release_node(Connection& connection, const NodeLease& node, Time latest) {
  static_cast<void>(connection.ask(kRelease, Parameters(node.number, node.token, latest)));
}

}  // namespace finality::postgres
