#include "store/sqlite/checkpointer.h"

#include <unistd.h>

#include <utility>

#include "base/thread_name.h"

namespace finality::sqlite {
namespace {

// The last step of a complete checkpoint blocks the writer. So it is tried at most kLastStepTries times and waits at
// most 5 ms for readers of old snapshots (kWaits * kWaitMicroseconds).
constexpr int kLastStepTries = 5;
constexpr int kWaits = 50;
constexpr unsigned kWaitMicroseconds = 100;

int wait_a_little(void*, int waits) {
  if (waits >= kWaits) return 0;
  ::usleep(kWaitMicroseconds);
  return 1;
}

}  // namespace

Result<std::unique_ptr<Checkpointer>> Checkpointer::start(const std::string& path, std::shared_ptr<Damage> damage) {
  auto database = Database::open(path, Database::Mode::write, damage);
  if (!database) return std::unexpected(database.error());
  sqlite3_busy_handler(database->handle(), wait_a_little, nullptr);
  std::unique_ptr<Checkpointer> made(new Checkpointer(std::move(*database), path, std::move(damage)));
  made->thread_ = std::thread([checkpointer = made.get()] { checkpointer->run(); });
  return made;
}

Checkpointer::~Checkpointer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

// Requests a checkpoint each time the log has grown by kPortionPages. If a complete checkpoint failed, the log keeps
// growing, and the next complete checkpoint is requested after another kLogPages.
void Checkpointer::log_has(int pages) {
  if (pages < pages_) {  // the log restarted from its beginning
    next_portion_ = kPortionPages;
    next_end_ = kLogPages;
  }
  pages_ = pages;
  if (pages < next_portion_) return;
  next_portion_ = pages + kPortionPages;
  const bool end = pages >= next_end_;
  if (end) next_end_ = pages + kLogPages;
  {
    const std::lock_guard lock(mutex_);
    if (end || wanted_ == Wanted::nothing) wanted_ = end ? Wanted::end : Wanted::portion;
  }
  changed_.notify_one();
}

std::optional<Error> Checkpointer::failed() const {
  const std::lock_guard lock(mutex_);
  return failed_;
}

void Checkpointer::run() {
  name_thread("checkpointer");
  for (std::unique_lock lock(mutex_);; lock.lock()) {
    changed_.wait(lock, [this] { return stopping_ || wanted_ != Wanted::nothing; });
    if (stopping_) return;
    const Wanted wanted = std::exchange(wanted_, Wanted::nothing);
    lock.unlock();
    const Result<void> done = wanted == Wanted::end ? copy_to_end() : copy_portion();
    if (done) continue;
    lock.lock();
    failed_ = done.error();
    return;
  }
}

Result<void> Checkpointer::copy_portion() {
  if (auto copied = checkpoint(SQLITE_CHECKPOINT_PASSIVE); !copied) return std::unexpected(copied.error());
  return database_.sync_file();
}

// Makes a complete checkpoint: copies most pages while the writer can continue, then the rest while it is blocked. The
// next commit then restarts the log from its beginning, so that the log does not grow.
Result<void> Checkpointer::copy_to_end() {
  for (int tries = 0; tries < kLastStepTries; ++tries) {
    if (auto copied = copy_portion(); !copied) return copied;
    const auto whole = checkpoint(SQLITE_CHECKPOINT_FULL);
    if (!whole) return std::unexpected(whole.error());
    if (*whole) break;
  }
  return {};
}

// Returns true if the whole log was checkpointed. Pages that could not be copied, for example because of a lock or a
// full disk, stay in the log. Only a failed sync is an error. Writes nothing after damage was found.
Result<bool> Checkpointer::checkpoint(int mode) {
  if (damage_->is_found()) return false;
  int pages = 0;
  int copied = 0;
  const int code = sqlite3_wal_checkpoint_v2(database_.handle(), "main", mode, &pages, &copied);
  if (code == SQLITE_IOERR_FSYNC) return std::unexpected(database_.error("checkpoint"));
  damage_->inspect(code, sqlite3_errmsg(database_.handle()));
  if (database_.is_read_only()) reopen();
  return code == SQLITE_OK && pages == copied;
}

// SQLite keeps a connection read-only that was opened when the file could not be written.
void Checkpointer::reopen() {
  auto database = Database::open(path_, Database::Mode::write, damage_);
  if (!database || database->is_read_only()) return;
  sqlite3_busy_handler(database->handle(), wait_a_little, nullptr);
  database_ = std::move(*database);
}

}  // namespace finality::sqlite
