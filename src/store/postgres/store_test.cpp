// Tests of the PostgreSQL store that are not in the contract suites: checks of the server and the schema, the
// restricted role, and error messages.
#include <algorithm>
#include <future>

#include "base/limits.h"
#include "base/time/checked_clock.h"
#include "store/postgres/read_guard.h"
#include "store/postgres/store.h"
#include "store/postgres/testing/test_server.h"
#include "store/schema/migrations.h"

namespace finality::postgres {
namespace {

using store_contract::expect_same;
using store_contract::make_sample_rows;
using store_contract::RowFiller;
using store_contract::SampleRows;

class PostgresStoreTest : public testing::Test {
 protected:
  std::string refusal(const StoreOptions& options) {
    const auto store = open_store(options);
    return store ? "opened" : store.error().message;
  }
  static SampleRows write_something(Store& store, RowFiller& filler) {
    const auto session = must(store.open_session());
    const SampleRows all = make_sample_rows(filler);
    WorkingSet rows;
    all.insert_into(rows);
    FINALITY_CHECK(
        session->commit(rows, IdGenerator(session->node(), session->ids_not_before())).outcome == CommitOutcome::ok,
        "the commit failed");
    return all;
  }
  static std::string newest() { return std::to_string(store::newest_schema()); }
};

TEST_F(PostgresStoreTest, AnEmptyDatabaseGetsTheSchemaOnlyWithMigrate) {
  const TestDatabase empty(false);
  const std::string place = "the database " + empty.name() + " on ";
  for (const StoreOptions& options : {StoreOptions{.url = empty.url(), .migrate = false},
                                      StoreOptions{.url = empty.url(), .read_only = true, .migrate = true}}) {
    const std::string message = refusal(options);
    EXPECT_TRUE(message.starts_with(place)) << message;
    EXPECT_TRUE(
        message.ends_with(" has schema 0, this program needs " + newest() + ". Run: finality migrate --store URL"))
        << message;
  }
  EXPECT_EQ(empty.run("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"), "0");
  EXPECT_EQ(refusal({.url = empty.url(), .migrate = true}), "opened");
  EXPECT_EQ(refusal({.url = empty.url(), .migrate = false}), "opened");
}

TEST_F(PostgresStoreTest, AClockThatIsAheadOfTheDatabaseIsBounded) {
  const TestDatabase database;
  CheckedClock clock([] {
    ClockReading reading = read_machine_clocks();
    reading.wall = reading.wall + std::chrono::hours(1);
    return reading;
  });
  const auto store = must(open_store({.url = database.url(), .clock = &clock}));
  const auto lead = [&] { return clock.now() - SystemClock().now(); };
  EXPECT_GT(lead(), std::chrono::minutes(59));
  RowFiller filler{true};
  write_something(*store, filler);
  EXPECT_LT(lead(), limits::kClockLeadMax + std::chrono::seconds(5));
  EXPECT_GT(lead(), limits::kClockLeadMax - std::chrono::seconds(5));
  EXPECT_GT(clock.lead(), std::chrono::minutes(59));
}

TEST_F(PostgresStoreTest, ConcurrentMigrationsMigrateOnce) {
  const TestDatabase empty(false);
  std::vector<std::future<std::string>> opened;
  for (int i = 0; i < 8; ++i)
    opened.push_back(std::async(std::launch::async, [&] { return refusal({.url = empty.url()}); }));
  for (auto& one : opened) EXPECT_EQ(one.get(), "opened");
  EXPECT_EQ(empty.run("SELECT string_agg(version::text, ',') FROM finality_schema"), newest());
}

TEST_F(PostgresStoreTest, ANewerSchemaIsRejected) {
  const TestDatabase database;
  database.run("UPDATE finality_schema SET version = 9999");
  for (const bool read_only : {false, true}) {
    const std::string message = refusal({.url = database.url(), .read_only = read_only});
    EXPECT_TRUE(message.ends_with(" has schema 9999, newer than this program's " + newest() + ". Use a newer program."))
        << message;
  }
}

TEST_F(PostgresStoreTest, ASchemaOlderThanTheBaselineIsRejected) {
  const TestDatabase database;
  database.run("UPDATE finality_schema SET version = 14");
  for (const bool migrate : {false, true}) {
    const std::string message = refusal({.url = database.url(), .migrate = migrate});
    EXPECT_TRUE(message.contains(" has schema 14, from before version 0.1.0. ")) << message;
  }
  EXPECT_EQ(database.run("SELECT version FROM finality_schema"), "14") << "the store must be unchanged";
}

TEST_F(PostgresStoreTest, AnUnknownStoredWordFailsTheReadAndNamesItself) {
  const TestDatabase database;
  const auto store = must(open_store({.url = database.url()}));
  RowFiller filler(true);
  const SampleRows all = write_something(*store, filler);
  const SampleRows other = write_something(*store, filler);
  const auto session = must(store->open_session());
  const auto reader = must(store->open_reader());
  const OrderId id = all.order.order.id;
  database.run(
      fmt::format("UPDATE orders SET state = 'payed' WHERE id = {}; "
                  "UPDATE payments SET state = 'PAID' WHERE order_id = {}",
                  id.value, other.order.order.id.value));
  const auto expect_failed = [](const auto& result, const std::string& why) {
    ASSERT_FALSE(result);
    EXPECT_TRUE(result.error().message.contains(why)) << result.error().message;
  };
  const std::string wrong_state =
      fmt::format("orders.state of the row whose id is {} holds the unknown value \"payed\"; allowed: ", id.value);
  WorkingSet rows;
  expect_failed(session->load(all.reads(), rows), wrong_state);
  expect_failed(reader->order(id), wrong_state);
  rows.clear();
  expect_failed(session->load(other.reads(), rows), "payments.state of the row whose id is ");
  expect_failed(reader->order(other.order.order.id), "payments.state of the row whose id is ");

  // After these errors, the session and the reader still load valid rows.
  rows.clear();
  must(session->load({.owners = all.owners(), .deliveries = {all.delivery.delivery.id}}, rows));
  expect_same(rows.deliveries.find(all.delivery.delivery.id), all.delivery);
  EXPECT_TRUE(must(reader->delivery(all.delivery.delivery.id)));
}

TEST_F(PostgresStoreTest, AStoreIsNotMigratedWhileAServerMayBeRunning) {
  if (store::newest_schema() == store::kBaselineSchema) GTEST_SKIP() << "there is no older schema to migrate yet";
  const TestDatabase database;
  const auto store = must(open_store({.url = database.url()}));
  const auto running = must(store->open_session());
  database.run("UPDATE finality_schema SET version = version - 1");
  const std::string message = refusal({.url = database.url()});
  EXPECT_TRUE(message.contains(", and 1 of its servers may still be running. Stop all of them first")) << message;
}

TEST_F(PostgresStoreTest, ADatabaseOfAnotherProgramIsRejected) {
  const TestDatabase database(false);
  database.run("CREATE TABLE bookmarks (url text)");
  for (const bool migrate : {false, true}) {
    const std::string message = refusal({.url = database.url(), .migrate = migrate});
    EXPECT_TRUE(message.ends_with(" holds tables of another program. Name another database.")) << message;
  }
}

TEST_F(PostgresStoreTest, AFailedMigrationNamesItselfAndChangesNothing) {
  const TestDatabase database(false);
  database.run(
      "CREATE SCHEMA other; CREATE TABLE other.nodes (id int); CREATE VIEW nodes AS SELECT id FROM other.nodes");
  const std::string message = refusal({.url = database.url()});
  EXPECT_NE(message.find("migration 15 (baseline)"), std::string::npos) << message;
  EXPECT_EQ(refusal({.url = database.url()}), message);
  database.run("DROP VIEW nodes");
  EXPECT_EQ(refusal({.url = database.url()}), "opened");
}

TEST_F(PostgresStoreTest, TwoStoresInSeparateSchemasAreIndependent) {
  const TestDatabase database(false);
  RowFiller filler(true);
  database.run("CREATE SCHEMA one; CREATE SCHEMA two");
  const auto one = must(open_store({.url = database.url() + "&options=-csearch_path%3Done"}));
  const auto two = must(open_store({.url = database.url() + "&options=-csearch_path%3Dtwo"}));
  const SampleRows all = write_something(*one, filler);
  EXPECT_TRUE(must(must(one->open_reader())->order(all.order.order.id)));
  EXPECT_FALSE(must(must(two->open_reader())->order(all.order.order.id)));
  const std::string message = refusal({.url = database.url() + "&options=-csearch_path%3Dabsent"});
  EXPECT_NE(message.find("has no current schema"), std::string::npos) << message;
}

TEST_F(PostgresStoreTest, AServerWithoutDurableCommitsIsRejected) {
  const TestDatabase database;
  const auto set = [&](const std::string& value) {
    database.run(fmt::format("ALTER DATABASE {} SET synchronous_commit = {}", database.name(), value));
  };
  const std::pair<const char*, const char*> refused[] = {
      {"off", "crash"}, {"local", "failover"}, {"remote_write", "failover"}};
  for (const auto& [value, loses] : refused) {
    set(value);
    const std::string message = refusal({.url = database.url()});
    const std::string why = fmt::format(
        "has synchronous_commit {}: a {} would lose acknowledged commits. Run: "
        "ALTER ROLE finality SET synchronous_commit = on",
        value, loses);
    EXPECT_NE(message.find(why), std::string::npos) << message;
    EXPECT_EQ(refusal({.url = database.url(), .read_only = true}), "opened");  // for `finality verify`
  }
  set("remote_apply");
  EXPECT_EQ(refusal({.url = database.url()}), "opened");
}

TEST_F(PostgresStoreTest, TheConnectionPinsSynchronousCommit) {
  const TestDatabase database;
  database.run("ALTER DATABASE " + database.name() + " SET synchronous_commit = remote_apply");
  const auto connection = must(Connection::open({.conninfo = database.url()}, Use::write));
  // PostgreSQL does not change a setting with source `session` when it reloads its configuration.
  const auto reply =
      connection->execute("SELECT setting || ' by ' || source FROM pg_settings WHERE name = 'synchronous_commit'");
  ASSERT_TRUE(reply);
  EXPECT_STREQ(PQgetvalue(reply->raw(), 0, 0), "remote_apply by session");
}

TEST_F(PostgresStoreTest, ADatabaseOfAnotherEncodingIsRejected) {
  auto& server = TestServer::instance();
  server.run("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'");
  const std::string message = refusal({.url = server.url("latin")});
  server.run("DROP DATABASE latin");
  EXPECT_NE(message.find("is encoded in LATIN1. Create the database with ENCODING 'UTF8'."), std::string::npos)
      << message;
}

TEST_F(PostgresStoreTest, AStoreOpenedForReadingCannotWrite) {
  const TestDatabase database;
  const auto store = must(open_store({.url = database.url(), .read_only = true, .migrate = false}));
  const auto session = store->open_session();
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().message, "the store was opened for reading only");
  const auto connection = must(Connection::open({.conninfo = database.url()}, Use::read));
  const auto done = connection->execute("DELETE FROM nodes");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().state, "25006") << done.error().message;
}

