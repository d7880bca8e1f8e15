// Store contract suites on SQLite, and tests specific to SQLite: one owning process, durable commits in the WAL, and
// errors of opening a store.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "base/testing/temporary_directory.h"
#include "store/contract/expiry_contract.h"
#include "store/contract/reader_contract.h"
#include "store/schema/migrations.h"
#include "store/sqlite/database.h"
#include "store/sqlite/testing/sqlite_place.h"

namespace finality::store_contract {
namespace {

INSTANTIATE_TEST_SUITE_P(Sqlite, StoreContract, testing::Values(make_place<SqlitePlace>));
INSTANTIATE_TEST_SUITE_P(Sqlite, ReaderContract, testing::Values(make_place<SqlitePlace>));
INSTANTIATE_TEST_SUITE_P(Sqlite, ExpiryContract, testing::Values(make_place<SqlitePlace>));

class SqliteStoreTest : public testing::Test {
 protected:
  TemporaryDirectory directory_;
  std::string path_ = directory_.file("store.db");
  std::string url_ = "sqlite:" + path_;

  std::unique_ptr<Store> open() { return must(open_store({.url = url_})); }
  std::string refusal(const StoreOptions& options) {
    const auto store = open_store(options);
    return store ? "opened" : store.error().message;
  }
  /// Runs SQL on the database file through a plain SQLite connection.
  void run_sql(const std::string& sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }
  static SampleRows write_something(Session& session, RowFiller& filler) {
    const SampleRows all = make_sample_rows(filler);
    WorkingSet rows;
    all.insert_into(rows);
    IdGenerator ids(session.node(), session.ids_not_before());
    FINALITY_CHECK(session.commit(rows, ids).outcome == CommitOutcome::ok, "the sample rows were not written");
    return all;
  }
};

TEST_F(SqliteStoreTest, ASecondProcessIsRefusedUntilTheFirstExits) {
  auto owner = open();
  const std::string advice = "is in use by another process";
  EXPECT_NE(refusal({.url = url_}).find(advice), std::string::npos);

  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(open_store({.url = url_}).has_value() ? 1 : 0);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);

  owner.reset();
  EXPECT_EQ(refusal({.url = url_}), "opened");
}

TEST_F(SqliteStoreTest, ReadsBesideARunningWriter) {
  const auto owner = open();
  const auto session = must(owner->open_session());
  const auto observer = must(open_store({.url = url_, .read_only = true, .migrate = false}));
  const auto reader = must(observer->open_reader());
  RowFiller filler(true);
  for (int i = 0; i < 3; ++i) {
    const SampleRows all = write_something(*session, filler);
    const auto found = must(reader->order(all.order.order.id));
    ASSERT_TRUE(found);
    expect_same(&*found, all.order);
    const AuditReport report = must(observer->audit());
    EXPECT_NE(std::ranges::find(report.checked, std::pair(std::string("orders"), std::int64_t{i + 1})),
              report.checked.end());
  }
}

TEST_F(SqliteStoreTest, AReaderLeavesTheWalToTheWriter) {
  const auto owner = open();
  const auto session = must(owner->open_session());
  RowFiller filler(true);
  const SampleRows all = write_something(*session, filler);
  // Copies the files while the store is open: a killed process leaves the same files.
  const std::string copy = directory_.file("copy.db");
  std::filesystem::copy(path_, copy);
  std::filesystem::copy(path_ + "-wal", copy + "-wal");
  const auto wal_bytes = std::filesystem::file_size(copy + "-wal");
  ASSERT_GT(wal_bytes, 0U);
  {
    const auto observer = must(open_store({.url = "sqlite:" + copy, .read_only = true, .migrate = false}));
    EXPECT_TRUE(must(must(observer->open_reader())->order(all.order.order.id)));
  }
  ASSERT_TRUE(std::filesystem::exists(copy + "-wal"));
  EXPECT_EQ(std::filesystem::file_size(copy + "-wal"), wal_bytes);
}

TEST_F(SqliteStoreTest, CommittedRowsSurviveAKill) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto store = open();
    const auto session = must(store->open_session());
    RowFiller filler(true);
    const std::int64_t id = write_something(*session, filler).order.order.id.value;
    FINALITY_CHECK(::write(pipe_ends[1], &id, sizeof id) == sizeof id, "the pipe is broken");
    ::pause();  // the parent kills this process while the store is open
  }
  std::int64_t id = 0;
  ASSERT_EQ(::read(pipe_ends[0], &id, sizeof id), static_cast<ssize_t>(sizeof id));
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
  EXPECT_TRUE(must(must(open()->open_reader())->order(OrderId{id})));
}

