// Arbitrary bytes as content whose signature was verified: trades, refunds, notifications and their encrypted resource,
// statement links, the payer's action. Each is either rejected or read with all its required fields.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/limits.h"
#include "channel/parsing/json_fields.h"
#include "channel/wechatpay/client_action.h"
#include "channel/wechatpay/notification.h"
#include "channel/wechatpay/refund.h"
#include "channel/wechatpay/statement/download.h"
#include "channel/wechatpay/testing/test_wechatpay.h"
#include "channel/wechatpay/trade.h"

namespace finality::wechatpay {
namespace {

using namespace wechatpay_test;

constexpr Time kNow{1'790'000'000'000};
const Account kAccount{kAppid, kMchid};

void check_evidence(const Evidence& evidence) {
  const bool money = evidence.kind == EvidenceKind::paid;
  const bool whole = evidence.channel_trade_no && !evidence.channel_trade_no->empty() && evidence.amount > 0 &&
                     evidence.amount <= limits::kAmountMax && evidence.refunded <= evidence.amount;
  FINALITY_CHECK(!money || whole, "money without a trade number or a valid amount");
  const auto& refund = evidence.refund;
  FINALITY_CHECK(!refund || (money && refund->amount > 0 && refund->amount <= evidence.amount &&
                             !refund->number.empty() && refund->number.find(' ') == std::string::npos),
                 "a refund without a number or a valid amount");
}

void check_notification(const Result<Notification>& notification) {
  if (!notification) return;
  check_evidence(notification->evidence);
  FINALITY_CHECK(notification->evidence.asked_at <= kNow, "evidence from the future");
  FINALITY_CHECK(!notification->out_trade_no.empty(), "a notification without a trade number");
}

void check_object(const boost::json::object& object) {
  if (const auto trade = read_trade(object, kAccount)) check_evidence(trade->evidence);
  if (const auto refund = read_refund(object, "status"))
    FINALITY_CHECK(refund->refund > 0 && refund->refund <= refund->total, "the refund exceeds the payment");
  if (const auto place = read_location(object, "https://api.mch.weixin.qq.com"))
    FINALITY_CHECK(place->url.starts_with("https://") && place->sha1.size() == 40,
                   "the statement is not at WeChat Pay's address");
  static const Signer signer{kMchid, kMerchantSerial, merchant_key()};
  for (const char* method : {"native", "h5", "app", "jsapi"}) {
    ChannelCall call{.kind = ChannelCallKind::send_payment};
    call.payment.method = method;
    const auto action = client_action_of(call, object, signer, kAppid, kNow);
    FINALITY_CHECK(!action || !(action->url + action->code).empty(), "an action without a URL or a code");
  }
}

}  // namespace
}  // namespace finality::wechatpay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace finality;
  using namespace finality::wechatpay;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  if (const auto object = parse_object(bytes)) check_object(*object);
  check_notification(read_notification(bytes, kApiV3Key, kAccount, kNow));
  for (const char* event : {"TRANSACTION.SUCCESS", "REFUND.SUCCESS"}) {
    const std::string body = json::serialize(envelope(event, encrypted(bytes, "it")));
    check_notification(read_notification(body, kApiV3Key, kAccount, kNow));
  }
  return 0;
}