TEST_F(PostgresStoreTest, TheAuditReportsViolations) {
  const TestDatabase database;
  const auto store = must(open_store({.url = database.url()}));
  EXPECT_TRUE(must(store->audit()).violations.empty());
  RowFiller filler(true);
  const SampleRows all = write_something(*store, filler);
  const AuditReport report = must(store->audit());
  EXPECT_NE(std::ranges::find(report.checked, std::pair(std::string("payments"), std::int64_t{2})),
            report.checked.end());
  const auto named = std::ranges::find(report.violations, to_text(all.account.id), &Violation::object_id);
  ASSERT_NE(named, report.violations.end());
  EXPECT_FALSE(named->invariant.empty());
  EXPECT_FALSE(named->detail.empty());
}

/// A database that is accessed with the restricted role of a Finality server.
class PostgresRoleTest : public PostgresStoreTest {
 protected:
  PostgresRoleTest() {
    database_.run("CREATE ROLE cashier LOGIN");
    must(grant_running_role(database_.url(), "cashier"));
  }
  ~PostgresRoleTest() override { database_.run("DROP OWNED BY cashier; DROP ROLE cashier"); }
  std::string url() const {
    std::string url = database_.url();
    return url.replace(url.find("finality@"), 8, "cashier");
  }
  /// Runs `sql` as the restricted role. Returns the SQLSTATE of the error, or an empty string on success.
  std::string state_of(const std::string& sql) {
    const auto connection = must(Connection::open({.conninfo = url()}, Use::write));
    const auto done = connection->execute(sql);
    return done ? "" : done.error().state;
  }

