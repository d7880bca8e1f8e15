// The effects under way: how many there may be, and how many there are.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "base/limits.h"
#include "model/effect.h"

namespace finality {

enum class EffectKind : std::uint8_t { channel_call, delivery };

EffectKind kind_of(const Effect& effect);

/// Held as long as an effect is under way. Its end, on whatever path, makes room for another.
using Ticket = std::shared_ptr<void>;

/// Thread safe. Tickets may outlive the owner's last use.
class UnderWay : public std::enable_shared_from_this<UnderWay> {
 public:
  /// Deliveries never take more than half: receivers that answer slowly must not keep the channels waiting.
  static constexpr std::size_t kMax = limits::kEffectsUnderWayMax;
  static constexpr std::size_t kDeliveriesMax = kMax / 2;

  static std::shared_ptr<UnderWay> create();

  /// Null when there is no room, or after close().
  Ticket admit(EffectKind kind);
  std::size_t room(EffectKind kind) const;
  std::size_t count() const;

  /// Admits nothing more.
  void close();
  /// False when some were still under way after `at_most`.
  bool wait_until_none(Duration at_most);

 private:
  UnderWay() = default;
  std::size_t room_locked(EffectKind kind) const;
  void end(EffectKind kind);

  mutable std::mutex mutex_;
  std::condition_variable none_;
  std::size_t count_ = 0;
  std::size_t deliveries_ = 0;  // of these
  bool closed_ = false;
};

}  // namespace finality
