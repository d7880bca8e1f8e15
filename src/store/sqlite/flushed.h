// Counts made and flushed commits when commits are flushed asynchronously. Shared by the writing connection, its
// flusher and the readers.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace finality::sqlite {

/// Commits are counted from 1. Without an asynchronous flusher none are counted, and readers never wait. Thread safe.
class Flushed {
 public:
  /// Called before a commit: readers may see its rows from now on.
  void begin() { begun_ += 1; }
  /// Called after the commit.
  void end() { ended_ = begun_.load(); }

  /// The last commit that a reader may have seen.
  std::uint64_t begun() const { return begun_; }
  /// The last commit that a flush starting now makes durable.
  std::uint64_t ended() const { return ended_; }

  /// Records that commits up to `number` are on the disk.
  void advance(std::uint64_t number) {
    {
      const std::lock_guard lock(mutex_);
      flushed_ = number;
    }
    changed_.notify_all();
  }
  /// Blocks until commits up to `number` are on the disk.
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
