#include "store/postgres/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "model/row_types.h"
#include "store/postgres/distribute.h"
#include "store/postgres/node_lease.h"
#include "store/schema/migrations.h"
#include "store/sql/columns.h"

namespace finality::postgres {
namespace {

// Key of the advisory lock: an arbitrary number that other programs are unlikely to use.
constexpr std::int64_t kMigrationLock = 0x46'69'6E'61'6C'69'74'79;

// Name of the table whose only row contains the schema version, the number of the last migration.
constexpr std::string_view kVersionTable = "finality_schema";

// Value of the column `distributed` of that table if Citus distributes the tables. Other stores lack the column.
constexpr std::string_view kCitus = "citus";

Error error_of(std::string_view what, const Failure& failure) { return {fmt::format("{}: {}", what, failure.message)}; }

Result<int> read_number(Connection& connection, const std::string& sql) {
  const auto reply = connection.execute(sql);
  if (!reply) return std::unexpected(error_of("cannot read the store", reply.error()));
  int number = 0;
  if (PQntuples(reply->raw()) == 0) return number;
  const std::string_view text = PQgetvalue(reply->raw(), 0, 0);
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Result<int> schema_version(Connection& connection) {
  const auto there = read_number(
      connection, fmt::format("SELECT CASE WHEN to_regclass(quote_ident(current_schema()) || '.{}') IS NULL "
                              "THEN 0 ELSE 1 END",
                              kVersionTable));
  if (!there || *there == 0) return there;
  return read_number(connection, fmt::format("SELECT version FROM {}", kVersionTable));
}

// Rejects a database with tables of another program, so that a mistyped URL does not create Finality's tables there.
// Ignores tables of extensions.
Result<void> check_ownership(Connection& connection) {
  const auto foreign =
      read_number(connection,
                  "SELECT count(*) FROM pg_class c WHERE c.relkind IN ('r', 'p') "
                  "AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) "
                  "AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')");
  if (!foreign) return std::unexpected(foreign.error());
  if (*foreign != 0)
    return fail(fmt::format("{} holds tables of another program. Name another database.", connection.place()));
  return {};
}

Result<void> check_version(const Connection& connection, int version, bool migrate) {
  const int newest = store::newest_schema();
  if (version > newest)
    return fail(fmt::format("{} has schema {}, newer than this program's {}. Use a newer program.", connection.place(),
                            version, newest));
  if (version > 0 && version < store::kBaselineSchema)
    return fail(store::refusal_of_older_schema(connection.place(), version));
  if (version < newest && !migrate)
    return fail(fmt::format("{} has schema {}, this program needs {}. Run: finality migrate --store URL",
                            connection.place(), version, newest));
  return {};
}

// Rejects a migration while a server may be running: a server of an older version would continue to write rows for the
// old schema.
Result<void> check_stopped(Connection& connection, int version) {
  if (version == 0) return {};
  const auto leased = read_number(connection, fmt::format("SELECT count(*) FROM nodes WHERE leased_until >= {}", kNow));
  if (!leased || *leased == 0) return leased ? Result<void>{} : std::unexpected(leased.error());
  return fail(
      fmt::format("{} has schema {}, and {} of its servers may still be running. Stop all of them first. A killed "
                  "server counts as running for up to 30 seconds.",
                  connection.place(), version, *leased));
}

Result<void> run(Connection& connection, const std::string& sql, std::string_view what) {
  const auto done = connection.execute(sql);
  if (!done) return std::unexpected(error_of(what, done.error()));
  return {};
}

// Begins a transaction and takes the migration lock. A second process waits for the lock and then finds the new schema.
Result<void> begin(Connection& connection) {
  return run(connection,
             fmt::format("BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = 0; "
                         "SELECT pg_advisory_xact_lock({}); CREATE TABLE IF NOT EXISTS {} (version int NOT NULL)",
                         kMigrationLock, kVersionTable),
             "cannot begin to migrate the store");
}

// Runs all migrations that the store lacks, in one transaction.
Result<void> migrate_to_newest(Connection& connection) {
  if (auto begun = begin(connection); !begun) return begun;
  const auto version = schema_version(connection);
  if (!version) return std::unexpected(version.error());
  if (*version < store::newest_schema())
    if (auto stopped = check_stopped(connection, *version); !stopped) return stopped;
  // Uses Citus' sequential mode, because a parallel change of distributed tables opens one connection per shard.
  // Without Citus the setting has no effect.
  if (auto set = run(connection, "SET LOCAL citus.multi_shard_modify_mode = 'sequential'", "cannot migrate the store");
      !set)
    return set;
  for (const store::Migration& migration : store::migrations())
    if (migration.number > *version)
      if (auto done = run(connection, store::in_dialect(migration.sql, store::kPostgresDialect),
                          fmt::format("cannot run migration {} ({})", migration.number, migration.name));
          !done)
        return done;
  return run(connection,
             fmt::format("INSERT INTO {0} SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM {0}); "
                         "UPDATE {0} SET version = {1}; COMMIT",
                         kVersionTable, std::max<int>(*version, store::newest_schema())),
             "cannot finish migrating the store");
}

std::vector<std::string> names_after(std::string_view words, std::string_view sql) {
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = sql.find(words, at)) != std::string_view::npos;) {
    at += words.size();
    names.emplace_back(sql.substr(at, sql.find_first_of(" ;", at) - at));
  }
  return names;
}

// Returns the names of all tables that the migrations create and keep.
std::vector<std::string> tables_of_store() {
  std::vector<std::string> tables;
  for (const store::Migration& migration : store::migrations()) {
    std::ranges::move(names_after("CREATE TABLE ", migration.sql), std::back_inserter(tables));
    for (const std::string& dropped : names_after("DROP TABLE ", migration.sql)) std::erase(tables, dropped);
  }
  return tables;
}

// In a distributed store, distributes the tables that later migrations created. Without `migrate`, such a table is an
// error.
Result<void> keep_distributed(Connection& connection, bool migrate) {
  const auto distributed = is_distributed(connection);
  if (!distributed) return std::unexpected(distributed.error());
  if (!*distributed) return {};
  const auto left = undistributed(connection, tables_of_store());
  if (!left) return std::unexpected(left.error());
  if (left->empty()) return {};
  if (migrate) return distribute_tables(connection);
  return fail(fmt::format("The table {} in {} is not distributed. Run: finality migrate --store URL", left->front(),
                          connection.place()));
}

template <class Row>
std::string grant_for(const std::string& role) {
  std::string columns;
  for (const store::Column& column : store::row_type<Row>().columns)
    if (column.changes) columns += fmt::format("{}{}", columns.empty() ? "" : ", ", column.name);
  return fmt::format("GRANT UPDATE ({}) ON {} TO {}; ", columns, RowTraits<Row>::table, role);
}

std::string grants_for(const std::string& role) {
  std::string grants;
  for_each_row_type<RowTypes>([&]<class Row>(std::type_identity<Row>) {
    if constexpr (store::kIsUpdated<Row>) grants += grant_for<Row>(role);
  });
  return grants;
}

}  // namespace

