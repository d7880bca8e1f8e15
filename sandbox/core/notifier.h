// Sends the notifications the books owe, again and again until each is acknowledged or given up.
//
// The gateway that the trade came in by says how a notification looks, what acknowledges it and when it is sent again.
// What is owed stands in the books, so it goes on after a restart; an attempt whose outcome was not yet written down is
// made once more. Forged notifications, which scenarios ask for, are sent once each.
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

/// Thread safe.
class Notifier : public std::enable_shared_from_this<Notifier> {
 public:
  static std::shared_ptr<Notifier> create(net::IoPool& io, std::shared_ptr<LedgerThread> ledger_thread,
                                          std::shared_ptr<const Gateways> gateways);

  /// Something is due at `at`.
  void wake(Time at) { timer_->set(at); }

 private:
  struct Claim {
    std::vector<Notification> notifications;
    std::optional<Time> next_at;  // when the first of the others is due
  };

  Notifier(net::IoPool& io, std::shared_ptr<LedgerThread> ledger_thread, std::shared_ptr<const Gateways> gateways);
  void send_due();
  Claim claim(Books& books);
  void send(Notification notification);
  /// `next`: the delay of the next attempt; empty when there is none.
  void settle(const Notification& notification, bool acknowledged, std::optional<Duration> next);
  void forget(const std::string& id);
  void try_again_later();

  std::shared_ptr<LedgerThread> ledger_thread_;
  std::shared_ptr<const Gateways> gateways_;
  std::shared_ptr<net::HttpClient> client_;
  std::shared_ptr<CoalescingTimer> timer_;
  std::mutex mutex_;
  std::set<std::string> under_way_;  // ids; guarded by mutex_
  bool more_waiting_ = false;        // due ones were left for want of room; guarded by mutex_
};

}  // namespace finality::sandbox
