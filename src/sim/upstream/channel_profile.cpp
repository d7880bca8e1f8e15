#include "sim/upstream/channel_profile.h"

#include <array>

namespace finality::sim {
namespace {

using namespace std::chrono_literals;
using std::chrono::minutes;

constexpr std::array<Duration, 7> kAlipayPauses{4min, 10min, 10min, 1h, 2h, 6h, 15h};
constexpr std::array<Duration, 15> kWechatpayPauses{15s,   15s,   30s, 3min, 10min, 20min, 30min, 30min,
                                                    30min, 60min, 3h,  3h,   3h,    6h,    6h};

ChannelProfile as_sandbox() {
  ChannelProfile profile;
  profile.capabilities.repeats_action = profile.capabilities.methods;
  return profile;
}

// Imitates Alipay. 70 % of the profiles are payments by page or QR code, where the payer creates the trade. The others
// are barcode payments, where the channel creates it without an action of the payer.
ChannelProfile as_alipay(Random& random) {
  ChannelProfile profile;
  if (random.chance(700))
    profile.capabilities.made_by_payer = profile.capabilities.repeats_action = profile.capabilities.methods;
  profile.capabilities.refund_pause = 3s;
  profile.notice_pauses = kAlipayPauses;
  profile.declined = Declined::not_notified;
  profile.hides_refused_refunds = true;
  return profile;
}

ChannelProfile as_wechatpay() {
  ChannelProfile profile = as_sandbox();
  profile.capabilities.refund_pause = 1min;
  profile.notice_pauses = kWechatpayPauses;
  profile.declined = Declined::waits;
  profile.hides_refunded_sum = true;
  profile.strands_refunds = true;
  return profile;
}

ChannelProfile as_mixture(Random& random) {
  constexpr std::span<const Duration> kPauses[] = {{}, kAlipayPauses, kWechatpayPauses};
  ChannelProfile profile;
  Capabilities& can = profile.capabilities;
  if (random.chance(200)) can.made_by_payer = can.methods;
  if (random.chance(500)) can.repeats_action = can.methods;
  profile.notice_pauses = kPauses[static_cast<std::size_t>(random.below(std::size(kPauses)))];
  can.refund_pause = random.chance(500) ? Duration{0} : random.between(Duration(1), minutes(10));
  profile.declined = static_cast<Declined>(random.below(3));
  profile.hides_refunded_sum = random.chance(300);
  profile.strands_refunds = random.chance(500);
  profile.hides_refused_refunds = random.chance(500);
  return profile;
}

ChannelProfile draw_kind(Random& random) {
  switch (random.below(5)) {
    case 0:
      return as_sandbox();
    case 1:
      return as_alipay(random);
    case 2:
      return as_wechatpay();
    default:
      return as_mixture(random);
  }
}

}  // namespace

ChannelProfile draw_profile(Random& random) {
  ChannelProfile profile = draw_kind(random);
  profile.settles_abroad = random.chance(400);
  return profile;
}

}  // namespace finality::sim