TEST_F(SqliteStoreTest, CommitsAreDurableByItsSettings) {
  auto database = must(sqlite::Database::open(path_, sqlite::Database::Mode::write));
  const auto setting = [&](const std::string& name) {
    sqlite::SqlStatement statement = database.prepare("PRAGMA " + name);
    EXPECT_EQ(statement.step(), sqlite::StepResult::row);
    return statement.read<std::string>();
  };
  EXPECT_EQ(setting("journal_mode"), "wal");
  EXPECT_EQ(setting("synchronous"), "2");
}

TEST_F(SqliteStoreTest, AWriterWaitsForAnotherWriter) {
  auto one = must(sqlite::Database::open(path_, sqlite::Database::Mode::write));
  auto other = must(sqlite::Database::open(path_, sqlite::Database::Mode::write));
  must(one.execute("BEGIN IMMEDIATE"));
  auto begun = std::async(std::launch::async, [&] { return other.execute("BEGIN IMMEDIATE").has_value(); });
  EXPECT_EQ(begun.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  must(one.execute("COMMIT"));
  EXPECT_TRUE(begun.get());
}

TEST_F(SqliteStoreTest, AReadConnectionCannotWrite) {
  open();
  auto database = must(sqlite::Database::open(path_, sqlite::Database::Mode::read));
  EXPECT_FALSE(database.execute("DELETE FROM nodes"));
}

TEST_F(SqliteStoreTest, ANewerSchemaIsRefused) {
  open();
  run_sql("PRAGMA user_version=9999");
  const std::string message =
      fmt::format("the store {} has schema 9999, newer than this program's {}. Use a newer program.", path_,
                  store::newest_schema());
  EXPECT_EQ(refusal({.url = url_}), message);
  EXPECT_EQ(refusal({.url = url_, .read_only = true}), message);
}

TEST_F(SqliteStoreTest, AMissingStoreIsNotCreatedUnlessMigrationIsAllowed) {
  EXPECT_EQ(refusal({.url = url_, .migrate = false}),
            fmt::format("the store {0} does not exist. Create it: finality migrate --store sqlite:{0}", path_));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(SqliteStoreTest, AnOlderSchemaIsRefusedWithAdviceUnlessMigrationIsAllowed) {
  run_sql("CREATE TABLE nodes (number)");  // a store without a schema version
  const std::string message =
      fmt::format("the store {} has schema 0, this program needs {}. Run: finality migrate --store sqlite:{}", path_,
                  store::newest_schema(), path_);
  EXPECT_EQ(refusal({.url = url_, .migrate = false}), message);
  EXPECT_EQ(refusal({.url = url_, .read_only = true, .migrate = true}), message);
  std::filesystem::remove(path_);
  EXPECT_EQ(refusal({.url = url_, .migrate = true}), "opened");
  EXPECT_EQ(refusal({.url = url_, .migrate = false}), "opened");
}

TEST_F(SqliteStoreTest, ASchemaOlderThanTheBaselineIsRefused) {
  open();
  run_sql("PRAGMA user_version=14");
  for (const bool read_only : {false, true})
    EXPECT_EQ(
        refusal({.url = url_, .read_only = read_only}),
        fmt::format("the store {} has schema 14, from before version 0.1.0. This program reads schema {} and newer. "
                    "The store is unchanged: use the program that wrote it, or name a new store.",
                    path_, store::kBaselineSchema));
}

TEST_F(SqliteStoreTest, AnUnknownStoredEnumeratorFailsTheReadAndIsNamed) {
  RowFiller filler(true);
  const SampleRows all = write_something(*must(open()->open_session()), filler);
  const SampleRows other = write_something(*must(open()->open_session()), filler);
  const OrderId id = all.order.order.id;
  run_sql(
      fmt::format("UPDATE orders SET state='payed' WHERE id={0}; UPDATE deliveries SET state='' WHERE id={1}; "
                  "UPDATE payments SET state='PAID' WHERE order_id={2}",
                  id.value, all.delivery.delivery.id.value, other.order.order.id.value));
  const auto store = open();
  const auto session = must(store->open_session());
  const auto reader = must(store->open_reader());

  const std::string wrong_state =
      fmt::format("orders.state of the row whose id is {} holds the unknown value \"payed\"; allowed: {}", id.value,
                  fmt::join(kNames<OrderState>, ", "));
  WorkingSet rows;
  const auto loaded = session->load(all.reads(), rows);
  ASSERT_FALSE(loaded);
  EXPECT_TRUE(loaded.error().message.contains(wrong_state)) << loaded.error().message;
  const auto read = reader->order(id);
  ASSERT_FALSE(read);
  EXPECT_TRUE(read.error().message.contains(wrong_state)) << read.error().message;
  EXPECT_FALSE(reader->orders(all.order.order.merchant_id, {}, {.limit = 10}));

  const auto delivery = reader->delivery(all.delivery.delivery.id);
  ASSERT_FALSE(delivery);
  EXPECT_TRUE(delivery.error().message.contains("deliveries.state of ")) << delivery.error().message;
  EXPECT_TRUE(delivery.error().message.contains("the unknown value \"\"")) << delivery.error().message;
  const auto child = reader->order(other.order.order.id);
  ASSERT_FALSE(child);
  EXPECT_TRUE(child.error().message.contains("payments.state of ")) << child.error().message;

  // After these errors, the session and the reader still load valid rows.
  rows.clear();
  must(session->load({.owners = all.owners(), .deliveries = {other.delivery.delivery.id}}, rows));
  expect_same(rows.deliveries.find(other.delivery.delivery.id), other.delivery);
  EXPECT_TRUE(must(reader->delivery(other.delivery.delivery.id)));
}

TEST_F(SqliteStoreTest, AMalformedStoredValueFailsTheReadAndIsNotShown) {
  RowFiller filler(true);
  const SampleRows all = write_something(*must(open()->open_session()), filler);
  run_sql("UPDATE orders SET currency='EURO'");
  const auto read = must(open()->open_reader())->order(all.order.order.id);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message,
            fmt::format("orders.currency of the row whose id is {} holds a value that is not a currency. Correct the "
                        "row, or use the Finality version that wrote it.",
                        all.order.order.id.value));
}

TEST_F(SqliteStoreTest, AnotherProgramsDatabaseIsRefused) {
  run_sql("CREATE TABLE bookmarks (url); PRAGMA user_version=1");
  const std::string message = path_ + " is a database of another program. Name another file.";
  EXPECT_EQ(refusal({.url = url_}), message);
  EXPECT_EQ(refusal({.url = url_, .read_only = true, .migrate = false}), message);
}

TEST_F(SqliteStoreTest, PagesOfAnotherSizeAreRefusedWithAdvice) {
  open();
  run_sql("PRAGMA journal_mode=DELETE; PRAGMA page_size=8192; VACUUM");
  const std::string message = refusal({.url = url_});
  EXPECT_NE(message.find(path_ + " has pages of 8192 bytes, not 4096. Change that with: sqlite3"), std::string::npos)
      << message;
  run_sql("PRAGMA journal_mode=DELETE; PRAGMA page_size=4096; VACUUM");
  EXPECT_EQ(refusal({.url = url_}), "opened");
}

TEST_F(SqliteStoreTest, AFailedMigrationNamesItselfAndChangesNothing) {
  run_sql("CREATE TABLE nodes (id)");  // the migration fails when it creates the same table
  const std::string message = refusal({.url = url_});
  EXPECT_NE(message.find("migration 15 (baseline)"), std::string::npos) << message;
  EXPECT_EQ(refusal({.url = url_}), message);
}

TEST_F(SqliteStoreTest, AFileThatIsNotADatabaseIsRefusedByName) {
  std::ofstream(path_) << std::string(10'000, 'x');
  for (const bool read_only : {false, true}) {
    const std::string message = refusal({.url = url_, .read_only = read_only});
    EXPECT_NE(message.find(path_), std::string::npos) << message;
    EXPECT_NE(message.find("file is not a database"), std::string::npos) << message;
  }
}

TEST_F(SqliteStoreTest, ADamagedFileIsAnErrorNotACrash) {
  {
    const auto store = open();
    const auto session = must(store->open_session());
    RowFiller filler(true);
    for (int i = 0; i < 50; ++i) write_something(*session, filler);
  }
  {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(std::filesystem::file_size(path_) - 4096, '\xA5');
  }
  const auto store = open_store({.url = url_, .read_only = true, .migrate = false});
  const auto report = store ? (*store)->audit() : std::unexpected(store.error());
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find("malformed"), std::string::npos) << report.error().message;
}

TEST_F(SqliteStoreTest, AReadOnlyOpenDoesNotCreateTheFile) {
  const std::string message = refusal({.url = url_, .read_only = true});
  EXPECT_NE(message.find("cannot open the store " + path_), std::string::npos) << message;
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(SqliteStoreTest, AMissingDirectoryIsNamed) {
  const std::string path = directory_.file("absent/store.db");
  EXPECT_NE(refusal({.url = "sqlite:" + path}).find(path), std::string::npos);
}

TEST_F(SqliteStoreTest, AnUnknownUrlIsRefusedWithAdvice) {
  for (const std::string url : {"", "sqlite:", "mysql://db", "store.db"})
    EXPECT_EQ(refusal({.url = url}), std::string("invalid store URL: use ") + kStoreUrls);
}

}  // namespace
}  // namespace finality::store_contract