  TestDatabase database_;
};

TEST_F(PostgresRoleTest, TheRoleCanDoEverythingThatFinalityDoes) {
  const auto store = must(open_store({.url = url(), .migrate = false}));
  RowFiller filler(true);
  SampleRows all = make_sample_rows(filler);
  const auto session = must(store->open_session());
  const IdGenerator ids(session->node(), session->ids_not_before());
  WorkingSet made;
  all.insert_into(made);
  ASSERT_EQ(session->commit(made, ids).outcome, CommitOutcome::ok);
  change_everything(filler, all);
  WorkingSet rows;
  must(session->load(all.reads(), rows));
  rows.orders.change(all.order.order.id) = all.order;
  rows.deliveries.change(all.delivery.delivery.id) = all.delivery;
  rows.unknown_receipts.change(all.unknown_receipt.unknown_receipt.id) = all.unknown_receipt;
  rows.statements.change(all.statement.statement.id) = all.statement;
  rows.differences.change(all.difference.difference.id) = all.difference;
  rows.accounts.change(all.account.id) = all.account;
  rows.transfers.change(all.transfer.id) = all.transfer;
  rows.holds.change(all.hold.id) = all.hold;
  rows.prices.change(all.price.id) = all.price;
  rows.adjustments.change(all.adjustment.id) = all.adjustment;
  rows.merchants.change(all.merchant.id) = all.merchant;
  rows.api_keys.change(all.api_key.id) = all.api_key;
  rows.channel_accounts.change(all.channel_account.id) = all.channel_account;
  rows.channel_rates.change(all.channel_rate.id) = all.channel_rate;
  rows.endpoints.change(all.merchant.id) = all.endpoints;
  rows.fees.change(all.merchant.id) = all.fees;
  IdempotencyRecord answer = filler.row<IdempotencyRecord>();
  answer.key_hash = all.answer.key_hash;
  rows.idempotency_records.change(answer.key_hash) = answer;
  const CommitResult result = session->commit(rows, ids);
  EXPECT_EQ(result.outcome, CommitOutcome::ok) << result.message;
  EXPECT_EQ(session->renew().outcome, CommitOutcome::ok);
  EXPECT_TRUE(must(must(store->open_reader())->order(all.order.order.id)));
  EXPECT_TRUE(store->audit().has_value());
}

