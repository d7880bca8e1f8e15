#include "sim/upstream/manners.h"

#include <array>

namespace finality::sim {
namespace {

using namespace std::chrono_literals;
using std::chrono::minutes;

constexpr std::array<Duration, 7> kAlipayPauses{4min, 10min, 10min, 1h, 2h, 6h, 15h};
constexpr std::array<Duration, 15> kWechatpayPauses{15s,   15s,   30s, 3min, 10min, 20min, 30min, 30min,
                                                    30min, 60min, 3h,  3h,   3h,    6h,    6h};

Manners as_sandbox() {
  Manners manners;
  manners.capabilities.repeats_action = manners.capabilities.methods;
  return manners;
}

// A page or a QR code, whose trade is made by its payer; or a barcode, which has nothing for the payer to do.
Manners as_alipay(Random& random) {
  Manners manners;
  if (random.chance(700))
    manners.capabilities.made_by_payer = manners.capabilities.repeats_action = manners.capabilities.methods;
  manners.capabilities.refund_pause = 3s;
  manners.notice_pauses = kAlipayPauses;
  manners.declined = Declined::silent;
  manners.forgets_refused_refunds = true;
  return manners;
}

Manners as_wechatpay() {
  Manners manners = as_sandbox();
  manners.capabilities.refund_pause = 1min;
  manners.notice_pauses = kWechatpayPauses;
  manners.declined = Declined::waits;
  manners.hides_refunded_sum = true;
  manners.strands_refunds = true;
  return manners;
}

Manners as_nobody(Random& random) {
  constexpr std::span<const Duration> kPauses[] = {{}, kAlipayPauses, kWechatpayPauses};
  Manners manners;
  Capabilities& can = manners.capabilities;
  if (random.chance(200)) can.made_by_payer = can.methods;
  if (random.chance(500)) can.repeats_action = can.methods;
  manners.notice_pauses = kPauses[static_cast<std::size_t>(random.below(std::size(kPauses)))];
  can.refund_pause = random.chance(500) ? Duration{0} : random.between(Duration(1), minutes(10));
  manners.declined = static_cast<Declined>(random.below(3));
  manners.hides_refunded_sum = random.chance(300);
  manners.strands_refunds = random.chance(500);
  manners.forgets_refused_refunds = random.chance(500);
  return manners;
}

}  // namespace

Manners draw_manners(Random& random) {
  switch (random.below(5)) {
    case 0:
      return as_sandbox();
    case 1:
      return as_alipay(random);
    case 2:
      return as_wechatpay();
    default:
      return as_nobody(random);
  }
}

}  // namespace finality::sim
