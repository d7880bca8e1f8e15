// What kind of channel it is. Real ones differ in more than what goes wrong: what their words leave out, how long they
// go on telling us, what they keep to themselves. Drawn per channel and seed: as our sandbox is, as Alipay, as WeChat
// Pay, or a mixture that nobody has met yet.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "base/time/time.h"
#include "model/policy.h"
#include "sim/world/random.h"

namespace finality::sim {

/// What becomes of a trade whose payer is declined.
///   told    it has failed, and a notification says so
///   silent  it has failed, and only a query or a close says so
///   waits   the payer may try again: until the trade is closed nothing is different
enum class Declined : std::uint8_t { told, silent, waits };

struct ChannelProfile {
  Capabilities capabilities{.methods = {"redirect"}};
  /// From one attempt to tell us something to the next, until it is acknowledged; empty: as it likes.
  std::span<const Duration> notice_pauses;
  Declined declined = Declined::told;
  /// A trade of which something went back is told as that, without a sum. Otherwise it is paid until all went back.
  bool hides_refunded_sum = false;
  /// A refund it has taken may reach nobody until a person acts.
  bool strands_refunds = false;
  /// Asked for a refund that it refused, it knows of none.
  bool forgets_refused_refunds = false;
};

/// By channel. One that is not there has the default profile.
using ChannelProfiles = std::map<std::string, ChannelProfile, std::less<>>;

ChannelProfile draw_profile(Random& random);

}  // namespace finality::sim
