#include "channel/alipay/codes.h"

#include <algorithm>
#include <iterator>

namespace finality::alipay {
namespace {

using E = EvidenceKind;
using R = RefundEvidenceKind;

constexpr CodeMeaning nothing(std::string_view code, std::string_view reason) {
  return {.code = code, .reason = reason};
}
// Turned away before a trade is made, whatever makes it.
constexpr CodeMeaning no_trade(std::string_view code, std::string_view reason) {
  return {.code = code, .send = E::failed, .pay = E::failed, .reason = reason};
}
// The same where only our side can repair it. Nobody waits for money that goes back: it is sent until the mistake is
// repaired. A payer does wait, and may be given another channel.
constexpr CodeMeaning our_mistake(std::string_view code, std::string_view reason) { return no_trade(code, reason); }
// Turned away by a precreate, which makes no trade. A pay may have made the trade before it is said.
constexpr CodeMeaning no_code(std::string_view code, std::string_view reason) {
  return {.code = code, .send = E::failed, .reason = reason};
}
// What this call says is not valid, and would not be again.
constexpr CodeMeaning not_valid(std::string_view code, std::string_view reason) {
  return {.code = code, .send = E::failed, .pay = E::failed, .refund = R::refused, .reason = reason};
}
constexpr CodeMeaning no_refund(std::string_view code, std::string_view reason) {
  return {.code = code, .refund = R::refused, .reason = reason};
}
constexpr CodeMeaning later(std::string_view code, std::string_view reason) {
  return {.code = code, .refund = R::not_now, .reason = reason};
}

constexpr std::string_view kUnavailable = "20000";

// In the order of the sources: the gate's codes, then business codes by the call they belong to. What belongs to
// products that are never asked for here (agreements, pre-authorizations, offline cards, instalments, profit sharing,
// overdrafts, payments by a company) is not listed.
constexpr CodeMeaning kMeanings[] = {
    // The gateway itself (opendocs.alipay.com/common/02km9f, 公共错误码). 4000x but 40004 are said before any business
    // sees the request.
    nothing(kUnavailable, "the service was not available; what it did is not known"),
    our_mistake("20001", "the application's authorisation is not valid: to be repaired in Alipay's console"),
    our_mistake("40001", "a parameter is missing that every call has: to be repaired"),
    our_mistake("40002", "our application, key, certificate or clock: to be repaired"),
    not_valid("isv.invalid-parameter", "what this call says is not valid, and would not be again"),
    not_valid("40003", "a condition is not fulfilled, and will not be"),
    // Of a payment a query follows, and then the same number: the payer waits, so that minutes are too long.
    later("40005", "too many calls: the gateway did not let this one through"),
    our_mistake("40006", "the application lacks a permission: to be repaired in Alipay's console"),

    // 40004, any call. The codes of this and the next blocks are those of the call's page at opendocs.alipay.com/open
    // and of its error model in the official SDK (alipay-sdk-php-all, v3/src/Model/AlipayTrade*ErrorResponseModel).
    nothing("ACQ.SYSTEM_ERROR", "Alipay does not know the result itself"),
    nothing("AQC.SYSTEM_ERROR", "the same, as a cancel spells it"),
    not_valid("ACQ.INVALID_PARAMETER", "parameters are looked at before anything is done, and would be wrong again"),
    // A refund that never arrived is sent again under its number; a refund of a trade that is not there cannot be made.
    {.code = "ACQ.TRADE_NOT_EXIST",
     .ask = E::not_found,
     .refund = R::refused,
     .ask_refund = R::not_found,
     .reason = "there is no such trade (yet)"},

    // 40004, making a trade (pay, precreate): the request, the contract or the seller is not as it has to be for a
    // trade to be made. A trade that is there has passed the same checks.
    no_trade("ACQ.TOTAL_FEE_EXCEED", "the amount is not one that Alipay takes"),
    no_trade("ACQ.AMOUNT_OR_CURRENCY_ERROR", "the amount or the currency is not one of the contract"),
    no_trade("ACQ.EXIST_FORBIDDEN_WORD", "a forbidden word in the subject"),
    no_trade("ACQ.SUB_GOODS_SIZE_MAX_COUNT", "too many goods in the request"),
    no_trade("ACQ.RISK_MERCHANT_IP_NOT_EXIST", "the payer's address is missing: the page says that no trade is made"),
    no_trade("ACQ.ACCESS_FORBIDDEN", "the contract lacks this product"),
    no_trade("ACQ.UN_SUPPORT_TRADE_SCENE", "the contract lacks this scene"),
    no_trade("ACQ.PARTNER_ERROR", "the application is not the contract's"),
    no_trade("ACQ.MERCHANT_AGREEMENT_NOT_EXIST", "the merchant has no contract"),
    no_trade("ACQ.MERCHANT_AGREEMENT_INVALID", "the merchant's contract has ended"),
    no_trade("ACQ.MERCHANT_STATUS_NOT_NORMAL", "the merchant has to be activated again"),
    no_trade("ACQ.DEFAULT_SETTLE_RULE_NOT_EXIST", "the merchant has no rule of settlement"),
    no_trade("ACQ.SELLER_NOT_EXIST", "there is no such seller"),
    no_trade("ACQ.INVALID_RECEIVE_ACCOUNT", "the seller's account is not one of the contract"),
    no_trade("ACQ.INVALID_STORE_ID", "there is no such store"),
    no_trade("ACQ.SUB_MERCHANT_CREATE_FAIL", "the secondary merchant is not valid"),
    no_trade("ACQ.SUB_MERCHANT_TYPE_INVALID", "the secondary merchant is not valid"),
    no_trade("ACQ.SECONDARY_MERCHANT_ID_BLANK", "the secondary merchant is missing"),
    no_trade("ACQ.SECONDARY_MERCHANT_ID_INVALID", "there is no such secondary merchant"),
    no_trade("ACQ.SECONDARY_MERCHANT_NOT_MATCH", "the secondary merchant is another application's"),
    no_trade("ACQ.SECONDARY_MERCHANT_STATUS_ERROR", "the secondary merchant may not take payments"),
    no_trade("ACQ.SECONDARY_MERCHANT_ALIPAY_ACCOUNT_INVALID", "the secondary merchant's account is not valid"),
    no_trade("ACQ.SECONDARY_MERCHANT_ISV_PUNISH_INDIRECT", "the secondary merchant may not take payments"),
    no_trade("ACQ.PLATFORM_BUSINESS_ACQUIRE_MODE_MUST_MERCHANT_ID", "the secondary merchant is missing"),
    // Only a pay reads a code, and does so first: without a payer it can make no trade. It is sent again only once a
    // query has found none, so that it is not our own first sending that has used the code.
    no_trade("ACQ.PAYMENT_AUTH_CODE_INVALID", "the payer's code has been used or has expired"),
    no_trade("ACQ.AUTH_TOKEN_IS_NOT_EXIST", "the payer's code is missing"),
    no_trade("ACQ.BUYER_SELLER_EQUAL", "nobody pays himself"),

    // The same calls: what the merchant may take, and who the payer is. A precreate makes no trade, so nothing is there
    // after it. A pay makes the trade and has it paid in one, and no page states whether the trade exists after such a
    // refusal: one that does waits for the payer, who may still pay it. A query tells. Where there is no trade, the
    // payment is sent again, and ends as soon as the payer's code has expired.
    no_code("ACQ.SELLER_BEEN_BLOCKED", "the merchant's account is frozen"),
    no_code("ACQ.BEYOND_PAY_RESTRICTION", "more than the merchant may take"),
    no_code("ACQ.BEYOND_PER_RECEIPT_RESTRICTION", "more than the merchant may take in a month"),
    no_code("ACQ.BEYOND_PER_RECEIPT_DAY_RESTRICTION", "more than the merchant may take in a day"),
    no_code("ACQ.BEYOND_PER_RECEIPT_SINGLE_RESTRICTION", "more than the merchant may take at once"),
    no_code("ACQ.MERCHANT_PERM_RECEIPT_SUSPEND_LIMIT", "the merchant may not take payments at present"),
    no_code("ACQ.MERCHANT_PERM_RECEIPT_SINGLE_LIMIT", "more than the merchant may take at once"),
    no_code("ACQ.MERCHANT_PERM_RECEIPT_DAY_LIMIT", "more than the merchant may take in a day"),
    no_code("ACQ.PRODUCT_AMOUNT_LIMIT_ERROR", "more than the product allows"),
    no_code("ACQ.RESTRICTED_MERCHANT_INDUSTRY", "more than the merchant's trade allows"),
    no_code("ACQ.BUYER_PAYMENT_AMOUNT_DAY_LIMIT_ERROR", "more than the payer may pay in a day"),
    no_code("ACQ.BUYER_PAYMENT_AMOUNT_MONTH_LIMIT_ERROR", "more than the payer may pay in a month"),
    no_code("ACQ.ERROR_BUYER_CERTIFY_LEVEL_LIMIT", "the payer has not proved who he is"),
    no_code("ACQ.BUYER_NOT_MAINLAND_CERT", "the payer has proved it in a way that does not count here"),
    no_code("ACQ.NOT_CERTIFIED_USER", "the payer has not proved who he is"),
    no_code("ACQ.PAYER_UNMATCHED", "another payer was named"),

    // Pay alone: the payment was declined. For most of these Alipay answers 10003 today, which states that the trade
    // exists and waits. After one of these codes a query tells.
    nothing("ACQ.PAYMENT_FAIL", "the payment failed; the trade may wait for another try"),
    nothing("ACQ.BUYER_BALANCE_NOT_ENOUGH", "the payer lacks the money; the trade may wait until he has it"),
    nothing("ACQ.BUYER_BANKCARD_BALANCE_NOT_ENOUGH", "the payer's card lacks the money; the trade may wait"),
    nothing("ACQ.ERROR_BALANCE_PAYMENT_DISABLE", "the payer has switched this off, and may switch it on"),
    nothing("ACQ.MOBILE_PAYMENT_SWITCH_OFF", "the payer has switched this off, and may switch it on"),
    nothing("ACQ.USER_FACE_PAYMENT_SWITCH_OFF", "the payer has switched this off, and may switch it on"),
    nothing("ACQ.PULL_MOBILE_CASHIER_FAIL", "the payer's app did not open; the trade waits in it"),
    nothing("ACQ.PAYMENT_REQUEST_HAS_RISK", "the payment was declined; the trade may wait"),
    nothing("ACQ.NO_PAYMENT_INSTRUMENTS_AVAILABLE", "the payer has nothing to pay with; the trade may wait"),
    nothing("ACQ.NOT_SUPPORT_PAYMENT_INST", "the payer's app cannot do this; the trade may wait"),
    nothing("ACQ.USER_LOGONID_DUP", "the payer's account has to be repaired; the trade may wait"),

    // The same calls, about a trade that is there: only a query tells what it does.
    nothing("ACQ.TRADE_HAS_SUCCESS", "the trade is paid: a query says how much"),
    nothing("ACQ.CONTEXT_INCONSISTENT", "our number has another trade: a query tells which"),
    nothing("ACQ.TRADE_BUYER_NOT_MATCH", "the trade is another payer's, and may be paid by him"),
    nothing("ACQ.NOW_TIME_AFTER_EXPIRE_TIME_ERROR", "its time is over; until then it may have been paid"),
    nothing("ACQ.APPLY_PC_MERCHANT_CODE_ERROR", "the QR code of that number has expired; it may have been scanned"),
    nothing("ACQ.TRADE_SETTLE_ERROR", "said of the settlement of a new trade and of a refund alike"),

    // 40004, closing. The trade does not wait any more: a query tells what it does. And nothing of it can go back: a
    // number that had gone through would have been answered with its first result.
    no_refund("ACQ.TRADE_HAS_CLOSE", "the trade is closed: it was never paid, or all of it went back"),
    no_refund("ACQ.TRADE_STATUS_ERROR", "the trade is not in a state for this"),
    no_refund("ACQ.REASON_TRADE_STATUS_INVALID", "the trade is not in a state for this"),
    no_refund("ACQ.REASON_ILLEGAL_STATUS", "the trade is not in a state for this"),
    nothing("ACQ.TRADE_CANCEL_TIME_OUT", "too late to cancel"),
    nothing("ACQ.CANCEL_NOT_ALLOWED", "this trade is not cancelled this way"),

    // 40004, giving money back (alipay.trade.refund). "A refund that failed is sent again under the same number": where
    // it may succeed later the number must stay, a second one could pay twice. Only SYSTEM_ERROR may have succeeded,
    // by the page.
    later("ACQ.SELLER_BALANCE_NOT_ENOUGH", "it is sent again once there is money in the account"),
    later("ACQ.REFUND_ACCOUNT_NOT_EXIST", "it is sent again once the account that pays is in order"),
    // The page says "later", and not that nothing was done.
    nothing("ACQ.REFUND_CHARGE_ERROR", "the fee could not be given back: the same number, later"),
    nothing("ACQ.DISCORDANT_REPEAT_REQUEST", "the number was used for another amount, and that money may have gone"),
    nothing("ACQ.USER_NOT_MATCH_ERR", "the page does not say what does not match"),
    no_refund("ACQ.REFUND_AMT_NOT_EQUAL_TOTAL", "more than is left of the trade"),
    no_refund("ACQ.REASON_TRADE_REFUND_FEE_ERR", "the amount is not possible for this trade"),
    no_refund("ACQ.REFUND_FEE_ERROR", "the amount is not possible for this trade"),
    {.code = "ACQ.CURRENCY_NOT_SUPPORT",
     .send = E::failed,
     .pay = E::failed,
     .refund = R::refused,
     .reason = "the contract lacks the currency, or the trade is in another"},
    no_refund("ACQ.NOT_ALLOW_PARTIAL_REFUND", "this trade can only go back as a whole"),
    no_refund("ACQ.TRADE_NOT_ALLOW_REFUND", "this trade can not go back"),
    no_refund("ACQ.ONLINE_TRADE_VOUCHER_NOT_ALLOW_REFUND",
              "a voucher was used that cannot go back: to be paid otherwise"),
    no_refund("ACQ.TRADE_HAS_FINISHED", "the time for refunds is over"),
    no_refund("ACQ.REASON_TRADE_BEEN_FREEZEN", "the trade is frozen: a person has to look into it"),
    // The payer's account is closed or frozen, or is none: a person has to find another way.
    {.code = "ACQ.BUYER_NOT_EXIST",
     .send = E::failed,
     .refund = R::refused,
     .reason = "there is no such payer (any more)"},
    {.code = "ACQ.BUYER_ENABLE_STATUS_FORBID",
     .send = E::failed,
     .refund = R::refused,
     .reason = "the payer's account is not in order"},
    no_refund("ACQ.BUYER_ERROR", "the payer's account is not in order"),
    no_refund("ACQ.CUSTOMER_VALIDATE_ERROR", "the payer's account is closed or frozen: to be paid otherwise"),
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

std::string_view config_hint(std::string_view code) {
  const auto* at = std::ranges::find(kBlames, code, &Blame::code);
  return at == std::end(kBlames) ? std::string_view() : at->settings;
}

const StatementMeaning& statement_meaning_of(std::string_view sub_code) {
  const auto* at = std::ranges::find(kStatementMeanings, sub_code, &StatementMeaning::code);
  return at == std::end(kStatementMeanings) ? kUnlistedStatement : *at;
}

}  // namespace finality::alipay
