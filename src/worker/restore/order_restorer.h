// Restores archived orders while the server runs, from the archives in a directory: evidence about an archived order is
// booked, and a refund of it is decided, after the order is in the store again
// (docs/adr/0045-archive-waits-for-statements.md). Its own thread reads
// the archives, because checking the file of an archive can take seconds.
#pragma once

#include <atomic>
#include <expected>
#include <filesystem>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "model/objects/archived_order.h"
#include "store/store.h"
#include "worker/service_thread.h"

namespace finality {

/// Counters since the start of the server, for the metrics.
struct RestoreCounters {
  std::atomic<std::uint64_t> restored{0};
  std::atomic<std::uint64_t> failures{0};  // orders that could not be restored
};

/// Why an order could not be restored.
struct RestoreFailure {
  std::string message;        // for operators
  bool is_temporary = false;  // too many orders are waiting, the engine is busy, or the server stops
};
using Restored = std::expected<void, RestoreFailure>;

class OrderRestorer {
 public:
  using Done = std::function<void(Restored)>;

  /// `archives` contains the directories of archives. `engine` outlives this object.
  OrderRestorer(Engine& engine, std::filesystem::path archives);
  /// Calls stop().
  ~OrderRestorer();
  OrderRestorer(const OrderRestorer&) = delete;
  OrderRestorer& operator=(const OrderRestorer&) = delete;

  /// Restores the order and then calls `done`, on the thread of this object. The result is an error if the archive or
  /// the order cannot be read, or if the engine refuses. Calls `done` with an error at once, on this thread, if
  /// limits::kRestoresQueuedMax orders are waiting or after stop(). Success also means that another server has restored
  /// the order. Each archive is read once for all orders that wait for it. Thread safe.
  void restore(ArchivedOrder order, Done done);
  /// As restore() for each of the orders, but waits for all results. An error is of any of them; the others can be
  /// restored. REQUIRES: not called on an engine or reader thread, or by `done`.
  Result<void> restore_and_wait(std::span<const ArchivedOrder> orders);
  /// Ends the thread after the restores in progress. Waiting orders fail, on this thread. A second call does nothing.
  void stop();

  const RestoreCounters& counters() const { return counters_; }

 private:
  struct Waiting {
    ArchivedOrder order;
    Done done;
  };

  bool work();
  void restore_all(std::vector<Waiting> waiting);
  void restore_from(const std::string& archive, std::vector<Waiting> waiting);
  Restored submit(const ArchivedOrder& order, std::shared_ptr<const WholeOrder> rows);
  void finish(const Waiting& one, const Restored& result);

  Engine& engine_;
  std::filesystem::path archives_;
  RestoreCounters counters_;
  std::mutex mutex_;
  std::vector<Waiting> waiting_;
  bool is_stopped_ = false;  // no order is added to `waiting_`
  ServiceThread thread_;
};

/// Returns the archived order that contains the receipt of the trade; empty if no archived order does. The store keeps
/// the natural key of an archived receipt, which refers to the receipt's order.
Result<std::optional<ArchivedOrder>> archived_order_of_trade(Reader& reader, MerchantId merchant,
                                                             std::string_view channel,
                                                             std::string_view channel_trade_no);

}  // namespace finality
