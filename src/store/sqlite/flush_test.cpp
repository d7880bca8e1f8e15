// Tests of asynchronous flushing: when commits are synced, which readers wait for a flush, and when the log is
// checkpointed.
#include <filesystem>
#include <future>

#include "base/testing/temporary_directory.h"
#include "store/sqlite/checkpointer.h"
#include "store/sqlite/database.h"
#include "store/sqlite/instrumented_vfs.h"
#include "store/testing/sample_rows.h"

namespace finality::store_contract {
namespace {

using namespace std::chrono_literals;

class SqliteFlushTest : public testing::Test {
 protected:
  OrderId write() {
    const SampleRows all = make_sample_rows(filler_);
    WorkingSet rows;
    all.insert_into(rows);
    const CommitResult result = session_->commit(rows, ids_);
    FINALITY_CHECK(result.outcome == CommitOutcome::ok, result.message);
    return all.order.order.id;
  }
  /// Writes and flushes commits that add at least `pages` pages to the log.
  void write_pages(int pages) {
    for (int written = 0; written < pages; written += kLeastPagesOfACommit) {
      write();
      must(flusher_->flush());
    }
  }
  std::uintmax_t log_bytes() const { return std::filesystem::file_size(path_ + "-wal"); }

  static constexpr int kLeastPagesOfACommit = 20;
  static constexpr std::uintmax_t kLogBytes = sqlite::Checkpointer::kLogPages * 4120ULL;

  sqlite::InstrumentedVfs disk_;
  TemporaryDirectory directory_;
  std::string path_ = directory_.file("store.db");
  std::unique_ptr<Store> store_ = must(open_store({.url = "sqlite:" + path_}));
  std::unique_ptr<Session> session_ = must(store_->open_session());
  std::unique_ptr<Flusher> flusher_ = must(session_->flush_apart());
  IdGenerator ids_{session_->node(), session_->ids_not_before()};
  RowFiller filler_{true};
};

TEST_F(SqliteFlushTest, CommitsDoNotSyncAndOneFlushSyncsManyCommits) {
  write();
  must(flusher_->flush());
  const int before = disk_.log.syncs;
  for (int i = 0; i < 2; ++i) write();  // too few pages to start the checkpointer, which would sync
  EXPECT_EQ(disk_.log.syncs, before);
  must(flusher_->flush());
  EXPECT_EQ(disk_.log.syncs, before + 1);
  must(flusher_->flush());
  EXPECT_EQ(disk_.log.syncs, before + 1) << "nothing was committed in between";
}

TEST_F(SqliteFlushTest, AReadReturnsOnlyOnceEverythingItReadIsOnTheDisk) {
  const auto reader = must(store_->open_reader());
  EXPECT_FALSE(must(reader->order(OrderId{1}))) << "nothing was committed: no wait";
  const OrderId id = write();
  auto whole = std::async(std::launch::async, [&] { return must(reader->order(id)).has_value(); });
  EXPECT_EQ(whole.wait_for(50ms), std::future_status::timeout);
  must(flusher_->flush());
  EXPECT_TRUE(whole.get());
  EXPECT_TRUE(must(reader->order(id))) << "no wait after the flush";

  write();
  auto single = std::async(std::launch::async, [&] { return must(reader->find_case(CaseId{1})).has_value(); });
  EXPECT_EQ(single.wait_for(50ms), std::future_status::timeout);
  must(flusher_->flush());
  EXPECT_FALSE(single.get());
}

TEST_F(SqliteFlushTest, AFailedSyncFailsTheFlush) {
  write();
  disk_.log.sync_fails = true;
  const auto flushed = flusher_->flush();
  ASSERT_FALSE(flushed);
  EXPECT_NE(flushed.error().message.find("sync"), std::string::npos) << flushed.error().message;
}

TEST_F(SqliteFlushTest, AFailedSyncOfTheFileFailsTheFlush) {
  disk_.file.sync_fails = true;
  Result<void> flushed;
  for (int i = 0; i < 100'000 && flushed; ++i) {
    write();
    flushed = flusher_->flush();
  }
  EXPECT_FALSE(flushed) << "the checkpoint failed, but the flush did not report it";
}

TEST_F(SqliteFlushTest, TheLogRestartsWhileTheWriterContinues) {
  write_pages(4 * sqlite::Checkpointer::kLogPages);
  EXPECT_LT(log_bytes(), 3 * kLogBytes)
      << "the checkpointer may lag behind, on a busy machine by as much as the whole log";
  EXPECT_GT(disk_.file.syncs, 3 * sqlite::Checkpointer::kLogPages / sqlite::Checkpointer::kPortionPages / 4);

  auto database = must(sqlite::Database::open(path_, sqlite::Database::Mode::read));
  sqlite::SqlStatement check = database.prepare("PRAGMA integrity_check");
  ASSERT_EQ(check.step(), sqlite::StepResult::row);
  EXPECT_EQ(check.read<std::string>(), "ok");
}

TEST_F(SqliteFlushTest, AnOldSnapshotLetsTheLogGrowAndBlocksNoWriter) {
  write();
  must(flusher_->flush());
  {
    auto database = must(sqlite::Database::open(path_, sqlite::Database::Mode::read));
    must(database.execute("BEGIN"));
    must(database.execute("SELECT * FROM nodes"));
    write_pages(3 * sqlite::Checkpointer::kLogPages);
    EXPECT_GT(log_bytes(), 2 * kLogBytes);
    must(database.execute("COMMIT"));
  }
  const auto longest = log_bytes();
  write_pages(4 * sqlite::Checkpointer::kLogPages);
  EXPECT_LT(log_bytes(), longest + 3 * kLogBytes) << "the checkpointer may lag behind";
}

}  // namespace
}  // namespace finality::store_contract
