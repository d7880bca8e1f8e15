// The one thread that works with the books.
//
// Whoever wants something from the books hands in a piece of work. While one commit is in flight the queue fills; the
// next transaction takes all that has queued up, so many trades share one sync of the disk. What a piece of work
// returns is handed on only after its transaction is on the disk: nobody ever hears of a change that could be lost.
//
// A failure of the database is final: the transaction is rolled back, its pieces of work and all later ones fail, and
// only a restart reads from the disk again what is true.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/result.h"
#include "sandbox/core/books.h"

namespace finality::sandbox {

/// Thread safe.
class LedgerThread {
 public:
  /// Opens or creates `data_directory`/sandbox.db. An error names the file.
  static Result<std::shared_ptr<LedgerThread>> open(const std::string& data_directory,
                                                    std::shared_ptr<const Clock> clock);
  LedgerThread(const std::string& path, std::shared_ptr<const Clock> clock);
  ~LedgerThread();

  /// Starts the thread. `on_due` runs on it after every commit that made something due.
  void start(std::function<void(Due)> on_due);
  /// Carries out what is queued, then ends the thread and closes the file; later work fails. Not from the thread
  /// itself.
  void stop();
  /// The time of the whole sandbox.
  Time now() const { return clock_->now(); }
  const std::shared_ptr<const Clock>& clock() const { return clock_; }
  /// False once the database has failed.
  bool healthy() const { return !broken_; }

  /// Runs `work(Books&)` inside a transaction, and after its commit `done(Result<what work returned>)`, both on the
  /// ledger thread's thread. When the queue is full or the database has failed, `done` gets an error; `work` then had
  /// no effect.
  template <class Work, class Done>
  void submit(Work work, Done done) {
    using Value = std::invoke_result_t<Work, Books&>;
    auto value = std::make_shared<std::optional<Value>>();
    enqueue({.work = [work = std::move(work), value](Books& books) { value->emplace(work(books)); },
             .finish =
                 [done = std::move(done), value](const Error* error) {
                   if (error != nullptr) {
                     done(Result<Value>(std::unexpected(*error)));
                   } else {
                     done(Result<Value>(std::move(**value)));
                   }
                 }});
  }

 private:
  struct Job {
    std::function<void(Books&)> work;
    std::function<void(const Error*)> finish;  // null: committed
  };

  void enqueue(Job job);
  void run();
  std::deque<Job> next_batch();
  std::optional<Error> carry_out(const std::deque<Job>& batch);

  std::shared_ptr<const Clock> clock_;
  std::optional<Books> books_;  // gone once the thread has ended
  std::function<void(Due)> on_due_;
  std::atomic<bool> broken_ = false;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Job> queue_;  // guarded by mutex_
  bool stopping_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace finality::sandbox
