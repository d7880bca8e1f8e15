#include "sandbox/notifier.h"

#include <array>
#include <cmath>
#include <iterator>

#include "sandbox/signature.h"

namespace finality::sandbox {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kUnderWayMax = 1024;
constexpr Duration kTimeout = 10s;
constexpr std::size_t kAnswerBytesMax = 4096;
constexpr Duration kReplayAge = 1h;  // of a replayed notification's signature
constexpr Duration kPause{500};      // when the bookkeeper has too much to do

// Channels resend face-to-face payments right away, while somebody stands at the till.
constexpr std::array<Duration, 3> kQuickRetries{1s, 2s, 4s};
constexpr std::array<Duration, 7> kScaledRetries{4min, 10min, 10min, 1h, 2h, 6h, 15h};

// What the channel would have said, and signed, before a forger made a payment of it.
std::string before_alteration(std::string body) {
  constexpr std::string_view kState = R"("state":"paid")";
  return body.replace(body.find(kState), kState.size(), R"("state":"waiting")");
}

}  // namespace

std::optional<Duration> retry_delay(std::int64_t attempts, double time_scale) {
  const auto retry = static_cast<std::size_t>(attempts - 1);
  if (retry < kQuickRetries.size()) return kQuickRetries[retry];
  const std::size_t scaled = retry - kQuickRetries.size();
  if (scaled >= kScaledRetries.size()) return std::nullopt;
  return Duration{std::llround(static_cast<double>(kScaledRetries[scaled].count()) / time_scale)};
}

std::shared_ptr<Notifier> Notifier::create(net::IoPool& io, std::shared_ptr<Bookkeeper> bookkeeper, Secret secret,
                                           double time_scale) {
  std::shared_ptr<Notifier> notifier(new Notifier(io, std::move(bookkeeper), std::move(secret), time_scale));
  notifier->alarm_ = std::make_shared<Alarm>(io, [weak = notifier->weak_from_this()] {
    if (const auto alive = weak.lock()) alive->send_due();
  });
  return notifier;
}

Notifier::Notifier(net::IoPool& io, std::shared_ptr<Bookkeeper> bookkeeper, Secret secret, double time_scale)
    : bookkeeper_(std::move(bookkeeper)),
      secret_(std::move(secret)),
      time_scale_(time_scale),
      client_(net::HttpClient::create(io)) {}

void Notifier::send_due() {
  bookkeeper_->submit(
      [weak = weak_from_this()](Books& books) {
        const auto notifier = weak.lock();
        return notifier ? notifier->claim(books) : Claim{};
      },
      [weak = weak_from_this()](Result<Claim> claim) {
        const auto notifier = weak.lock();
        if (!notifier) return;
        if (!claim) return notifier->try_again_later();
        for (Notification& notification : claim->notifications) notifier->send(std::move(notification));
        if (claim->next_at) notifier->alarm_->set(*claim->next_at);
      });
}

// Claims are kept in memory only: after a crash nothing is claimed, and what was under way is sent once more.
Notifier::Claim Notifier::claim(Books& books) {
  const std::lock_guard lock(mutex_);
  const std::size_t room = kUnderWayMax - under_way_.size();
  Claim claim{
      .notifications = books.due_notifications(room, [&](const std::string& id) { return under_way_.contains(id); }),
      .next_at = books.next_notification_due()};
  for (const Notification& notification : claim.notifications) under_way_.insert(notification.id);
  more_waiting_ = claim.notifications.size() == room;
  return claim;
}

void Notifier::send(Notification notification) {
  net::Call call{.url = notification.url,
                 .method = "POST",
                 .headers = {},
                 .body = notification.body,
                 .timeout = kTimeout,
                 .public_only = false,
                 .allow_private = {},
                 .response_bytes_max = kAnswerBytesMax};
  call.headers.add("Content-Type", "application/json");
  sign(notification.forgery, call);
  for (std::int64_t copy = 1; copy < notification.copies; ++copy) client_->call(call, [](const net::Outcome&) {});
  client_->call(
      std::move(call), [weak = weak_from_this(), notification = std::move(notification)](const net::Outcome& outcome) {
        const bool heard = outcome.answered && outcome.response.status == 200 && outcome.response.body == "success";
        const bool acknowledged = heard || notification.forgery != Forgery::none;  // a forger tries once
        if (const auto notifier = weak.lock()) notifier->settle(notification, acknowledged);
      });
}

void Notifier::sign(Forgery forgery, net::Call& call) const {
  const Time now = SystemClock().now();
  switch (forgery) {
    case Forgery::none:
      return sign_message(secret_, now, call.body, call.headers);
    case Forgery::bad_signature:
      return sign_message(Secret("the forger's"), now, call.body, call.headers);
    case Forgery::replayed:
      return sign_message(secret_, now - kReplayAge, call.body, call.headers);
    case Forgery::altered:
      return sign_message(secret_, now, before_alteration(call.body), call.headers);
  }
}

void Notifier::settle(Notification notification, bool acknowledged) {
  const std::string id = notification.id;
  bookkeeper_->submit(
      [notification = std::move(notification), acknowledged, time_scale = time_scale_](Books& books) {
        if (acknowledged) {
          books.acknowledge(notification);
        } else {
          const std::optional<Duration> delay = retry_delay(notification.attempts + 1, time_scale);
          books.defer(notification, delay ? std::optional(books.now() + *delay) : std::nullopt);
        }
        return true;
      },
      [weak = weak_from_this(), id](const Result<bool>& written) {
        const auto notifier = weak.lock();
        if (!notifier) return;
        notifier->forget(id);
        if (!written) notifier->try_again_later();
      });
}

void Notifier::try_again_later() {
  if (bookkeeper_->healthy()) alarm_->set(SystemClock().now() + kPause);
}

void Notifier::forget(const std::string& id) {
  bool more = false;
  {
    const std::lock_guard lock(mutex_);
    under_way_.erase(id);
    more = std::exchange(more_waiting_, false);
  }
  if (more) alarm_->set(SystemClock().now());
}

}  // namespace finality::sandbox
