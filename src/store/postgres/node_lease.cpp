#include "store/postgres/node_lease.h"

#include <fmt/format.h>

namespace finality::postgres {
namespace {

constexpr int kTriesMax = 100;  // against others that lease at the same time

// The database's clock, in milliseconds.
constexpr std::string_view kNow = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

}  // namespace

Result<NodeLease> lease_node(Connection& connection, Duration lease) {
  // Of two who find the same number free the second waits for the first, and then finds it leased: no row.
  static const std::string sql = fmt::format(
      "INSERT INTO nodes (number, token, ids_until, last_batch, leased_until) "
      "SELECT free.number, 1, 0, 0, {0} + $1::bigint FROM ("
      "SELECT g.number FROM generate_series(0::bigint, $2::bigint - 1) AS g(number) "
      "LEFT JOIN nodes n ON n.number = g.number WHERE n.number IS NULL OR n.leased_until < {0} "
      "ORDER BY g.number LIMIT 1) AS free "
      "ON CONFLICT (number) DO UPDATE SET token = nodes.token + 1, leased_until = excluded.leased_until "
      "WHERE nodes.leased_until < {0} RETURNING number, token, ids_until",
      kNow);
  for (int tries = 0; tries < kTriesMax; ++tries) {
    connection.forget_warning();
    const auto reply = connection.ask(sql, Parameters(lease.count(), kIdNodesMax));
    if (!reply) return fail(fmt::format("cannot lease a node number: {}", reply.error().message));
    if (!connection.warning().empty()) return fail(fmt::format("cannot lease a node number: {}", connection.warning()));
    if (reply->rows() == 0) continue;
    Cursor row = reply->row(0);
    NodeLease node;
    row.read(node.number);
    row.read(node.token);
    row.read(node.ids_until);
    return node;
  }
  return fail(fmt::format(
      "all {} node numbers of {} are leased. Stop processes, or wait until the leases of dead ones are over.",
      kIdNodesMax, connection.place()));
}

void send_batch(Connection& connection, const NodeLease& node, Time ids_until, Duration lease) {
  static const std::string sql = fmt::format(
      "UPDATE nodes SET ids_until = $3, last_batch = last_batch + 1, leased_until = {} + $4::bigint "
      "WHERE number = $1 AND token = $2 RETURNING last_batch",
      kNow);
  connection.send(sql, Parameters(node.number, node.token, ids_until, lease.count()));
}

std::expected<std::optional<std::int64_t>, Failure> extend_lease(Connection& connection, const NodeLease& node,
                                                                 Duration lease) {
  static const std::string sql = fmt::format(
      "UPDATE nodes SET leased_until = {} + $3::bigint WHERE number = $1 AND token = $2 RETURNING last_batch", kNow);
  const auto reply = connection.ask(sql, Parameters(node.number, node.token, lease.count()));
  if (!reply) return std::unexpected(reply.error());
  if (reply->rows() == 0) return std::nullopt;
  return reply->row(0).read<std::int64_t>();
}

void release_node(Connection& connection, const NodeLease& node) {
  static_cast<void>(connection.ask("UPDATE nodes SET leased_until = 0 WHERE number = $1 AND token = $2",
                                   Parameters(node.number, node.token)));
}

}  // namespace finality::postgres
