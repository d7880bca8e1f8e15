// Sends the notifications the books owe, again and again until each is acknowledged or given up.
//
// Acknowledged is an answer of status 200 whose body is exactly `success`. Otherwise the next attempt follows after
// 1 s, 2 s, 4 s, and then 4 min, 10 min, 10 min, 1 h, 2 h, 6 h, 15 h, the latter divided by the time scale. A
// notification and all its retries carry the same id and body; each attempt is signed anew. What is owed stands in the
// books, so it goes on after a restart; an attempt whose outcome was not yet written down is made once more. Forged
// notifications, which scenarios ask for, are sent once each.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "base/net/http_client.h"
#include "base/secret.h"
#include "sandbox/alarm.h"
#include "sandbox/bookkeeper.h"

namespace finality::sandbox {

/// How long after `attempts` attempts in vain the next one is made; empty when none is.
std::optional<Duration> retry_delay(std::int64_t attempts, double time_scale);

/// Thread safe.
class Notifier : public std::enable_shared_from_this<Notifier> {
 public:
  static std::shared_ptr<Notifier> create(net::IoPool& io, std::shared_ptr<Bookkeeper> bookkeeper, Secret secret,
                                          double time_scale);

  /// Something is due at `at`.
  void wake(Time at) { alarm_->set(at); }

 private:
  struct Claim {
    std::vector<Notification> notifications;
    std::optional<Time> next_at;  // when the first of the others is due
  };

  Notifier(net::IoPool& io, std::shared_ptr<Bookkeeper> bookkeeper, Secret secret, double time_scale);
  void send_due();
  Claim claim(Books& books);
  void send(Notification notification);
  void sign(Forgery forgery, net::Call& call) const;
  void settle(Notification notification, bool acknowledged);
  void forget(const std::string& id);
  void try_again_later();

  std::shared_ptr<Bookkeeper> bookkeeper_;
  Secret secret_;
  double time_scale_;
  std::shared_ptr<net::HttpClient> client_;
  std::shared_ptr<Alarm> alarm_;
  std::mutex mutex_;
  std::set<std::string> under_way_;  // ids; guarded by mutex_
  bool more_waiting_ = false;        // due ones were left for want of room; guarded by mutex_
};

}  // namespace finality::sandbox
