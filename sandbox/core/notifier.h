// Sends due notifications. Retries each notification until it is acknowledged or its retry delays are used up.
//
// The trade's gateway defines the content, the acknowledgement and the retry delays. Notifications are stored in the
// database, so the sandbox continues to send them after a restart. An attempt without a recorded result is repeated.
// Forged notifications are sent once each.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "base/net/http_client.h"
#include "sandbox/core/coalescing_timer.h"
#include "sandbox/core/gateway.h"

namespace finality::sandbox {

/// All public methods are thread safe.
class Notifier : public std::enable_shared_from_this<Notifier> {
 public:
  static std::shared_ptr<Notifier> create(net::IoPool& io, std::shared_ptr<LedgerThread> ledger_thread,
                                          std::shared_ptr<const Gateways> gateways);

  /// Schedules a check for due notifications at `at`.
  void wake(Time at) { timer_->set(at); }

 private:
  struct Claim {
    std::vector<Notification> notifications;
    std::optional<Time> next_at;  // time at which the next notification becomes due; empty if nothing is due later
  };

  Notifier(net::IoPool& io, std::shared_ptr<LedgerThread> ledger_thread, std::shared_ptr<const Gateways> gateways);
  void send_due();
  Claim claim(Ledger& ledger);
  void send(Notification notification);
  /// Records the result of an attempt. `next` is the delay before the next attempt; empty after the last attempt.
  void settle(const Notification& notification, bool acknowledged, std::optional<Duration> next);
  void release(const std::string& id);
  void try_again_later();

  std::shared_ptr<LedgerThread> ledger_thread_;
  std::shared_ptr<const Gateways> gateways_;
  std::shared_ptr<net::HttpClient> client_;
  std::shared_ptr<CoalescingTimer> timer_;
  std::mutex mutex_;
  std::set<std::string> in_flight_;  // ids of notifications being sent; guarded by mutex_
  bool more_waiting_ = false;        // claim() reached the limit of notifications in flight; guarded by mutex_
};

}  // namespace finality::sandbox
