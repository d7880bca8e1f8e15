#include "channel/wechatpay/codes.h"

#include <algorithm>
#include <array>
#include <string>

namespace finality::wechatpay {
namespace {

using enum EvidenceKind;
using R = RefundEvidenceKind;

/// The evidence that a code gives for each kind of call.
struct Meaning {
  std::string_view code;  // WeChat's code without '_'
  EvidenceKind send;
  EvidenceKind query;
  EvidenceKind close;
  RefundEvidenceKind refund;
  RefundEvidenceKind refund_query;
};

// WeChat does not sign refusals. Forging a refusal requires breaking TLS, and proxies do not generate these codes. The
// adapter therefore accepts a refusal as evidence, but only of facts for which no signed response exists:
//
//   `failed`, `refused`   WeChat rejected the request, and the request had no effect. If a payment succeeds later, the
//                         core reverses it and opens a case. `failed` is ignored for a pending payment
//                         (wechatpay/channel.cpp).
//   `not_now`             WeChat did not accept the refund; it may accept the same out_refund_no later.
//   `not_found`           WeChat does not know the out_trade_no or out_refund_no. The core acts on `not_found` only
//                         after the original request can no longer arrive. The core then sends the request again under
//                         the same identifier, which WeChat treats as the same trade or refund.
//
// A refusal never proves that a trade is paid or closed. ORDER_PAID and ORDER_CLOSED report such a state, but a query
// returns the state with a signature.
//
// No refusal invalidates an out_refund_no: "a refund that has failed is submitted again under its own number". If
// WeChat has accepted a refund, it responds to a repeated request with this refund, not with a refusal. So `refused`
// proves that no money moved under this out_refund_no. `try_again` is for a refund that WeChat accepted and then closed
// (wechatpay/refund.cpp).
//
// Sources: the error code tables at pay.weixin.qq.com/doc/v3/merchant: orders 4012525182, queries 4013070356, refunds
// 4012552567 (and their predecessors apiv3/apis/chapter3_1_1 to 3_1_9). The notes on the refund page also state the
// rule for the out_refund_no, and "send again with the same parameters" for FREQUENCY_LIMITED. Codes marked v2 are only
// on the v2 page of the same call.
// clang-format off
constexpr Meaning kMeanings[] = {
    // code                  send     query    close    refund        refund query
    {"PARAMERROR",           failed,  unknown, unknown, R::refused,   R::unknown},  // a repeated request fails again
    {"APPIDMCHIDNOTMATCH",   failed,  unknown, unknown, R::unknown,   R::unknown},  // appid and mchid are misconfigured
    {"MCHNOTEXISTS",         failed,  unknown, unknown, R::refused,   R::unknown},  // mchid does not exist
    {"NOAUTH",               failed,  unknown, unknown, R::refused,   R::unknown},  // the merchant lacks the permission
    {"ACCOUNTERROR",         failed,  unknown, unknown, R::unknown,   R::unknown},  // the payer's account is blocked
    {"OPENIDMISMATCH",       failed,  unknown, unknown, R::unknown,   R::unknown},  // the openid is of another appid
    // For a send, the trade may exist: WeChat returns this code also if the trade was created with other fields. For a
    // refund, WeChat's page states "the application has failed": the trade is fully refunded or too old.
    {"INVALIDREQUEST",       unknown, unknown, unknown, R::refused,   R::unknown},
    // Codes about an existing trade. Only a query returns the state of the trade.
    {"OUTTRADENOUSED",       unknown, unknown, unknown, R::unknown,   R::unknown},
    {"ORDERPAID",            unknown, unknown, unknown, R::unknown,   R::unknown},
    {"ORDERCLOSED",          unknown, unknown, unknown, R::unknown,   R::unknown},
    {"TRADEERROR",           unknown, unknown, unknown, R::unknown,   R::unknown},  // paid, or the payment failed
    {"ORDERNOTEXIST",        unknown, not_found,  not_found,  R::refused,   R::unknown},  // refund: no trade to refund
    {"RESOURCENOTEXISTS",    unknown, unknown, unknown, R::refused,   R::not_found},   // refund: no trade to refund
    {"INVALIDTRANSACTIONID", unknown, unknown, unknown, R::unknown,   R::unknown},  // returned with 500, for any call
    {"USERACCOUNTABNORMAL",  unknown, unknown, unknown, R::refused,   R::unknown},  // the payer's account is closed
    {"REQUESTBLOCKED",       unknown, unknown, unknown, R::refused,   R::unknown},  // WeChat's rules block the refund
    {"TRADEOVERDUE",         unknown, unknown, unknown, R::refused,   R::unknown},  // v2: paid more than a year ago
    // Insufficient balance of the merchant. After the merchant has topped up the balance, WeChat accepts the same
    // out_refund_no.
    {"NOTENOUGH",            unknown, unknown, unknown, R::not_now,   R::unknown},
    // Too many requests. For a refund, WeChat's page states "not accepted, try again more slowly". A payment stays
    // `unknown` and is queried, because a pause of minutes is too long for the payer.
    {"FREQUENCYLIMITED",     unknown, unknown, unknown, R::not_now,   R::unknown},
    {"RATELIMITEXCEEDED",    unknown, unknown, unknown, R::not_now,   R::unknown},  // also: too many requests
    {"INVALIDREQTOOMUCH",    unknown, unknown, unknown, R::not_now,   R::unknown},  // v2: blocked for a minute
    {"BIZERRNEEDRETRY",      unknown, unknown, unknown, R::not_now,   R::unknown},  // v2: another concurrent refund
    {"ORDERNOTREADY",        unknown, unknown, unknown, R::not_now,   R::unknown},  // v2: the trade is being processed
    // WeChat's page does not state which rule the request violates, nor whether WeChat checks it before any effect.
    {"RULELIMIT",            unknown, unknown, unknown, R::unknown,   R::unknown},
    // v2: the out_refund_no was used with a different amount, which WeChat may have refunded.
    {"REFUNDFEEMISMATCH",    unknown, unknown, unknown, R::unknown,   R::unknown},
    // Wrong key or clock of this server. After the correction, the request is sent again under the same identifier.
    {"SIGNERROR",            unknown, unknown, unknown, R::unknown,   R::unknown},
    {"SYSTEMERROR",          unknown, unknown, unknown, R::unknown,   R::unknown},  // the result is unknown to WeChat
    {"BANKERROR",            unknown, unknown, unknown, R::unknown,   R::unknown},  // the result is unknown to WeChat
};
// clang-format on

/// A code that suggests a misconfiguration, and a hint which settings the operator should check.
struct Blame {
  std::string_view code;  // code of evidence, without '_'
  std::string_view settings;
};
constexpr std::string_view kAddress = "check url: the response is not from WeChat Pay";
constexpr Blame kBlames[] = {
    {"SIGNERROR",
     "check mchid, private_key_file and certificate_file: they must be of one merchant, and the certificate must not "
     "have expired; check this machine's clock"},
    {"APPIDMCHIDNOTMATCH", "check appid and mchid: they must be bound to each other in WeChat Pay's portal"},
    {"MCHNOTEXISTS", "check mchid"},
    {"NOAUTH", "check mchid, and that this product is enabled for the merchant in WeChat Pay's portal"},
    {"badsignature",
     "check public_keys and platform_certificates_file, or set fetch_certificates = true: the keys must be WeChat "
     "Pay's keys for this merchant; check this machine's clock"},
    {"malformed", kAddress},
    {"http404", kAddress},
    {"http405", kAddress},
};

std::string without_underscores(std::string_view code) {
  std::string bare(code);
  std::erase(bare, '_');
  return bare;
}

const Meaning* find(std::string_view code) {
  const std::string bare = without_underscores(code);
  const auto* at = std::ranges::find(kMeanings, std::string_view(bare), &Meaning::code);
  return at == std::end(kMeanings) ? nullptr : at;
}

}  // namespace

EvidenceKind meaning_of(std::string_view code, ChannelCallKind call) {
  const Meaning* meaning = find(code);
  if (meaning == nullptr) return unknown;
  constexpr std::array kColumns{&Meaning::send, &Meaning::query, &Meaning::close};
  static_assert(kColumns.size() == kCount<ChannelCallKind>);
  return meaning->*kColumns[static_cast<std::size_t>(call)];
}

RefundEvidenceKind meaning_of(std::string_view code, RefundCallKind call) {
  const Meaning* meaning = find(code);
  if (meaning == nullptr) return R::unknown;
  return call == RefundCallKind::send_refund ? meaning->refund : meaning->refund_query;
}

std::string_view config_hint(std::string_view code) {
  const std::string bare = without_underscores(code);
  const auto* at = std::ranges::find(kBlames, std::string_view(bare), &Blame::code);
  return at == std::end(kBlames) ? std::string_view() : at->settings;
}

}  // namespace finality::wechatpay
