#include "damaged_store.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "base/testing/temporary_directory.h"
#include "populated_store.h"
#include "store/postgres/audit.h"
#include "store/postgres/testing/test_server.h"
#include "store/sqlite/database.h"
#include "store/store.h"

namespace finality::audit {
namespace {

using store_contract::must;

/// The original file and, beside it, the copy that is damaged.
class Files {
 public:
  static const Files& instance() {
    static const Files files;
    return files;
  }
  /// Replaces the damaged copy by a new copy of the original, and returns its path.
  std::string take_copy() const {
    const std::string path = directory_.file("damaged.db");
    for (const char* suffix : {"-wal", "-shm"}) std::filesystem::remove(path + suffix);
    std::filesystem::copy_file(original(), path, std::filesystem::copy_options::overwrite_existing);
    return path;
  }

 private:
  Files() { write_populated_store("sqlite:" + original()); }
  std::string original() const { return directory_.file("original.db"); }

  TemporaryDirectory directory_;
};

class DamagedSqlite final : public DamagedStore {
 public:
  explicit DamagedSqlite(const std::string& path)
      : database_(must(sqlite::Database::open(path, sqlite::Database::Mode::write))),
        store_(must(open_store({.url = "sqlite:" + path, .read_only = true, .migrate = false}))) {}

  std::vector<Violation> audit() override { return must(store_->audit()).violations; }
  std::vector<std::string> ask(const std::string& query) override {
    sqlite::SqlStatement statement = database_.prepare(query);
    std::vector<std::string> rows;
    while (statement.step() == sqlite::StepResult::row) rows.push_back(statement.read<std::string>());
    return rows;
  }

 private:
  void run(const std::string& sql) override { must(database_.execute(sql)); }

  sqlite::Database database_;
  std::unique_ptr<Store> store_;
};

class DamagedPostgres final : public DamagedStore {
 public:
  DamagedPostgres() {
    FINALITY_CHECK(!std::exchange(exists(), true), "only one instance may exist at a time");
    execute("BEGIN READ WRITE");
  }
  ~DamagedPostgres() override {
    execute("ROLLBACK");
    exists() = false;
  }

  std::vector<Violation> audit() override { return must(postgres::audit_in_transaction(connection(), {})).violations; }
  std::vector<std::string> ask(const std::string& query) override {
    const postgres::Reply reply = execute(query);
    std::vector<std::string> rows;
    for (int i = 0; i < reply.rows(); ++i) rows.emplace_back(PQgetvalue(reply.raw(), i, 0));
    return rows;
  }

 private:
  void run(const std::string& sql) override { execute(sql); }

  static bool& exists() {
    static bool does = false;
    return does;
  }
  static std::string original() {
    static const postgres::TestDatabase database;
    static const bool written = (write_populated_store(database.url()), database.run("ANALYZE"), true);
    FINALITY_CHECK(written, "the store is written once");
    return database.url();
  }
  /// One connection for all instances, because a new one would first read the definitions of all tables.
  static postgres::Connection& connection() {
    static const auto connection = must(postgres::Connection::open({.conninfo = original()}, postgres::Use::read));
    return *connection;
  }
  static postgres::Reply execute(const std::string& sql) {
    auto reply = connection().execute(sql);
    FINALITY_CHECK(reply.has_value(), reply.error().message + " in: " + sql);
    return std::move(*reply);
  }
};

}  // namespace

void DamagedStore::damage(const std::string& sql) {
  if (!std::exchange(are_events_in_table_, true))
    run("CREATE TABLE all_events AS SELECT * FROM events; DROP VIEW events; ALTER TABLE all_events RENAME TO events; "
        "CREATE INDEX events_of_root ON events (root_id, id)");
  run(sql);
}

std::unique_ptr<DamagedStore> make_damaged_store(Place place) {
  if (place == Place::postgres) return std::make_unique<DamagedPostgres>();
  return std::make_unique<DamagedSqlite>(Files::instance().take_copy());
}

}  // namespace finality::audit
