#include "sandbox/core/notifier.h"

#include "base/check.h"

namespace finality::sandbox {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kInFlightMax = 1024;
constexpr Duration kTimeout = 10s;
constexpr std::size_t kResponseBytesMax = 4096;
constexpr Duration kPause{500};  // delay of the next try after the ledger thread has rejected a job

}  // namespace

std::shared_ptr<Notifier> Notifier::create(net::IoPool& io, std::shared_ptr<LedgerThread> ledger_thread,
                                           std::shared_ptr<const Gateways> gateways) {
  std::shared_ptr<Notifier> notifier(new Notifier(io, std::move(ledger_thread), std::move(gateways)));
  notifier->timer_ =
      std::make_shared<CoalescingTimer>(io, notifier->ledger_thread_->clock(), [weak = notifier->weak_from_this()] {
        if (const auto locked = weak.lock()) locked->send_due();
      });
  return notifier;
}

Notifier::Notifier(net::IoPool& io, std::shared_ptr<LedgerThread> ledger_thread,
                   std::shared_ptr<const Gateways> gateways)
    : ledger_thread_(std::move(ledger_thread)), gateways_(std::move(gateways)), client_(net::HttpClient::create(io)) {}

void Notifier::send_due() {
  ledger_thread_->submit(
      [weak = weak_from_this()](Ledger& ledger) {
        const auto notifier = weak.lock();
        return notifier ? notifier->claim(ledger) : Claim{};
      },
      [weak = weak_from_this()](Result<Claim> claim) {
        const auto notifier = weak.lock();
        if (!notifier) return;
        if (!claim) return notifier->try_again_later();
        for (Notification& notification : claim->notifications) notifier->send(std::move(notification));
        if (claim->next_at) notifier->timer_->set(*claim->next_at);
      });
}

// Selects the due notifications and marks them as in flight. The marks are kept only in memory, so attempts without a
// recorded result are repeated after a crash.
Notifier::Claim Notifier::claim(Ledger& ledger) {
  const std::lock_guard lock(mutex_);
  const std::size_t free_slots = kInFlightMax - in_flight_.size();
  Claim claim{.notifications =
                  ledger.due_notifications(free_slots, [&](const std::string& id) { return in_flight_.contains(id); }),
              .next_at = ledger.next_notification_due()};
  for (const Notification& notification : claim.notifications) in_flight_.insert(notification.id);
  more_waiting_ = claim.notifications.size() == free_slots;
  return claim;
}

void Notifier::send(Notification notification) {
  const Gateway* gateway = gateway_of_channel(*gateways_, notification.channel());
  FINALITY_CHECK(gateway != nullptr, "a trade or hold in the database has no gateway");
  std::optional<net::Call> call = gateway->request_of(notification, ledger_thread_->now());
  if (!call) return settle(notification, true, std::nullopt);
  call->timeout = kTimeout;
  call->response_bytes_max = kResponseBytesMax;
  for (std::int64_t copy = 1; copy < notification.copies; ++copy) client_->call(*call, [](const net::CallResult&) {});
  client_->call(std::move(*call), [weak = weak_from_this(), gateway,
                                   notification = std::move(notification)](const net::CallResult& outcome) {
    const auto notifier = weak.lock();  // also keeps `gateway` alive, which gateways_ owns
    if (!notifier) return;
    const bool is_accepted = outcome.answered && gateway->is_acknowledgement(outcome.response);
    const bool acknowledged =
        is_accepted || notification.forgery != Forgery::none;  // forged notifications are sent once
    notifier->settle(notification, acknowledged, gateway->retry_delay(notification, notification.attempts + 1));
  });
}

void Notifier::settle(const Notification& notification, bool acknowledged, std::optional<Duration> next) {
  ledger_thread_->submit(
      [notification, acknowledged, next](Ledger& ledger) {
        if (acknowledged) {
          ledger.acknowledge(notification);
        } else {
          ledger.defer(notification, next ? std::optional(ledger.now() + *next) : std::nullopt);
        }
        return true;
      },
      [weak = weak_from_this(), id = notification.id](const Result<bool>& written) {
        const auto notifier = weak.lock();
        if (!notifier) return;
        notifier->release(id);
        if (!written) notifier->try_again_later();
      });
}

void Notifier::try_again_later() {
  if (ledger_thread_->healthy()) timer_->set(ledger_thread_->now() + kPause);
}

void Notifier::release(const std::string& id) {
  bool more = false;
  {
    const std::lock_guard lock(mutex_);
    in_flight_.erase(id);
    more = std::exchange(more_waiting_, false);
  }
  if (more) timer_->set(ledger_thread_->now());
}

}  // namespace finality::sandbox
