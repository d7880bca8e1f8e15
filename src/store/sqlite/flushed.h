// How far commits have come to the disk, where they come there after they were made: what a writing connection, its
// flusher and the readers tell each other.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace finality::sqlite {

/// Thread safe. Commits are counted from 1; while nobody flushes apart there are none, and nobody waits.
class Flushed {
 public:
  /// The writer is about to commit: readers may see it from now on.
  void begin() { begun_ += 1; }
  /// The commit was made.
  void end() { ended_ = begun_.load(); }

  /// The last commit that a reader may have seen.
  std::uint64_t begun() const { return begun_; }
  /// The last commit that a flush from now on covers.
  std::uint64_t ended() const { return ended_; }

  /// Commits up to `number` are on the disk.
  void advance(std::uint64_t number) {
    {
      const std::lock_guard lock(mutex_);
      flushed_ = number;
    }
    changed_.notify_all();
  }
  /// Returns when they are.
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
