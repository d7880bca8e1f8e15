#include "store/postgres/distribute.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/row_types.h"
#include "store/postgres/rows.h"

namespace finality::postgres {
namespace {

// Each shard has one placement, because citus.shard_replication_factor is 1.
const SqlStatement kWorkers{
    {.name = "read.workers_of_merchants",
     .shards = Shards::reference,
     .tables = "pg_dist_placement",
     .purpose = "After a shard has failed, finds the workers of the merchants; uses only the coordinator's metadata",
     .text = "SELECT (SELECT min(p.groupid)::bigint FROM pg_dist_placement p WHERE p.shardid = "
             "get_shard_id_for_distribution_column('merchants', m.id)) "
             "FROM unnest($1::bigint[]) WITH ORDINALITY AS m(id, place) ORDER BY m.place"}};

struct Place {
  std::string_view table;
  std::string_view column;  // the distribution column; empty for a reference table
  std::string_view beside;  // the table with which this table is colocated; "none" for no table
};

// Distribution of the tables that have no row type.
constexpr Place kOtherTables[] = {{"nodes", "number", "none"}, {"expired", "", ""}};

template <class Row>
constexpr Place place_of_rows() {
  constexpr std::string_view kTable = RowTraits<Row>::table;
  if (!kDistributed<Row>) return {kTable, "", ""};
  return {kTable, owner_column<Row>(), RowTraits<Row>::options.owner == Owner::self ? "none" : "merchants"};
}

Place place_of(std::string_view table) {
  Place place{table, "merchant_id", "merchants"};
  if (const auto at = std::ranges::find(kOtherTables, table, &Place::table); at != std::ranges::end(kOtherTables))
    place = *at;
  for_each_row_type<RowTypes>([&]<class Row>(std::type_identity<Row>) {
    if (RowTraits<Row>::table == table) place = place_of_rows<Row>();
  });
  return place;
}

Result<std::vector<std::string>> ask(Connection& connection, const std::string& sql) {
  const auto reply = connection.execute(sql);
  if (!reply) return fail(fmt::format("cannot read or change the store's distribution: {}", reply.error().message));
  std::vector<std::string> texts;
  for (int i = 0; i < PQntuples(reply->raw()); ++i) texts.emplace_back(PQgetvalue(reply->raw(), i, 0));
  return texts;
}

Result<void> run(Connection& connection, const std::string& sql) {
  if (const auto done = ask(connection, sql); !done) return std::unexpected(done.error());
  return {};
}

// Adds the distribution column to the table's primary key, because Citus enforces a primary key only if it contains
// that column. Ids and hashes are unique across merchants already, so the wider key does not allow duplicates.
Result<void> widen_key(Connection& connection, const Place& place) {
  const auto change =
      ask(connection,
          fmt::format(
              "SELECT format('ALTER TABLE %1$s DROP CONSTRAINT %2$I, ADD CONSTRAINT %2$I PRIMARY KEY (%3$s, %4$I)', "
              "c.conrelid::regclass, c.conname, string_agg(quote_ident(a.attname), ', ' ORDER BY k.place), '{1}') FROM "
              "pg_constraint c "
              "CROSS JOIN LATERAL unnest(c.conkey) WITH ORDINALITY AS k(number, place) "
              "JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number "
              "WHERE c.conrelid = '{0}'::regclass AND c.contype = 'p' GROUP BY c.conrelid, c.conname "
              "HAVING NOT bool_or(a.attname = '{1}')",
              place.table, place.column));
  if (!change) return std::unexpected(change.error());
  return change->empty() ? Result<void>{} : run(connection, change->front());
}

Result<void> spread(Connection& connection, const Place& place) {
  if (place.column.empty()) return run(connection, fmt::format("SELECT create_reference_table('{}')", place.table));
  if (auto widened = widen_key(connection, place); !widened) return widened;
  return run(connection, fmt::format("SELECT create_distributed_table('{}', '{}', colocate_with => '{}')", place.table,
                                     place.column, place.beside));
}

}  // namespace

Result<std::vector<std::string>> undistributed(Connection& connection, const std::vector<std::string>& tables) {
  std::string names;
  for (const std::string& table : tables) names += fmt::format("{}('{}')", names.empty() ? "" : ", ", table);
  return ask(connection, fmt::format("SELECT t.name FROM (VALUES {}) AS t(name) WHERE NOT EXISTS "
                                     "(SELECT 1 FROM pg_dist_partition p WHERE p.logicalrelid = t.name::regclass)",
                                     names));
}

Result<void> distribute(Connection& connection, const std::vector<std::string>& tables) {
  const auto functions = ask(connection, "SELECT 1 FROM pg_proc WHERE proname = 'create_distributed_table'");
  if (!functions) return std::unexpected(functions.error());
  if (functions->empty())
    return fail(
        fmt::format("{} does not have the citus extension. Run there: CREATE EXTENSION citus", connection.place()));
  // Uses Citus' sequential mode, because a parallel change opens one connection per shard.
  if (auto set = run(connection, "SET LOCAL citus.multi_shard_modify_mode = 'sequential'"); !set) return set;
  const auto left = undistributed(connection, tables);
  if (!left) return std::unexpected(left.error());
  for (const bool first : {true, false})  // tables with which others are colocated must come first
    for (const std::string& table : *left)
      if (const Place place = place_of(table); (place.beside == "none") == first)
        if (auto done = spread(connection, place); !done) return done;
  return {};
}

std::expected<std::vector<StorePart>, Failure> workers_of(Connection& connection,
                                                          const std::vector<MerchantId>& merchants) {
  const auto reply = connection.ask(kWorkers, Parameters(merchants));
  if (!reply) return std::unexpected(reply.error());
  FINALITY_CHECK(static_cast<std::size_t>(reply->rows()) == merchants.size(), "a merchant has no shard");
  std::vector<StorePart> workers;
  for (int i = 0; i < reply->rows(); ++i) workers.push_back(reply->row(i).read<StorePart>());
  return workers;
}

}  // namespace finality::postgres