TEST_F(PostgresRoleTest, TheRoleCannotChangeImmutableData) {
  constexpr const char* kDenied = "42501";
  for (const char* table : {"entries", "changes"}) {
    SCOPED_TRACE(table);
    for (const std::string what : {"UPDATE {} SET merchant_id = 1", "DELETE FROM {}", "TRUNCATE {}", "DROP TABLE {}"})
      EXPECT_EQ(state_of(fmt::format(fmt::runtime(what), table)), kDenied) << what;
    EXPECT_EQ(state_of(fmt::format("SELECT count(*) FROM {}", table)), "");
  }
  for (const char* sql :
       {"DELETE FROM orders", "DELETE FROM accounts", "DELETE FROM keys", "UPDATE orders SET amount = 1",
        "UPDATE keys SET merchant_id = 1", "UPDATE receipts SET amount = 1", "DELETE FROM nodes",
        "UPDATE finality_schema SET version = 1", "CREATE TABLE mine (id int)"})
    EXPECT_EQ(state_of(sql), kDenied) << sql;
  for (const char* sql : {"DELETE FROM idempotency_keys", "DELETE FROM idempotency_records", "DELETE FROM deliveries",
                          "DELETE FROM archived_orders", "UPDATE keys SET id = 1", "DELETE FROM statement_parts"})
    EXPECT_EQ(state_of(sql), "") << sql;
}

