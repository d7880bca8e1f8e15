// Profile of a simulated channel. Real channels differ in the fields that their results omit, in the schedule of
// repeated notifications, and in the events that they do not report. The seed determines the profile of each channel:
// it imitates the sandbox, Alipay, WeChat Pay, or mixes their properties.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "base/time/time.h"
#include "model/policy.h"
#include "sim/world/random.h"

namespace finality::sim {

/// Behavior of a trade after a declined payment.
///   notified      the trade fails, and a notification reports it
///   not_notified  the trade fails, and only a query or a close reports it
///   waits         the payer may try again; nothing changes until the trade is closed
enum class Declined : std::uint8_t { notified, not_notified, waits };

/// What the report about a hold states about its captures.
///   numbers  each capture with its numbers and amount
///   total    only the captured total
///   none     nothing
enum class ReportsCaptures : std::uint8_t { numbers, total, none };

struct ChannelProfile {
  Capabilities capabilities{.methods = {"redirect"}};
  /// Pauses between the attempts of an unacknowledged notification. If empty, the pauses are random.
  std::span<const Duration> notice_pauses;
  Declined declined = Declined::notified;
  /// If true, the result of a trade with refunds states that there are refunds, but not their total. Otherwise the
  /// result contains the refunded total.
  bool hides_refunded_sum = false;
  /// If true, an accepted refund can remain blocked until a person acts at the channel.
  bool strands_refunds = false;
  /// If true, a query for a refused refund reports that the refund does not exist.
  bool hides_refused_refunds = false;
  /// If true, the channel settles in another currency and reports the amounts some time after each payment and refund.
  bool settles_abroad = false;
  // Only channels with Capabilities::authorization.
  ReportsCaptures reports_captures = ReportsCaptures::numbers;
  bool reports_hold_times = true;  // the report about a hold states when it began and when it ends
  bool notifies_lapse = true;      // a notification reports that a hold has lapsed
};

/// Profiles by name of the channel. A channel without an entry has the default profile.
using ChannelProfiles = std::map<std::string, ChannelProfile, std::less<>>;

/// Draws a random profile: the sandbox, Alipay, WeChat Pay, or a mixture of their properties.
ChannelProfile draw_profile(Random& random);

}  // namespace finality::sim
