// The only thread that accesses the database.
//
// Callers submit jobs. Jobs queue during a commit, and the next transaction executes all queued jobs (group commit). A
// job's result is delivered only after its transaction is durable, so the sandbox never discloses a change that could
// be lost.
//
// A database failure is permanent: the transaction is rolled back, and its jobs and all later jobs fail. After a
// restart, the sandbox continues from the last committed state.
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
#include "sandbox/core/ledger.h"

namespace finality::sandbox {

/// Executor of database jobs on one thread. All public methods are thread safe.
class LedgerThread {
 public:
  /// Opens or creates `data_directory`/sandbox.db. `time_scale` divides the delays of settlements. An error names the
  /// file.
  static Result<std::shared_ptr<LedgerThread>> open(const std::string& data_directory,
                                                    std::shared_ptr<const Clock> clock, double time_scale);
  LedgerThread(const std::string& path, std::shared_ptr<const Clock> clock, double time_scale);
  ~LedgerThread();

  /// Starts the thread. Calls `on_due` on this thread after every commit that has planned an event, an expiry or a
  /// notification, with the earliest of these times.
  void start(std::function<void(Due)> on_due);
  /// Runs all queued jobs, ends the thread and closes the database file. Jobs submitted later fail. Must not be called
  /// on the ledger thread.
  void stop();
  /// Returns the current time of the sandbox's clock.
  Time now() const { return clock_->now(); }
  const std::shared_ptr<const Clock>& clock() const { return clock_; }
  /// Returns false after a database failure. Thread safe.
  bool healthy() const { return !broken_; }

  /// Runs `work(Ledger&)` inside a transaction. After the commit, calls `completion` with a Result that contains the
  /// return value of `work`. Both run on the ledger thread. If the queue is full or the database has failed, calls
  /// `completion` with an error, and `work` has no effect.
  template <class Work, class Completion>
  void submit(Work work, Completion completion) {
    using Value = std::invoke_result_t<Work, Ledger&>;
    auto value = std::make_shared<std::optional<Value>>();
    enqueue({.work = [work = std::move(work), value](Ledger& ledger) { value->emplace(work(ledger)); },
             .finish =
                 [completion = std::move(completion), value](const Error* error) {
                   if (error != nullptr) {
                     completion(Result<Value>(std::unexpected(*error)));
                   } else {
                     completion(Result<Value>(std::move(**value)));
                   }
                 }});
  }

 private:
  struct Job {
    std::function<void(Ledger&)> work;
    std::function<void(const Error*)> finish;  // called with null after the commit, or with the error
  };

  void enqueue(Job job);
  void run();
  std::deque<Job> next_batch();
  std::optional<Error> carry_out(const std::deque<Job>& batch);

  std::shared_ptr<const Clock> clock_;
  std::optional<Ledger> ledger_;  // empty after the thread has ended
  std::function<void(Due)> on_due_;
  std::atomic<bool> broken_ = false;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Job> queue_;  // guarded by mutex_
  bool stopping_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace finality::sandbox
