// Copies the write-ahead log back into the file, beside the connection that writes. It goes in small portions, each
// brought to the disk at once, since whatever waits for the disk waits behind them.
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
  static constexpr int kLogPages = 8000;     // 32 MB: then it is to begin anew

  /// Starts a thread with a connection of its own to `path`.
  static Result<std::unique_ptr<Checkpointer>> start(const std::string& path);
  /// Ends a checkpoint that runs, begins none.
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  /// The log has `pages` now. Called by the one connection that writes, after each commit; returns at once.
  void log_has(int pages);
  /// Why it has stopped: a sync failed, and only a restart can tell what is on the disk. Any thread.
  std::optional<Error> failed() const;

 private:
  explicit Checkpointer(Database database) : database_(std::move(database)) {}
  void run();
  Result<void> copy_portion();
  Result<void> copy_to_end();
  Result<bool> checkpoint(int mode);

  Database database_;
  // The writer's alone: how long the log is, and at what length it asks for the next portion, and for all of it.
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