Result<void> prepare_schema(Connection& connection, bool migrate) {
  const auto version = schema_version(connection);
  if (!version) return std::unexpected(version.error());
  if (*version == 0)
    if (auto owned = check_ownership(connection); !owned) return owned;
  if (auto fits = check_version(connection, *version, migrate); !fits) return fits;
  if (*version != store::newest_schema())
    if (auto done = migrate_to_newest(connection); !done) {
      static_cast<void>(connection.execute("ROLLBACK"));
      return done;
    }
  return keep_distributed(connection, migrate);
}

Result<bool> is_distributed(Connection& connection) {
  // Reads the column through JSON, because only a distributed store has it.
  const auto reply = connection.execute(fmt::format("SELECT to_jsonb(s) ->> 'distributed' FROM {} s", kVersionTable));
  if (!reply) return std::unexpected(error_of("cannot read the store", reply.error()));
  const std::string_view engine = PQntuples(reply->raw()) > 0 ? PQgetvalue(reply->raw(), 0, 0) : "";
  if (engine.empty() || engine == kCitus) return !engine.empty();
  return fail(fmt::format("{} is distributed by {}, which this program does not support. Use a newer program.",
                          connection.place(), engine));
}

// Distributes the tables and sets the column `distributed` in one transaction. Every process that opens the store reads
// that column.
Result<void> distribute_tables(Connection& connection) {
  auto done = begin(connection);
  if (done) done = distribute(connection, tables_of_store());
  if (done)
    done = run(connection,
               fmt::format("ALTER TABLE {0} ADD COLUMN IF NOT EXISTS distributed text; "
                           "UPDATE {0} SET distributed = '{1}'; COMMIT",
                           kVersionTable, kCitus),
               "cannot finish distributing the store");
  if (!done) static_cast<void>(connection.execute("ROLLBACK"));
  return done;
}

Result<void> grant_running_role(Connection& connection, const std::string& role) {
  const std::unique_ptr<char, decltype(&PQfreemem)> quoted(
      PQescapeIdentifier(connection.raw(), role.data(), role.size()), PQfreemem);
  if (!quoted) return fail(fmt::format("'{}' is not a valid role name.", storable(role)));
  const std::string name = quoted.get();
  const auto schema = connection.execute("SELECT quote_ident(current_schema())");
  if (!schema) return std::unexpected(error_of("cannot read the store", schema.error()));
  std::string tables;
  for (const std::string& table : tables_of_store()) tables += fmt::format("{}{}", tables.empty() ? "" : ", ", table);
  const std::string sql = fmt::format(
      "BEGIN; GRANT USAGE ON SCHEMA {4} TO {1}; REVOKE ALL ON {0}, {2}, events FROM {1}; GRANT SELECT, INSERT ON {0} "
      "TO {1}; "
      "GRANT SELECT ON {2}, events TO {1}; "
      "{3} GRANT UPDATE ON nodes, expired TO {1}; GRANT UPDATE (id) ON keys TO {1}; "
      "GRANT DELETE ON idempotency_keys, idempotency_records, deliveries, archived_orders, statement_parts TO {1}; "
      "COMMIT",
      tables, name, kVersionTable, grants_for(name), PQgetvalue(schema->raw(), 0, 0));
  const auto done = connection.execute(sql);
  if (done) return {};
  static_cast<void>(connection.execute("ROLLBACK"));
  return std::unexpected(error_of(fmt::format("cannot grant {} the privileges to run Finality", name), done.error()));
}

}  // namespace finality::postgres
