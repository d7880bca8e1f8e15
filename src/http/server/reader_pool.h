// Pool of threads that read the store, with one store connection per thread, and a fair queue in front of them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "base/slot_pool.h"
#include "model/objects/api_key.h"
#include "model/refusal.h"
#include "store/store.h"

namespace finality::http {

/// The client whose reads share one part of the queue: a merchant, an operator key, or an address.
class ReadClient {
 public:
  static ReadClient of(MerchantId merchant) { return ReadClient(merchant.value); }
  static ReadClient of(ApiKeyId operator_key) { return ReadClient(operator_key.value); }
  /// A client without a key. `number`: net::client_number() of its address.
  static ReadClient of_address(std::optional<std::uint64_t> number);

  std::int64_t value() const { return value_; }
  friend bool operator==(ReadClient, ReadClient) = default;

 private:
  explicit ReadClient(std::int64_t value) : value_(value) {}
  std::int64_t value_;  // an id, or a negative number of an address
};

/// A read that waits for a thread.
struct ReadTask {
  using Closed = std::shared_ptr<const std::atomic<bool>>;

  ReadClient client;
  std::function<void(Reader&)> run;
  /// Whether the limit of queued reads per client applies. False for a read that belongs to a command.
  bool is_limited = true;
  Closed closed{};  // set once the client's connection is closed; the read is then dropped. Null: it always runs
};

/// Numbers of reads.
struct ReadCounters {
  std::atomic<std::uint64_t> waiting = 0;         // queued now
  std::atomic<std::uint64_t> refused_client = 0;  // total: too many reads of one client were queued
  std::atomic<std::uint64_t> refused_server = 0;  // total: too many reads of all clients were queued
  std::atomic<std::uint64_t> dropped = 0;         // total: the client had closed its connection
};

/// Runs read tasks on its threads. Clients with queued tasks take turns. One client may use at most as many threads as
/// it leaves free for others, and the places in the queue follow the same rule (SlotPool). Thread safe.
class ReaderPool {
 public:
  /// Limits of a pool.
  struct Options {
    std::size_t threads = 1;
    std::size_t waiting_max = limits::kReadsWaitingMax;
    std::size_t waiting_per_client_max = limits::kReadsPerClientMax;
  };

  /// Opens one reader per thread and starts the threads; returns the first error of the store. `store` must outlive the
  /// pool.
  static Result<std::unique_ptr<ReaderPool>> open(Store& store, const Options& options);
  /// Waits for running tasks to end, and drops queued tasks.
  ~ReaderPool();

  /// Queues the task, which runs on a reader thread unless its client closes its connection first. Otherwise drops the
  /// task and refuses: with `rate_limited` if too many tasks of its client are queued, with `busy` if the client's
  /// share of the queue is full. If a task throws, the pool logs the exception and destroys the task; its client
  /// receives 500.
  std::expected<void, Refusal> submit(ReadTask task);
  const ReadCounters& counters() const { return counters_; }

 private:
  explicit ReaderPool(const Options& options) : options_(options), slots_(options.threads, options.waiting_max) {}
  void run(Reader& reader);
  void perform(const ReadTask& task, Reader& reader);
  bool is_over_limit(const ReadTask& task) const;

  const Options options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  SlotPool<ReadTask> slots_;
  bool stopping_ = false;
  ReadCounters counters_;
  std::vector<std::unique_ptr<Reader>> readers_;
  std::vector<std::jthread> threads_;
};

}  // namespace finality::http
