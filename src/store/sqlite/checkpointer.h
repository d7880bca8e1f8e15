// Checkpoints the write-ahead log on a separate thread and connection. Works in small portions and syncs each one
// immediately, because every other sync waits behind it.
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
  static constexpr int kLogPages = 8000;     // 32 MB; at this length the log should restart from its beginning

  /// Starts a thread with its own connection to `path`.
  static Result<std::unique_ptr<Checkpointer>> start(const std::string& path);
  /// Waits for a running checkpoint; starts no other.
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  /// Reports the length of the log. Called by the writing connection after each commit; does not block.
  void log_has(int pages);
  /// The error that stopped the thread, if any: a sync failed, and the state of the disk is unknown until a restart.
  /// Any thread.
  std::optional<Error> failed() const;

 private:
  explicit Checkpointer(Database database) : database_(std::move(database)) {}
  void run();
  Result<void> copy_portion();
  Result<void> copy_to_end();
  Result<bool> checkpoint(int mode);

  Database database_;
  // Used only by the writer's thread: the length of the log, and the lengths at which it requests the next portion and
  // a complete checkpoint.
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
