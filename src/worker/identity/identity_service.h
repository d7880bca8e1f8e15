// The identity job (资金恒等式校验): checks every changed order against the money identities, on one thread.
//
//   changed orders ──► check_identities() ──► findings ──► read again, after a pause ──► RecordIdentity: a case
//   orders with a case ──► check_identities() ──► no findings ──► RecordIdentity: the case is settled
//
// How far the orders are checked is a row, which the servers of a store share. A claim of another server, or a crash,
// leaves nothing half done: orders without a recorded check are checked again. An order that cannot be read, because a
// row is damaged, is logged, counted and skipped. An error of the store as a whole ends the round.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "engine/engine.h"
#include "model/objects/identity_check.h"
#include "model/policy.h"
#include "store/store.h"
#include "worker/engine_command_sender.h"
#include "worker/service_thread.h"

namespace finality {

/// The caller owns the objects passed by reference, which outlive the service.
struct IdentityServiceOptions {
  Engine& engine;
  Store& store;
  const Policy& policy;
  const Clock& clock;
};

/// Counters since the start of the server, for the metrics.
struct IdentityCounters {
  std::atomic<std::uint64_t> orders{0};      // orders that were checked
  std::atomic<std::uint64_t> violations{0};  // orders that violate an identity, when they were found, or cannot be read
  std::atomic<std::uint64_t> disagreeing{0};  // orders with an unresolved case, when last counted; a gauge
};

class IdentityService {
 public:
  explicit IdentityService(IdentityServiceOptions options);
  /// Calls stop().
  ~IdentityService();
  IdentityService(const IdentityService&) = delete;
  IdentityService& operator=(const IdentityService&) = delete;

  /// Starts the thread.
  void start();
  /// Ends the thread after the current order. A second call does nothing.
  void stop();

  /// One round: checks one page of changed orders, and now and then the orders with a case. Returns whether further
  /// changed orders wait. For tests; otherwise only the thread calls it.
  bool work();

  const IdentityCounters& counters() const { return counters_; }
  /// The time since the instant up to which all changes are checked, by this server or another one, as of the last
  /// round; 0 before the first round. Thread safe.
  Duration lag() const;

 private:
  struct ReadOrder {
    std::optional<OrderAggregate> aggregate;
    std::vector<Entry> entries;
  };

  Result<bool> run_round(Time now);
  Result<IdentityCheck> read_check();
  Result<bool> check_page(IdentityCheck check, const std::vector<ChangedOrder>& changes, EventId before);
  Result<void> check_disagreeing(Time now, bool is_claimed);
  Result<void> check_orders(const std::vector<OrderId>& orders);
  Result<ReadOrder> read_order(OrderId id);
  bool is_store_readable();
  Result<bool> check_order(OrderId id, bool is_last);
  Result<bool> record(const Order& order, std::vector<std::string> findings);
  Result<bool> advance(IdentityCheck& check, std::int64_t checked_until);
  void note_checked(Time until) { checked_until_ms_ = until.ms; }

  IdentityServiceOptions options_;
  IdentityCounters counters_;
  std::unique_ptr<Reader> reader_;  // null after a failed read; the next round opens a new reader
  std::int64_t held_version_ = 0;   // of the IdentityCheck that this server wrote last; 0: none
  Time disagreeing_due_{};          // when the orders with a case are checked again
  std::atomic<std::int64_t> checked_until_ms_{0};
  ServiceThread thread_;
  EngineCommandSender commands_;
};

}  // namespace finality