TEST_F(PostgresRoleTest, TheRoleCanUseASeparateSchema) {
  const TestDatabase database(false);
  database.run("CREATE SCHEMA \"the books\"");
  const std::string path = "&options=-csearch_path%3D%22the%5C%20books%22";
  must(open_store({.url = database.url() + path}));
  must(grant_running_role(database.url() + path, "cashier"));
  std::string as_cashier = database.url() + path;
  as_cashier.replace(as_cashier.find("finality@"), 8, "cashier");
  EXPECT_EQ(refusal({.url = as_cashier, .migrate = false}), "opened");
  RowFiller filler(true);
  write_something(*must(open_store({.url = as_cashier, .migrate = false})), filler);
  database.run("DROP OWNED BY cashier");
}

TEST_F(PostgresRoleTest, GrantingToAnUnknownRoleIsAnError) {
  const auto done = grant_running_role(database_.url(), "absent; DROP TABLE orders");
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("does not exist"), std::string::npos) << done.error().message;
  EXPECT_EQ(database_.run("SELECT count(*) FROM orders"), "0");
}

TEST(PostgresTargetTest, FinalityParametersAreRemovedFromTheUrl) {
  const ConnectionOptions plain = must(parse_target("postgres://u@h/d"));
  EXPECT_EQ(plain.conninfo, "postgres://u@h/d");
  EXPECT_GE(plain.lanes, 1U);
  EXPECT_LE(plain.lanes, 4U);
  EXPECT_TRUE(plain.lock_roots);
  const ConnectionOptions all =
      must(parse_target("postgresql:///d?host=/tmp&finality_lanes=64&sslmode=require&finality_lock_roots=off&port=1"));
  EXPECT_EQ(all.conninfo, "postgresql:///d?host=/tmp&sslmode=require&port=1");
  EXPECT_EQ(all.lanes, 64U);
  EXPECT_FALSE(all.lock_roots);
  const ConnectionOptions ours = must(parse_target("postgres://h/d?finality_lock_roots=on&finality_lanes=1"));
  EXPECT_EQ(ours.conninfo, "postgres://h/d");
  EXPECT_EQ(ours.lanes, 1U);
  EXPECT_TRUE(ours.lock_roots);
}

TEST(PostgresTargetTest, InvalidFinalityParametersAreRejected) {
  const std::pair<std::string, std::string> wrong[] = {
      {"finality_lanes=0", "must be a number from 1 to 64"},  {"finality_lanes=65", "must be a number from 1 to 64"},
      {"finality_lanes=2x", "must be a number from 1 to 64"}, {"finality_lanes", "must be a number from 1 to 64"},
      {"finality_lock_roots=no", "must be on or off"},        {"finality_lane=4", "is unknown"}};
  for (const auto& [parameter, why] : wrong) {
    const auto options = parse_target("postgres://h/d?" + parameter);
    ASSERT_FALSE(options) << parameter;
    EXPECT_NE(options.error().message.find(why), std::string::npos) << options.error().message;
  }
}

