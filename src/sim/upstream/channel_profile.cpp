#include "sim/upstream/channel_profile.h"

#include <array>

namespace finality::sim {
namespace {

using namespace std::chrono_literals;
using std::chrono::hours;
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

// A hold ends before the faults do, so that what another system does with it can be checked.
AuthorizationTerms draw_terms(Random& random) {
  AuthorizationTerms terms{.methods = {"redirect"}, .capture_within_max = random.between(hours(2), hours(70))};
  terms.is_partial = random.chance(800);
  terms.is_multiple = terms.is_partial && random.chance(800);
  terms.has_final_flag = random.chance(700);
  terms.releases_part = random.chance(700);
  terms.shares_trade_no = random.chance(250);
  if (terms.shares_trade_no) terms.refund_by = RefundBy::authorization;
  return terms;
}

void draw_holds(Random& random, ChannelProfile& profile) {
  profile.capabilities.authorization = draw_terms(random);
  const bool reports_numbers = profile.capabilities.authorization->shares_trade_no || random.chance(600);
  profile.reports_captures = reports_numbers      ? ReportsCaptures::numbers
                             : random.chance(700) ? ReportsCaptures::total
                                                  : ReportsCaptures::none;
  profile.reports_hold_times = random.chance(500);
  profile.notifies_lapse = random.chance(500);
}

}  // namespace

ChannelProfile draw_profile(Random& random) {
  ChannelProfile profile = draw_kind(random);
  profile.settles_abroad = random.chance(400);
  if (random.chance(800)) draw_holds(random, profile);
  return profile;
}

}  // namespace finality::sim
