// A SQLite store on a full disk, without permission to write, and with damaged or missing files. Nothing acknowledged
// is lost, no failed commit appears later, and writes resume without a restart.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/log.h"
#include "base/testing/temporary_directory.h"
#include "store/backup.h"
#include "store/contract/store_contract.h"
#include "store/sqlite/instrumented_vfs.h"
#include "store/sqlite/page_cache.h"
#include "store/sqlite/transaction.h"

namespace finality::store_contract {
namespace {

class SqliteFaultTest : public testing::Test {
 protected:
  void open() {
    store_ = must(open_store({.url = url_}));
    session_ = must(store_->open_session());
    ids_ = IdGenerator(session_->node(), session_->ids_not_before());
  }
  void close() {
    flusher_.reset();
    session_.reset();
    store_.reset();
  }
  CommitResult commit() {
    last_ = make_sample_rows(filler_);
    WorkingSet rows;
    last_.insert_into(rows);
    return session_->commit(rows, ids_);
  }
  CommitOutcome write() {
    const CommitOutcome outcome = commit().outcome;
    if (outcome == CommitOutcome::ok) written_.push_back(last_.order.order.id);
    return outcome;
  }
  static bool has_order(const std::string& path, OrderId id) {
    const auto store = must(open_store({.url = "sqlite:" + path, .read_only = true, .migrate = false}));
    return must(must(store->open_reader())->order(id)).has_value();
  }
  /// Whether the order would be in the store after the process was killed now.
  bool survives_a_crash(OrderId id) const {
    const std::string copy = directory_.file("copy.db");
    for (const std::string suffix : {"", "-wal"}) {
      std::filesystem::remove(copy + suffix);
      if (std::filesystem::exists(path_ + suffix)) std::filesystem::copy(path_ + suffix, copy + suffix);
    }
    std::filesystem::remove(copy + "-shm");
    return has_order(copy, id);
  }
  void expect_all_written() {
    if (flusher_) must(flusher_->flush());
    const auto reader = must(store_->open_reader());
    for (const OrderId id : written_) EXPECT_TRUE(must(reader->order(id))) << id.value;
  }
  std::string refusal() const {
    const auto store = open_store({.url = url_});
    return store ? "opened" : store.error().message;
  }
  void run_sql(const std::string& sql) const {
    auto database = must(sqlite::Database::open(path_, sqlite::Database::Mode::write));
    must(database.execute(sql));
  }
  std::string page(std::int64_t number) const {
    std::ifstream file(path_, std::ios::binary);
    file.seekg((number - 1) * sqlite::kPageBytes);
    std::string bytes(sqlite::kPageBytes, '\0');
    file.read(bytes.data(), sqlite::kPageBytes);
    return bytes;
  }
  static std::string read_all(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Overwrites the root page of the table of orders. REQUIRES: the store is closed. Returns the number of the page.
  std::int64_t damage_orders() const {
    std::int64_t number = 0;
    {
      auto database = must(sqlite::Database::open(path_, sqlite::Database::Mode::read));
      sqlite::SqlStatement root = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name='orders'");
      FINALITY_CHECK(root.step() == sqlite::StepResult::row, "the store has no orders");
      number = root.read<std::int64_t>();
    }
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp((number - 1) * sqlite::kPageBytes);
    file << std::string(sqlite::kPageBytes, '\xA5');
    return number;
  }

  sqlite::InstrumentedVfs disk_;
  TemporaryDirectory directory_;
  std::string path_ = directory_.file("store.db");
  std::string url_ = "sqlite:" + path_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Flusher> flusher_;
  IdGenerator ids_{0, Time{}};
  RowFiller filler_{true};
  SampleRows last_;
  std::vector<OrderId> written_;
};

// ---- full disk ----

TEST_F(SqliteFaultTest, AFullDiskRefusesWritesUntilThereIsSpace) {
  open();
  EXPECT_EQ(write(), CommitOutcome::ok);
  disk_.log.room = 0;
  const CommitResult refused = commit();
  EXPECT_EQ(refused.outcome, CommitOutcome::failed);
  EXPECT_EQ(refused.fault, StoreFault::disk_full);
  EXPECT_EQ(session_->renew().fault, StoreFault::disk_full);
  expect_all_written();

  disk_.log.room = sqlite::InstrumentedVfs::kRoomy;
  EXPECT_EQ(commit().fault, StoreFault::disk_full) << "only a renewal checks the disk";
  EXPECT_EQ(session_->renew().outcome, CommitOutcome::ok);
  EXPECT_EQ(write(), CommitOutcome::ok);
  expect_all_written();
}

TEST_F(SqliteFaultTest, AFailedCommitNeverAppearsWhereverTheDiskBecameFull) {
  open();
  flusher_ = must(session_->flush_apart());
  bool was_full = true;
  for (int room = 0; was_full; ++room) {
    disk_.log.room = room;
    was_full = write() != CommitOutcome::ok;
    disk_.log.room = sqlite::InstrumentedVfs::kRoomy;
    EXPECT_EQ(survives_a_crash(last_.order.order.id), !was_full) << room;
    EXPECT_EQ(session_->renew().outcome, CommitOutcome::ok);
    expect_all_written();
  }
  EXPECT_EQ(write(), CommitOutcome::ok);
  expect_all_written();
}

TEST_F(SqliteFaultTest, ACommitWhoseIndexCannotGrowIsUndoneInTheLog) {
  open();
  flusher_ = must(session_->flush_apart());
  disk_.file.index_full = true;
  constexpr int kCommitsMax = 10'000;
  CommitResult result;
  for (int i = 0; i < kCommitsMax && result.outcome == CommitOutcome::ok; ++i) {
    result = commit();
    if (result.outcome == CommitOutcome::ok) written_.push_back(last_.order.order.id);
    must(flusher_->flush());
  }
  disk_.file.index_full = false;  // the recovery of the copy also creates an index
  EXPECT_EQ(result.outcome, CommitOutcome::failed) << result.message;
  EXPECT_EQ(result.fault, StoreFault::disk_full) << result.message;
  EXPECT_FALSE(survives_a_crash(last_.order.order.id)) << "recovery found the refused commit";
  EXPECT_TRUE(survives_a_crash(written_.back()));

  EXPECT_EQ(session_->renew().outcome, CommitOutcome::ok);
  EXPECT_EQ(write(), CommitOutcome::ok);
  EXPECT_TRUE(survives_a_crash(last_.order.order.id));
  expect_all_written();
}

TEST_F(SqliteFaultTest, AFailedCommitBlocksNoReader) {
  open();
  flusher_ = must(session_->flush_apart());
  EXPECT_EQ(write(), CommitOutcome::ok);
  disk_.log.room = 0;
  EXPECT_EQ(write(), CommitOutcome::failed);
  expect_all_written();  // would wait for the failed commit
}

TEST_F(SqliteFaultTest, AFailedSyncInACommitLeavesTheOutcomeUnknown) {
  open();  // without a flusher a commit syncs the log
  disk_.log.sync_fails = true;
  EXPECT_EQ(write(), CommitOutcome::lost);
}

TEST_F(SqliteFaultTest, AFullDatabaseFileLetsTheLogGrow) {
  open();
  flusher_ = must(session_->flush_apart());
  disk_.file.room = 0;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(write(), CommitOutcome::ok);
    must(flusher_->flush());
  }
  expect_all_written();
}

TEST_F(SqliteFaultTest, StartsOnAFullDiskAndWritesWhenThereIsSpace) {
  open();
  EXPECT_EQ(write(), CommitOutcome::ok);
  close();
  disk_.log.room = 0;
  open();
  flusher_ = must(session_->flush_apart());
  EXPECT_EQ(write(), CommitOutcome::failed);
  WorkingSet rows;
  must(session_->load({.orders = {written_.front()}}, rows));
  EXPECT_NE(rows.orders.find(written_.front()), nullptr);
  EXPECT_EQ(session_->renew().fault, StoreFault::disk_full);

  disk_.log.room = sqlite::InstrumentedVfs::kRoomy;
  EXPECT_EQ(session_->renew().outcome, CommitOutcome::fenced) << "new ids must follow those of earlier holders";
  must(session_->lease());
  ids_ = IdGenerator(session_->node(), session_->ids_not_before());
  EXPECT_EQ(write(), CommitOutcome::ok);
  expect_all_written();
}

TEST_F(SqliteFaultTest, ADeletionOnAFullDiskFailsWithAKnownOutcome) {
  open();
  EXPECT_EQ(write(), CommitOutcome::ok);
  const ExpireStep step{.records_before = Time{4'000'000'000'000}, .limit = 100, .files_limit = 1};
  disk_.log.room = 0;
  const Expired refused = session_->expire(step);
  EXPECT_EQ(refused.result.outcome, CommitOutcome::failed) << refused.result.message;
  EXPECT_EQ(refused.result.fault, StoreFault::disk_full);
  disk_.log.room = sqlite::InstrumentedVfs::kRoomy;
  EXPECT_EQ(session_->renew().outcome, CommitOutcome::ok);
  EXPECT_EQ(session_->expire(step).idempotency_records, 1U);
}

TEST(SqliteFault, ErrorsOfTheDiskAreFaultsAndOthersAreNot) {
  using sqlite::fault_of;
  EXPECT_EQ(fault_of(SQLITE_FULL, 0), StoreFault::disk_full);
  EXPECT_EQ(fault_of(SQLITE_IOERR_WRITE, EFBIG), StoreFault::disk_full);
  EXPECT_EQ(fault_of(SQLITE_IOERR_WRITE, EDQUOT), StoreFault::disk_full);
  EXPECT_EQ(fault_of(SQLITE_IOERR_SHMSIZE, 0), StoreFault::disk_full);
  EXPECT_EQ(fault_of(SQLITE_IOERR_WRITE, EROFS), StoreFault::read_only);
  EXPECT_EQ(fault_of(SQLITE_READONLY_DIRECTORY, 0), StoreFault::read_only);
  EXPECT_EQ(fault_of(SQLITE_CANTOPEN, EACCES), StoreFault::read_only);
  EXPECT_EQ(fault_of(SQLITE_IOERR_WRITE, EIO), StoreFault::disk_error);
  EXPECT_EQ(fault_of(SQLITE_CORRUPT_INDEX, 0), StoreFault::damaged);
  EXPECT_EQ(fault_of(SQLITE_NOTADB, 0), StoreFault::damaged);
  for (const int code : {SQLITE_BUSY, SQLITE_NOMEM, SQLITE_IOERR_NOMEM, SQLITE_CONSTRAINT_UNIQUE, SQLITE_MISUSE})
    EXPECT_EQ(fault_of(code, ENOSPC), std::nullopt) << code;
}

// ---- read-only file ----

/// Takes the permissions of an unprivileged user for its lifetime, because root can write every file.
class Unprivileged {
 public:
  Unprivileged() {
    if (is_root_) FINALITY_CHECK(::seteuid(65534) == 0, "seteuid failed");
  }
  ~Unprivileged() {
    if (is_root_) FINALITY_CHECK(::seteuid(0) == 0, "seteuid failed");
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  bool is_root_ = ::geteuid() == 0;
};

TEST_F(SqliteFaultTest, AReadOnlyFileIsReadAndWrittenAfterARestartOnceThatIsPermitted) {
  open();
  EXPECT_EQ(write(), CommitOutcome::ok);
  close();
  ASSERT_EQ(::chmod(directory_.path().c_str(), 0777), 0);
  ASSERT_EQ(::chmod((path_ + ".lock").c_str(), 0666), 0);
  ASSERT_EQ(::chmod(path_.c_str(), 0444), 0);
  {
    const Unprivileged user;
    open();
    flusher_ = must(session_->flush_apart());
    EXPECT_EQ(commit().fault, StoreFault::read_only);
    EXPECT_EQ(session_->renew().fault, StoreFault::read_only);
    expect_all_written();
    close();
  }
  for (const std::string suffix : {"", "-wal", "-shm"}) {
    const std::string file = path_ + suffix;
    ASSERT_TRUE(::chmod(file.c_str(), 0666) == 0 || errno == ENOENT) << file;
  }
  {
    const Unprivileged user;
    open();
    flusher_ = must(session_->flush_apart());
    EXPECT_EQ(write(), CommitOutcome::ok);
    expect_all_written();
    close();
  }
}

TEST_F(SqliteFaultTest, AStoreInAReadOnlyDirectoryIsRefusedWithTheStepsToTake) {
  open();
  close();
  ASSERT_EQ(::chmod(path_.c_str(), 0666), 0);
  ASSERT_EQ(::chmod((path_ + ".lock").c_str(), 0666), 0);
  ASSERT_EQ(::chmod(directory_.path().c_str(), 0555), 0);
  for (const bool read_only : {false, true}) {
    const Unprivileged user;
    const auto store = open_store({.url = url_, .read_only = read_only, .migrate = false});
    ASSERT_FALSE(store) << read_only;
    EXPECT_TRUE(store.error().message.contains("This user cannot write the directory " + directory_.path().string()))
        << store.error().message;
  }
  ASSERT_EQ(::chmod(directory_.path().c_str(), 0755), 0);
  EXPECT_FALSE(open_store({.url = "sqlite:" + directory_.file("none.db"), .migrate = false})
                   .error()
                   .message.contains("cannot write the directory"));
}

TEST_F(SqliteFaultTest, AFileThatOtherUsersCanReadIsReportedWithTheCommandToRun) {
  open();
  close();
  std::string lines;
  const auto lines_of_open = [&] {
    lines.clear();
    log::observe([&](std::string_view line) { lines += std::string(line) + "\n"; });
    open();
    close();
    log::observe(nullptr);
    return lines;
  };
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  EXPECT_TRUE(lines_of_open().contains("chmod 600 " + path_)) << lines;
  EXPECT_TRUE(lines.contains("mode=0640")) << lines;
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  EXPECT_FALSE(lines_of_open().contains("chmod")) << lines;
}

// ---- damage ----

TEST_F(SqliteFaultTest, TheLogIsNotMovedIntoADamagedFileWhenTheStoreIsClosed) {
  open();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(write(), CommitOutcome::ok);
  close();
  damage_orders();
  open();
  flusher_ = must(session_->flush_apart());
  must(session_->lease());  // writes to the log
  WorkingSet rows;
  EXPECT_FALSE(session_->load({.orders = {written_.front()}}, rows));
  const std::string file = read_all(path_);
  const std::string log = read_all(path_ + "-wal");
  EXPECT_FALSE(log.empty());
  session_.reset();  // before the flusher, as the lane does
  close();
  EXPECT_EQ(read_all(path_), file);
  EXPECT_EQ(read_all(path_ + "-wal"), log);
}

TEST_F(SqliteFaultTest, ADamagedPageIsNotWrittenOverUntilABackupIsRestored) {
  open();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(write(), CommitOutcome::ok);
  close();
  const std::string backup = directory_.file("backup.db");
  must(back_up(url_, backup, {}));
  const std::int64_t damaged = damage_orders();
  const std::string bytes = page(damaged);

  open();
  EXPECT_EQ(session_->renew().outcome, CommitOutcome::ok) << "the damage is not found before the page is read";
  WorkingSet rows;
  EXPECT_FALSE(session_->load({.orders = {written_.front()}}, rows));
  for (int restarts = 0; restarts < 2; ++restarts) {
    const CommitResult refused = commit();
    EXPECT_EQ(refused.outcome, CommitOutcome::failed);
    EXPECT_EQ(refused.fault, StoreFault::damaged);
    EXPECT_TRUE(refused.message.contains("finality restore --store sqlite:" + path_)) << refused.message;
    EXPECT_EQ(session_->renew().fault, StoreFault::damaged);
    close();
    open();
  }
  close();
  EXPECT_EQ(page(damaged), bytes);

  for (const std::string suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + suffix);
  must(restore({.url = url_, .file = backup}, {}));
  open();
  expect_all_written();
  EXPECT_EQ(write(), CommitOutcome::ok);
}

TEST_F(SqliteFaultTest, DamageThatAReaderFindsStopsTheWriter) {
  open();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(write(), CommitOutcome::ok);
  close();
  damage_orders();
  open();
  EXPECT_FALSE(must(store_->open_reader())->order(written_.front()));
  EXPECT_EQ(commit().fault, StoreFault::damaged);
}

// ---- missing content ----

TEST_F(SqliteFaultTest, AnEmptyFileIsNoStore) {
  std::ofstream(path_).flush();
  EXPECT_TRUE(refusal().contains("the file " + path_ + " is empty")) << refusal();
  EXPECT_EQ(std::filesystem::file_size(path_), 0U);
  std::filesystem::remove(path_);
  run_sql("PRAGMA journal_mode=WAL");
  EXPECT_TRUE(refusal().contains("restore a backup")) << "the file has no tables: " << refusal();
}

TEST_F(SqliteFaultTest, ALogWithoutItsFileIsNoNewStore) {
  std::ofstream(path_ + "-wal") << "frames";
  EXPECT_TRUE(refusal().contains("its log " + path_ + "-wal does")) << refusal();
  const std::string backup = directory_.file("backup.db");
  std::ofstream(backup) << "pages";
  EXPECT_FALSE(restore({.url = url_, .file = backup, .without_digest = true}, {}));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(SqliteFaultTest, AnInterruptedCreationLeavesNoFile) {
  for (auto* const full : {&disk_.log, &disk_.file}) {
    full->room = 1;
    EXPECT_NE(refusal(), "opened");
    EXPECT_FALSE(std::filesystem::exists(path_));
    full->room = sqlite::InstrumentedVfs::kRoomy;
  }
  EXPECT_EQ(refusal(), "opened");
}

}  // namespace
}  // namespace finality::store_contract