TEST(PostgresTargetTest, TheErrorForAnUnreadableUrlQuotesNothing) {
  for (const std::string url :
       {"postgres://someone:ge/heim@h/d", "postgres://someone:/geheim@h/d", "postgres://someone:ge@heim@h/d",
        "postgres://someone:geheim@[h/d", "postgres://someone:ge%heim@h/d", "postgres://someone:ge[heim]@h/d?x",
        "postgres://someone@h/d?password=ge%heim", "postgres://someone:geheim@h:zwei/d",
        "postgres://someone:geheim@h/d?no_such=1"}) {
    const auto store = open_store({.url = url});
    ASSERT_FALSE(store) << url;
    EXPECT_TRUE(store.error().message.starts_with("the store's URL cannot be read. ")) << store.error().message;
    for (const char* part : {"ge/", "heim", "zwei"})
      EXPECT_EQ(store.error().message.find(part), std::string::npos) << store.error().message;
  }
  for (const std::string url :
       {"postgres://u:ge%2Fheim@h:1,i:2/d", "postgresql:///d?host=/a,/b&user=me%40here&password=a@b", "postgres://"})
    EXPECT_TRUE(parse_target(url)) << url;
}

TEST(PostgresTargetTest, AnUnreachableDatabaseIsNamedAndItsPasswordIsNot) {
  const auto store = open_store({.url = "postgres://someone:geheim@127.0.0.1:1/absent"});
  ASSERT_FALSE(store);
  EXPECT_TRUE(store.error().message.starts_with("cannot reach the store: ")) << store.error().message;
  EXPECT_NE(store.error().message.find("127.0.0.1"), std::string::npos) << store.error().message;
  EXPECT_EQ(store.error().message.find("geheim"), std::string::npos);
}

TEST(PostgresFault, AFullDiskAndAReadOnlyDatabaseAreFaults) {
  EXPECT_EQ(postgres::fault_of({.state = "53100", .message = {}}), StoreFault::disk_full);
  EXPECT_EQ(postgres::fault_of({.state = "25006", .message = {}}), StoreFault::read_only);
  for (const std::string state : {"", "40001", "57P01", "53200"})
    EXPECT_EQ(postgres::fault_of({.state = state, .message = {}}), std::nullopt) << state;
}

TEST(ReadGuardTest, AFailedTargetIsRefusedUntilItsPauseEnds) {
  using enum ReadGuard::Access;
  const ReadTarget shard{.merchant = MerchantId{7}};
  ReadGuard guard(Duration(1000));
  EXPECT_EQ(guard.admit(shard, Duration(0)), open);
  guard.record_failure(shard, Duration(0));
  EXPECT_EQ(guard.admit(shard, Duration(999)), refused);
  EXPECT_EQ(guard.admit(shard, Duration(1000)), probe);
  guard.record_failure(shard, Duration(1500));
  EXPECT_EQ(guard.admit(shard, Duration(2499)), refused);
  EXPECT_EQ(guard.admit(shard, Duration(2500)), probe);
  guard.record_success(shard);
  EXPECT_EQ(guard.admit(shard, Duration(2500)), open);
}

TEST(ReadGuardTest, OtherMerchantsAndReadsOfAllShardsAreNotRefused) {
  ReadGuard guard(Duration(1000));
  guard.record_failure({.merchant = MerchantId{7}}, Duration(0));
  EXPECT_EQ(guard.admit({.merchant = MerchantId{8}}, Duration(1)), ReadGuard::Access::open);
  EXPECT_EQ(guard.admit({.merchant = {}, .statement = all_statements().front()}, Duration(1)), ReadGuard::Access::open);
}

}  // namespace
}  // namespace finality::postgres
