// Simulated payers. Performs the planned events of trades and holds when they are due, closes expired trades and holds,
// and lets holds lapse.
//
// Planned events and their times are stored in the database, so they are also performed after a restart.
#pragma once

#include <memory>

#include "sandbox/core/coalescing_timer.h"
#include "sandbox/core/ledger_thread.h"

namespace finality::sandbox {

/// All public methods are thread safe.
class Payers : public std::enable_shared_from_this<Payers> {
 public:
  static std::shared_ptr<Payers> create(net::IoPool& io, std::shared_ptr<LedgerThread> ledger_thread);

  /// Schedules a check for due trades at `at`.
  void wake(Time at) { timer_->set(at); }

 private:
  explicit Payers(std::shared_ptr<LedgerThread> ledger_thread) : ledger_thread_(std::move(ledger_thread)) {}
  void act();
  void try_again_later();

  std::shared_ptr<LedgerThread> ledger_thread_;
  std::shared_ptr<CoalescingTimer> timer_;
};

}  // namespace finality::sandbox
