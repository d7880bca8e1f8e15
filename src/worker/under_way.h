// The effects under way: how many there may be, how many there are, and those that wait for one of them to end.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/limits.h"
#include "model/effect.h"

namespace finality {

enum class EffectKind : std::uint8_t { channel_call, delivery };

EffectKind kind_of(const Effect& effect);
MerchantId merchant_of(const Effect& effect);

/// Held as long as an effect is under way. Its end, on whatever path, makes room for another.
using Ticket = std::shared_ptr<void>;

/// Of the deliveries a merchant may have as many under way as there is room for more: a server that is slow or dead
/// leaves room for the others', and two of them leave a third of it. Merchants whose deliveries wait take turns.
///
/// Thread safe. Tickets may outlive the owner's last use.
class UnderWay : public std::enable_shared_from_this<UnderWay> {
 public:
  /// Starts an effect. Called outside the lock, on the caller's thread or on that of the effect whose end made room.
  using Start = std::move_only_function<void(Ticket)>;

  static std::shared_ptr<UnderWay> create();

  /// Null when there is no room, or after close().
  Ticket admit(EffectKind kind, MerchantId merchant);
  /// Starts at once, or in its turn when there is room for its kind and its merchant. False, and then never, when
  /// limits::kEffectsWaitingMax of its kind wait already, or after close().
  bool admit_or_wait(EffectKind kind, MerchantId merchant, Start start);
  /// How many rows of the merchant may be claimed whose effects are of that kind: for which there is room, or a place
  /// in a short line (limits::kEffectsWaitingFew), from which new effects alone must not keep them.
  std::size_t room_for_claims(EffectKind kind, MerchantId merchant) const;
  std::size_t count() const;
  /// Those that wait, of both kinds.
  std::size_t waiting() const;

  /// Admits nothing more. Answers how many waited and will not be started.
  std::size_t close();
  /// False when some were still under way after `at_most`.
  bool wait_until_none(Duration at_most);

 private:
  UnderWay() = default;
  using Line = std::deque<Start>;
  /// A merchant's deliveries.
  struct Share {
    std::size_t under_way = 0;
    Line line;
  };

  std::size_t room_locked(EffectKind kind, MerchantId merchant) const;
  std::size_t waiting_locked(EffectKind kind, MerchantId merchant) const;
  Ticket admit_locked(EffectKind kind, MerchantId merchant);
  bool line_up_locked(EffectKind kind, MerchantId merchant, Start start);
  std::pair<Start, Ticket> next_call_locked();
  std::pair<Start, Ticket> next_delivery_locked();
  void end(EffectKind kind, MerchantId merchant);

  mutable std::mutex mutex_;
  std::condition_variable none_;
  std::size_t count_ = 0;
  std::size_t deliveries_ = 0;          // of these
  std::map<MerchantId, Share> shares_;  // of merchants who have deliveries here
  Line calls_;                          // that wait
  std::deque<MerchantId> turns_;        // whose deliveries wait, each once
  std::size_t deliveries_waiting_ = 0;
  bool closed_ = false;
};

}  // namespace finality
