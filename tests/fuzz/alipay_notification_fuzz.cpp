// Fuzzes the parser of Alipay's notifications, as if the signature had been verified.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "channel/alipay/notification.h"
#include "channel/alipay/testing/test_gateway.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace finality;
  static const AlipayOptions options = alipay_test::options_for(alipay_test::Mode::public_key);
  constexpr Time kNow{1'790'000'000'000};
  const auto form = alipay::parse_form({reinterpret_cast<const char*>(data), size});
  if (!form) return 0;
  FINALITY_CHECK(!alipay::check_notification(options.keys, *form), "a signature by another key was accepted");
  const auto notification = alipay::read_verified(options, *form, kNow);
  if (!notification) return 0;
  if (notification->is_ignored) return 0;
  FINALITY_CHECK(!notification->out_trade_no.empty() && !notification->refund, "no number, or a refund");
  if (const auto& authorization = notification->authorization) {
    const bool held = authorization->kind == AuthorizationEvidenceKind::authorized;
    FINALITY_CHECK(!held || (authorization->channel_trade_no && authorization->authorized > 0),
                   "a hold without a number or an amount");
    FINALITY_CHECK(authorization->captured >= 0 && authorization->released >= 0 &&
                       authorization->captured + authorization->released <= authorization->authorized &&
                       authorization->asked_at <= kNow,
                   "totals above the hold, or a future time");
    return 0;
  }
  const Evidence& evidence = notification->evidence;
  const bool money = evidence.kind == EvidenceKind::paid;
  FINALITY_CHECK(!money || (evidence.channel_trade_no && evidence.amount > 0),
                 "money without a trade number or an amount");
  FINALITY_CHECK(evidence.asked_at <= kNow && evidence.refunded <= evidence.amount,
                 "a future time, or more refunded than paid");
  return 0;
}
