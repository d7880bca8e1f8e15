// Checkpoints the write-ahead log (WAL) on a separate thread and connection. Copies the log in small portions and syncs
// each portion at once: a long sync would delay the syncs of commits.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "store/sqlite/database.h"

namespace finality::sqlite {

class Checkpointer {
 public:
  static constexpr int kPortionPages = 250;  // 1 MB
  static constexpr int kLogPages = 8000;     // 32 MB: length at which a complete checkpoint lets the log restart

  /// Opens a connection to the store at `path` and starts the thread. Copies nothing after `damage` was found.
  static Result<std::unique_ptr<Checkpointer>> start(const std::string& path, std::shared_ptr<Damage> damage);
  /// Waits for a running checkpoint and ends the thread.
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  /// Sets the length of the log. The writing connection calls this after each commit. Does not wait for a checkpoint.
  void log_has(int pages);
  /// The error that stopped the thread, if any. It means that a sync failed and that the process must stop and restart,
  /// because the state of the disk is unknown. Thread safe.
  std::optional<Error> failed() const;

 private:
  Checkpointer(Database database, std::string path, std::shared_ptr<Damage> damage)
      : database_(std::move(database)), path_(std::move(path)), damage_(std::move(damage)) {}
  void run();
  Result<void> copy_portion();
  Result<void> copy_to_end();
  Result<bool> checkpoint(int mode);
  void reopen();

  Database database_;
  std::string path_;
  std::shared_ptr<Damage> damage_;
  // Used only by the thread of the writing connection: the length of the log, and the lengths at which the next portion
  // and the next complete checkpoint are requested.
  int pages_ = 0;
  int next_portion_ = kPortionPages;
  int next_end_ = kLogPages;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  enum class Wanted : std::uint8_t { nothing, portion, end };
  Wanted wanted_ = Wanted::nothing;
  bool stopping_ = false;
  std::optional<Error> failed_;
  std::thread thread_;
};

}  // namespace finality::sqlite
