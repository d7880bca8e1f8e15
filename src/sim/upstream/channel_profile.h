// The type of a simulated channel. Real channels differ not only in their faults, but also in what their results omit,
// how long they repeat notifications and what they do not report. The seed determines the profile of each channel: like
// the sandbox, Alipay, WeChat Pay, or a mixture.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "base/time/time.h"
#include "model/policy.h"
#include "sim/world/random.h"

namespace finality::sim {

/// What happens to a trade whose payment is declined.
///   notified      the trade fails, and a notification reports it
///   not_notified  the trade fails, and only a query or a close reports it
///   waits         the payer may try again; nothing changes until the trade is closed
enum class Declined : std::uint8_t { notified, not_notified, waits };

struct ChannelProfile {
  Capabilities capabilities{.methods = {"redirect"}};
  /// Pauses between notification attempts, until one is acknowledged; empty: random.
  std::span<const Duration> notice_pauses;
  Declined declined = Declined::notified;
  /// If true, a trade with a refund is reported as refunded, without an amount. Otherwise it is reported as paid until
  /// the full amount is refunded.
  bool hides_refunded_sum = false;
  /// An accepted refund may stay without effect until a person acts.
  bool strands_refunds = false;
  /// A query for a refused refund reports that it does not exist.
  bool hides_refused_refunds = false;
};

/// By channel. A channel without an entry has the default profile.
using ChannelProfiles = std::map<std::string, ChannelProfile, std::less<>>;

/// Draws the profile of a channel: like the sandbox, Alipay or WeChat Pay, or a mixture.
ChannelProfile draw_profile(Random& random);

}  // namespace finality::sim
