#include "channel/alipay/alipay_codes.h"

#include <algorithm>
#include <iterator>

namespace finality::alipay {
namespace {

using E = EvidenceKind;
using R = RefundEvidenceKind;

constexpr CodeMeaning nothing(std::string_view code, std::string_view reason) {
  return {.code = code, .reason = reason};
}
// Nobody waits for money that goes back: it is sent until the mistake is repaired. A payer does wait, and may be given
// another channel: nothing has come into being here.
constexpr CodeMeaning our_mistake(std::string_view code, std::string_view reason) {
  return {.code = code, .send = E::failed, .reason = reason};
}
constexpr CodeMeaning no_payment(std::string_view code, std::string_view reason) { return our_mistake(code, reason); }
constexpr CodeMeaning no_refund(std::string_view code, std::string_view reason) {
  return {.code = code, .refund = R::refused, .reason = reason};
}

constexpr std::string_view kUnavailable = "20000";

// In the order of the sources: the gate's codes, then business codes by the call they belong to.
constexpr CodeMeaning kMeanings[] = {
    // The gateway itself. 4000x (not 40004, 40005) are said before any business sees the request.
    nothing(kUnavailable, "the service was not available; what it did is not known"),
    our_mistake("20001", "the application's authorisation is not valid: to be repaired in Alipay's console"),
    our_mistake("40001", "a parameter is missing that every call has: to be repaired"),
    our_mistake("40002", "our application, key, certificate or clock: to be repaired"),
    {"isv.invalid-parameter", E::failed, E::unknown, R::refused, R::unknown,
     "what this call says is not valid, and would not be again"},
    {"40003", E::failed, E::unknown, R::refused, R::unknown, "a condition is not fulfilled, and will not be"},
    nothing("40005", "too many calls: it was not looked at, and a query tells later"),
    our_mistake("40006", "the application lacks a permission: to be repaired in Alipay's console"),

    // 40004, any call.
    nothing("ACQ.SYSTEM_ERROR", "Alipay does not know the result itself"),
    nothing("AQC.SYSTEM_ERROR", "the same, as a cancel spells it"),
    {"ACQ.INVALID_PARAMETER", E::failed, E::unknown, R::refused, R::unknown,
     "parameters are looked at before anything is done, and would be wrong again"},
    // A refund that never arrived is sent again under its number; a refund of a trade that is not there cannot be made.
    {"ACQ.TRADE_NOT_EXIST", E::unknown, E::absent, R::refused, R::absent, "there is no such trade (yet)"},

    // 40004, making a trade. Where a trade may be there by now, only a query tells.
    no_payment("ACQ.TOTAL_FEE_EXCEED", "above the limit of the contract: no trade is made"),
    no_payment("ACQ.BUYER_SELLER_EQUAL", "nobody pays himself: no trade is made"),
    no_payment("ACQ.ACCESS_FORBIDDEN", "the contract lacks this product: no trade is made"),
    no_payment("ACQ.PARTNER_ERROR", "the application is not the contract's: no trade is made"),
    no_payment("ACQ.EXIST_FORBIDDEN_WORD", "a forbidden word in the subject: no trade is made"),
    no_payment("ACQ.PAYMENT_AUTH_CODE_INVALID", "the payer's code has been used or has expired: no trade is made"),
    nothing("ACQ.TRADE_HAS_SUCCESS", "the trade is paid: a query says how much"),
    nothing("ACQ.CONTEXT_INCONSISTENT", "our number has another trade: a query tells which"),
    nothing("ACQ.APPLY_PC_MERCHANT_CODE_ERROR", "the QR code of that number has expired; it may have been scanned"),

    // 40004, closing. The trade does not wait any more: a query tells what it does. And nothing of it can go back: a
    // number that had gone through would have been answered with its first result.
    no_refund("ACQ.TRADE_HAS_CLOSE", "the trade is closed: it was never paid, or all of it went back"),
    no_refund("ACQ.TRADE_STATUS_ERROR", "the trade is not in a state for this"),
    no_refund("ACQ.REASON_TRADE_STATUS_INVALID", "the trade is not in a state for this"),
    no_refund("ACQ.REASON_ILLEGAL_STATUS", "the trade is not in a state for this"),
    nothing("ACQ.TRADE_CANCEL_TIME_OUT", "too late to cancel"),
    nothing("ACQ.CANCEL_NOT_ALLOWED", "this trade is not cancelled this way"),

    // 40004, giving money back. Where the same number may succeed later it must stay: a second number could pay twice.
    nothing("ACQ.SELLER_BALANCE_NOT_ENOUGH", "the same number succeeds once there is money in the account"),
    nothing("ACQ.REFUND_CHARGE_ERROR", "the fee could not be given back: the same number, later"),
    nothing("ACQ.DISCORDANT_REPEAT_REQUEST", "the number was used for another amount, and that money may have gone"),
    no_refund("ACQ.REFUND_AMT_NOT_EQUAL_TOTAL", "more than is left of the trade"),
    no_refund("ACQ.REASON_TRADE_REFUND_FEE_ERR", "the amount is not possible for this trade"),
    no_refund("ACQ.NOT_ALLOW_PARTIAL_REFUND", "this trade can only go back as a whole"),
    no_refund("ACQ.TRADE_NOT_ALLOW_REFUND", "this trade can not go back"),
    no_refund("ACQ.TRADE_HAS_FINISHED", "the time for refunds is over"),
    no_refund("ACQ.REASON_TRADE_BEEN_FREEZEN", "the trade is frozen: a person has to look into it"),
};

constexpr CodeMeaning kUnlisted = nothing("", "the code is not known here");

/// What is likely to be wrong on our side.
struct Blame {
  std::string_view code;
  std::string_view settings;
};
constexpr std::string_view kAddress = "look at url: this is no answer of Alipay's gateway";
constexpr std::string_view kOwnKey =
    "look at private_key_file: its public key has to be in Alipay's portal, for the application app_id";
constexpr std::string_view kApplication = "look at app_id, and at the application's products in Alipay's portal";
constexpr Blame kBlames[] = {
    {"bad_signature",
     "look at alipay_public_key_file (or alipay_certificates_file): it has to hold Alipay's key, not the application's "
     "own public key"},
    {"unknown_certificate", "look at alipay_certificates_file: Alipay signs with another certificate by now"},
    {"unsigned",
     "look at app_id, and at private_key_file: its public key has to be in Alipay's portal, for this application"},
    {"isv.invalid-signature", kOwnKey},
    {"isv.missing-signature", kOwnKey},
    {"isv.invalid-app-id", kApplication},
    {"20001", kApplication},
    {"40006", kApplication},
    {"isv.insufficient-isv-permissions", kApplication},
    {"ACQ.ACCESS_FORBIDDEN", kApplication},
    {"ACQ.PARTNER_ERROR", kApplication},
    {"malformed", kAddress},
    {"http_404", kAddress},
    {"http_405", kAddress},
};

constexpr StatementMeaning none(std::string_view code) { return {.code = code, .is_none = true, .advice = {}}; }

// Of a day before the contract nothing can be stated either. Some pages spell the codes with isv. before them.
constexpr StatementMeaning kStatementMeanings[] = {
    none("NO_BILL_DATA"),
    none("BILL_NOT_EXIST"),
    none("BILL_DATE_BEFORE_REGISTRATION"),
    none("isv.bill-not-exist"),
    {"TYPE_NOT_SUPPORTED", false, "the contract lacks this kind of statement"},
    {"SYSTEM_RATE_LIMIT", false, "Alipay is busy: ask again later"},
    {"USER_RATE_LIMIT", false, "too many statements were asked for: ask again later"},
    {"INVAILID_ARGUMENTS", false, "Alipay does not take this day or kind"},
};

constexpr StatementMeaning kUnlistedStatement{};

}  // namespace

const CodeMeaning& meaning_of(std::string_view code, std::string_view sub_code) {
  // Who does not know what became of the call knows no more in detail.
  if (code == kUnavailable) sub_code = {};
  for (const std::string_view wanted : {sub_code, code}) {
    const auto* at = std::ranges::find(kMeanings, wanted, &CodeMeaning::code);
    if (!wanted.empty() && at != std::end(kMeanings)) return *at;
  }
  return kUnlisted;
}

std::span<const CodeMeaning> code_meanings() { return kMeanings; }

std::string_view settings_behind(std::string_view code) {
  const auto* at = std::ranges::find(kBlames, code, &Blame::code);
  return at == std::end(kBlames) ? std::string_view() : at->settings;
}

const StatementMeaning& statement_meaning_of(std::string_view sub_code) {
  const auto* at = std::ranges::find(kStatementMeanings, sub_code, &StatementMeaning::code);
  return at == std::end(kStatementMeanings) ? kUnlistedStatement : *at;
}

}  // namespace finality::alipay
