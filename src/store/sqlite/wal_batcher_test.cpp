#include "store/sqlite/wal_batcher.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <random>

#include "base/testing/temporary_directory.h"
#include "store/sqlite/instrumented_vfs.h"
#include "store/sqlite/page_cache.h"

namespace finality::sqlite {
namespace {

constexpr int kWriteMax = 65536;  // bytes
constexpr int kPagesInAWrite = kWriteMax / (24 + kPageBytes);

class WalBatcherTest : public testing::TestWithParam<const char*> {
 protected:
  WalBatcherTest() {
    writer_ = connect(gathering_vfs());
    must_run(writer_, fmt::format("PRAGMA page_size={}", kPageBytes));
    for (const char* setting : {"PRAGMA journal_mode=WAL", "PRAGMA cache_size=8", GetParam(),
                                "CREATE TABLE rows (id INTEGER PRIMARY KEY, bytes BLOB) WITHOUT ROWID"})
      must_run(writer_, setting);
    reader_ = connect(nullptr);
  }
  ~WalBatcherTest() override {
    sqlite3_close(reader_);
    sqlite3_close(writer_);
  }

  sqlite3* connect(const char* vfs) const {
    sqlite3* opened = nullptr;
    EXPECT_EQ(sqlite3_open_v2(path_.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs), SQLITE_OK);
    return opened;
  }
  static int run(sqlite3* connection, const std::string& sql) {
    return sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr);
  }
  int commit() {
    const BatchedCommit gathered(writer_);
    const int code = run(writer_, "COMMIT");
    EXPECT_TRUE(code != SQLITE_OK || gathered.is_written());
    return code;
  }
  static void must_run(sqlite3* connection, const std::string& sql) {
    ASSERT_EQ(run(connection, sql), SQLITE_OK) << sql << ": " << sqlite3_errmsg(connection);
  }
  void put(std::int64_t id, std::size_t size) {
    must_run(writer_,
             fmt::format("INSERT INTO rows VALUES ({}, zeroblob({})) ON CONFLICT DO UPDATE SET bytes=excluded.bytes",
                         id, size));
  }
  void commit_row(std::int64_t id, std::size_t size) {
    must_run(writer_, "BEGIN");
    put(id, size);
    ASSERT_EQ(commit(), SQLITE_OK);
  }
  using Rows = std::map<std::int64_t, std::int64_t>;
  static Rows seen_by(sqlite3* connection) {
    Rows rows;
    const auto take = [](void* to, int, char** values, char**) {
      static_cast<Rows*>(to)->emplace(std::stoll(values[0]), std::stoll(values[1]));
      return SQLITE_OK;
    };
    EXPECT_EQ(sqlite3_exec(connection, "SELECT id, length(bytes) FROM rows", take, &rows, nullptr), SQLITE_OK);
    return rows;
  }
  /// Returns the rows that another connection, with the default VFS, reads.
  Rows seen_by_others() const { return seen_by(reader_); }
  /// Copies the files and returns the rows that SQLite finds in the copy. This simulates recovery after a crash: SQLite
  /// reads the log as far as its checksums are valid.
  Rows found_after_crash() const {
    for (const char* part : {"", "-wal"})
      std::filesystem::copy_file(path_ + part, crashed_ + part, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::remove(crashed_ + "-shm");
    sqlite3* opened = nullptr;
    EXPECT_EQ(sqlite3_open_v2(crashed_.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr), SQLITE_OK);
    Rows rows = seen_by(opened);
    sqlite3_close(opened);
    return rows;
  }
  void check_integrity() const {
    std::string result;
    const auto take = [](void* to, int, char** values, char**) {
      *static_cast<std::string*>(to) += values[0];
      return SQLITE_OK;
    };
    ASSERT_EQ(sqlite3_exec(reader_, "PRAGMA integrity_check", take, &result, nullptr), SQLITE_OK);
    EXPECT_EQ(result, "ok");
  }

  InstrumentedVfs disk_;
  TemporaryDirectory directory_;
  std::string path_ = directory_.file("gathered.db");
  std::string crashed_ = directory_.file("crashed.db");
  sqlite3* writer_ = nullptr;
  sqlite3* reader_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Syncs, WalBatcherTest, testing::Values("PRAGMA synchronous=NORMAL", "PRAGMA synchronous=FULL"),
                         [](const auto& tested) { return std::string(tested.param).substr(19); });

TEST_P(WalBatcherTest, ThePagesOfACommitAreWrittenTogether) {
  must_run(writer_, "PRAGMA cache_size=1000");
  commit_row(0, 10);
  constexpr int kPages = 100;
  const int before = disk_.log.writes;
  commit_row(1, static_cast<std::size_t>(kPages) * kPageBytes);
  EXPECT_LE(disk_.log.writes - before, kPages / kPagesInAWrite + 10) << "unbatched, each page takes two writes";
  EXPECT_EQ(seen_by_others().at(1), kPages * kPageBytes);
}

TEST_P(WalBatcherTest, OtherConnectionsReadCommittedRowsOnly) {
  std::mt19937 random(20260601);
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  Rows committed;
  for (int round = 0; round < 200; ++round) {
    must_run(writer_, "BEGIN");
    Rows decided = committed;
    for (int change = below(12); change >= 0; --change) {
      // Some rows are larger than the page cache. SQLite writes their pages to the log before the commit.
      const std::int64_t id = below(40);
      const std::size_t size = static_cast<std::size_t>(below(10) == 0 ? below(40 * kPageBytes) : below(2000));
      put(id, size);
      decided[id] = static_cast<std::int64_t>(size);
    }
    if (below(4) == 0) {
      must_run(writer_, "ROLLBACK");
    } else {
      ASSERT_EQ(commit(), SQLITE_OK);
      committed = decided;
    }
    ASSERT_EQ(seen_by_others(), committed) << "round " << round;
    ASSERT_EQ(found_after_crash(), committed) << "round " << round;
    if (below(8) == 0) {  // the other connection overwrites frames that a rollback left in the log
      const std::int64_t id = below(40);
      must_run(reader_, fmt::format("INSERT INTO rows VALUES ({}, '') ON CONFLICT DO UPDATE SET bytes=''", id));
      committed[id] = 0;
    }
    if (below(20) == 0) must_run(reader_, "PRAGMA wal_checkpoint(RESTART)");
  }
  check_integrity();
}

// The transaction exceeds the page cache, so that SQLite writes pages to the log before the rollback. Then another
// connection writes to the same offsets of the log. The buffer must not overwrite these frames.
TEST_P(WalBatcherTest, RolledBackPagesAreNotWrittenLater) {
  commit_row(0, 1);
  for (std::size_t pages = 8; pages < 60; ++pages) {
    must_run(writer_, "BEGIN");
    put(1, pages * kPageBytes);
    must_run(writer_, "ROLLBACK");
    must_run(reader_, fmt::format("INSERT INTO rows VALUES ({}, zeroblob({}))", pages, pages * kPageBytes));
    commit_row(0, pages);
    const Rows seen = seen_by_others();
    ASSERT_EQ(seen.size(), pages - 6);
    ASSERT_EQ(found_after_crash(), seen) << pages;
  }
  check_integrity();
}

// The tested version of SQLite makes no other calls on the log while frames are buffered. Other versions may do so.
TEST_P(WalBatcherTest, EveryOtherCallWritesBufferedFramesFirst) {
  commit_row(0, 10);
  sqlite3_file* log = nullptr;
  ASSERT_EQ(sqlite3_file_control(writer_, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log), SQLITE_OK);
  const std::string heading(24, 'h');
  const auto end = static_cast<sqlite3_int64>(std::filesystem::file_size(path_ + "-wal"));
  std::string found(heading.size(), ' ');
  sqlite3_int64 size = 0;
  const std::function<int()> questions[] = {
      [&] { return log->pMethods->xRead(log, found.data(), static_cast<int>(found.size()), end); },
      [&] { return log->pMethods->xSync(log, SQLITE_SYNC_NORMAL); },
      [&] { return log->pMethods->xFileSize(log, &size); }};
  for (const auto& ask : questions) {
    ASSERT_EQ(log->pMethods->xTruncate(log, end - 1), SQLITE_OK);
    ASSERT_EQ(log->pMethods->xWrite(log, "", 1, end - 1), SQLITE_OK);  // the next write is buffered
    const BatchedCommit gathered(writer_);
    ASSERT_EQ(log->pMethods->xWrite(log, heading.data(), static_cast<int>(heading.size()), end), SQLITE_OK);
    EXPECT_FALSE(gathered.is_written());
    EXPECT_EQ(ask(), SQLITE_OK);
    EXPECT_TRUE(gathered.is_written());
    EXPECT_EQ(std::filesystem::file_size(path_ + "-wal"), static_cast<std::uintmax_t>(end) + heading.size());
  }
  EXPECT_EQ(found, heading);
  EXPECT_EQ(size, end + static_cast<sqlite3_int64>(heading.size()));
}

TEST_P(WalBatcherTest, AFullDiskFailsTheCommitAndChangesNothing) {
  must_run(writer_, "PRAGMA cache_size=1000");
  commit_row(1, 100);
  constexpr std::size_t kBytes = 100 * kPageBytes;
  int room = 0;  // number of writes before the disk is full; one more in each round
  for (bool was_full = true; was_full; ++room) {
    const Rows before = seen_by_others();
    must_run(writer_, "BEGIN");
    put(2, kBytes);
    disk_.log.room = room;
    const int code = commit();
    was_full = code == SQLITE_FULL;
    ASSERT_TRUE(was_full || code == SQLITE_OK) << code;
    disk_.log.room = InstrumentedVfs::kRoomy;
    if (sqlite3_get_autocommit(writer_) == 0) must_run(writer_, "ROLLBACK");
    EXPECT_EQ(seen_by_others(), was_full ? before : (Rows{{1, 100}, {2, kBytes}, {3, room - 1}})) << room;
    if (was_full) commit_row(3, static_cast<std::size_t>(room));
    EXPECT_EQ(found_after_crash(), seen_by_others()) << room;
  }
  EXPECT_GT(room, 100 / kPagesInAWrite);
  check_integrity();
}

}  // namespace
}  // namespace finality::sqlite
