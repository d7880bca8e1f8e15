// Progress of asynchronous flushing: the numbers of the last commit and of the last durable commit. Shared by the
// writing connection, its flusher and the readers.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace finality::sqlite {

/// Counts commits, starting with 1. Without an asynchronous flusher the writer counts no commits, and readers never
/// wait. Thread safe.
class Flushed {
 public:
  /// Called by the writer before it commits, because readers may see the commit's rows before COMMIT returns.
  void begin() { begun_ += 1; }
  /// Called by the writer after the commit.
  void end() { ended_ = begun_.load(); }

  /// Number of the last commit whose rows a reader may have seen.
  std::uint64_t begun() const { return begun_; }
  /// Number of the last commit that a flush makes durable if it starts now.
  std::uint64_t ended() const { return ended_; }

  /// Records that the commits up to `number` are durable, and wakes waiting readers.
  void advance(std::uint64_t number) {
    {
      const std::lock_guard lock(mutex_);
      flushed_ = number;
    }
    changed_.notify_all();
  }
  /// Blocks until the commits up to `number` are durable.
  void wait_for(std::uint64_t number) {
    if (flushed_ >= number) return;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return flushed_ >= number; });
  }

 private:
  std::atomic<std::uint64_t> begun_{0};
  std::atomic<std::uint64_t> ended_{0};
  std::atomic<std::uint64_t> flushed_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace finality::sqlite
