#include "channel/wechatpay/codes.h"

#include <algorithm>
#include <array>
#include <string>

namespace finality::wechatpay {
namespace {

using enum EvidenceKind;
using R = RefundEvidenceKind;

/// What a code says of each call.
struct Meaning {
  std::string_view code;  // without '_'
  EvidenceKind send;
  EvidenceKind query;
  EvidenceKind close;
  RefundEvidenceKind refund;
  RefundEvidenceKind refund_query;
};

// WeChat never signs a refusal. Whoever could forge one would have to break TLS first; what is left are proxies, and
// those do not speak these codes. So a refusal may say what no signed answer can ever say, and only that:
//
//   `failed`, `refused`   The request itself is not accepted, and nothing came into being by it. Were it false all the
//                         same, a payment that is paid after it is reversed and becomes a case. Of a trade known
//                         to wait it is not taken (wechatpay/channel.cpp).
//   `not_now`             The refund was not accepted, and the same number may be accepted later.
//   `not_found`           A number is not known. That is believed only after our own request can no longer arrive, and
//                         then the same number is sent again, which WeChat takes for the same trade or refund.
//
// That a trade is paid or closed is never taken from a refusal, although ORDER_PAID and ORDER_CLOSED say so: a query
// gets the same with a signature.
//
// No refusal of a refund kills its number: "a refund that has failed is submitted again under its own number". WeChat
// answers the repetition of a refund that it has accepted with that refund. So `refused` proves that this number took
// no money, and `try_again` is for a refund that WeChat has accepted and then closed (wechatpay/refund.cpp).
//
// Sources: the tables of error codes on the pages of pay.weixin.qq.com/doc/v3/merchant: orders 4012525182, queries
// 4013070356, refunds 4012552567 (and their predecessors apiv3/apis/chapter3_1_1 to 3_1_9). The notes on the refund
// page also give the rule of the number, and "send again with the same parameters" for FREQUENCY_LIMITED. Codes marked
// v2 are on the v2 page of the same call only.
// clang-format off
constexpr Meaning kMeanings[] = {
    // code                  send     query    close    refund        refund query
    {"PARAMERROR",           failed,  unknown, unknown, R::refused,   R::unknown},  // the request never changes
    {"APPIDMCHIDNOTMATCH",   failed,  unknown, unknown, R::unknown,   R::unknown},  // set up wrongly
    {"MCHNOTEXISTS",         failed,  unknown, unknown, R::refused,   R::unknown},  // likewise
    {"NOAUTH",               failed,  unknown, unknown, R::refused,   R::unknown},  // the merchant may not do this
    {"ACCOUNTERROR",         failed,  unknown, unknown, R::unknown,   R::unknown},  // the payer's account is blocked
    {"OPENIDMISMATCH",       failed,  unknown, unknown, R::unknown,   R::unknown},  // the payer of another appid
    // Send: also of a number whose trade was ordered with other fields. Refund: "the application has failed": all went
    // back, or the trade is too old.
    {"INVALIDREQUEST",       unknown, unknown, unknown, R::refused,   R::unknown},
    // Of a trade that is there: only a query tells what became of it.
    {"OUTTRADENOUSED",       unknown, unknown, unknown, R::unknown,   R::unknown},
    {"ORDERPAID",            unknown, unknown, unknown, R::unknown,   R::unknown},
    {"ORDERCLOSED",          unknown, unknown, unknown, R::unknown,   R::unknown},
    {"TRADEERROR",           unknown, unknown, unknown, R::unknown,   R::unknown},  // paid, or its payment has failed
    {"ORDERNOTEXIST",        unknown, not_found,  not_found,  R::refused,   R::unknown},  // refund: nothing to give back
    {"RESOURCENOTEXISTS",    unknown, unknown, unknown, R::refused,   R::not_found},   // refund: likewise
    {"INVALIDTRANSACTIONID", unknown, unknown, unknown, R::unknown,   R::unknown},  // comes with 500, of any call
    {"USERACCOUNTABNORMAL",  unknown, unknown, unknown, R::refused,   R::unknown},  // the payer's account is closed
    {"REQUESTBLOCKED",       unknown, unknown, unknown, R::refused,   R::unknown},  // WeChat's rules for this merchant
    {"TRADEOVERDUE",         unknown, unknown, unknown, R::refused,   R::unknown},  // v2: paid more than a year ago
    // "The application has failed" for lack of money: accepted under the same number once the merchant has paid in.
    {"NOTENOUGH",            unknown, unknown, unknown, R::not_now,   R::unknown},
    // Too many requests. Refund: "not accepted, try again more slowly". Send: a query tells whether an earlier one was
    // accepted, and the payer waits, so that minutes are too long.
    {"FREQUENCYLIMITED",     unknown, unknown, unknown, R::not_now,   R::unknown},
    {"RATELIMITEXCEEDED",    unknown, unknown, unknown, R::not_now,   R::unknown},  // the same by another name
    {"INVALIDREQTOOMUCH",    unknown, unknown, unknown, R::not_now,   R::unknown},  // v2: shut out for a minute
    {"BIZERRNEEDRETRY",      unknown, unknown, unknown, R::not_now,   R::unknown},  // v2: refused beside another refund
    {"ORDERNOTREADY",        unknown, unknown, unknown, R::not_now,   R::unknown},  // v2: the trade is being worked on
    // The page does not say which business rule, nor whether it was looked at before anything was done.
    {"RULELIMIT",            unknown, unknown, unknown, R::unknown,   R::unknown},
    // v2: the number was used for another amount, and that money may have gone.
    {"REFUNDFEEMISMATCH",    unknown, unknown, unknown, R::unknown,   R::unknown},
    // Our key or our clock is wrong: once it is mended, the same number goes again.
    {"SIGNERROR",            unknown, unknown, unknown, R::unknown,   R::unknown},
    {"SYSTEMERROR",          unknown, unknown, unknown, R::unknown,   R::unknown},  // anything may have happened
    {"BANKERROR",            unknown, unknown, unknown, R::unknown,   R::unknown},  // likewise
};
// clang-format on

/// What is likely to be wrong on our side.
struct Blame {
  std::string_view code;  // without '_'
  std::string_view settings;
};
constexpr std::string_view kAddress = "look at url: this is no answer of WeChat Pay's";
constexpr Blame kBlames[] = {
    {"SIGNERROR",
     "look at mchid, private_key_file and certificate_file: they have to be of one merchant, and the certificate has "
     "to be valid still; and at this machine's clock"},
    {"APPIDMCHIDNOTMATCH", "look at appid and mchid: the one has to be bound to the other in WeChat Pay's portal"},
    {"MCHNOTEXISTS", "look at mchid"},
    {"NOAUTH", "look at mchid: this merchant may not do this; its products are in WeChat Pay's portal"},
    {"badsignature",
     "look at public_keys and platform_certificates_file, or set fetch_certificates = true: they have to be WeChat "
     "Pay's, of this merchant; and at this machine's clock"},
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
