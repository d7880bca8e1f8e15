#include "channel/alipay/codes.h"

#include <algorithm>
#include <iterator>

namespace finality::alipay {
namespace {

using E = EvidenceKind;
using R = RefundEvidenceKind;
using A = AuthorizationEvidenceKind;

constexpr CodeMeaning proves_nothing(std::string_view code, std::string_view reason) {
  return {.code = code, .reason = reason};
}
// A code with which Alipay rejects a precreate or a pay before it creates a trade. The payment or capture has failed.
constexpr CodeMeaning no_trade(std::string_view code, std::string_view reason) {
  return {.code = code, .send = E::failed, .pay = E::failed, .capture = E::failed, .reason = reason};
}
// An error in the configuration that the operator must correct. A capture, a release or a refund stays `unknown`, and
// the worker sends it again until the configuration is correct. A payment or an authorization fails immediately,
// because the payer is waiting and may use another channel.
constexpr CodeMeaning configuration_error(std::string_view code, std::string_view reason) {
  return {.code = code, .send = E::failed, .pay = E::failed, .freeze = A::failed, .reason = reason};
}
// A code after which a precreate has failed, because a precreate never creates a trade. A pay stays `unknown`, because
// it may have created the trade before the refusal.
constexpr CodeMeaning no_code(std::string_view code, std::string_view reason) {
  return {.code = code, .send = E::failed, .reason = reason};
}
// The content of the call is invalid, and Alipay would reject it again. Final for all requests.
constexpr CodeMeaning not_valid(std::string_view code, std::string_view reason) {
  return {.code = code,
          .send = E::failed,
          .pay = E::failed,
          .capture = E::failed,
          .refund = R::refused,
          .freeze = A::failed,
          .release = A::release_refused,
          .reason = reason};
}
// A code with which Alipay rejects a pay with auth_no (转支付) before it creates a trade.
constexpr CodeMeaning no_capture(std::string_view code, std::string_view reason) {
  return {.code = code, .capture = E::failed, .reason = reason};
}
// A code with which Alipay rejects a freeze and holds nothing.
constexpr CodeMeaning no_freeze(std::string_view code, std::string_view reason) {
  return {.code = code, .freeze = A::failed, .reason = reason};
}
// Like no_freeze; a release is refused until an operator acts.
constexpr CodeMeaning no_fund_auth(std::string_view code, std::string_view reason) {
  return {.code = code, .freeze = A::failed, .release = A::release_refused, .reason = reason};
}
// A release under this out_request_no cannot succeed: another amount, or another method, is needed.
constexpr CodeMeaning another_release(std::string_view code, std::string_view reason) {
  return {.code = code, .release = A::release_again, .reason = reason};
}
constexpr CodeMeaning no_authorization(std::string_view code, std::string_view reason) {
  return {.code = code, .query_freeze = A::not_found, .release = A::not_found, .reason = reason};
}
constexpr CodeMeaning no_refund(std::string_view code, std::string_view reason) {
  return {.code = code, .refund = R::refused, .reason = reason};
}
constexpr CodeMeaning refund_not_now(std::string_view code, std::string_view reason) {
  return {.code = code, .refund = R::not_now, .reason = reason};
}

constexpr std::string_view kUnavailable = "20000";

// Rows by source: first the codes of the gateway, then the business codes of each call. The table omits the codes of
// products that the adapter does not use: agreements, offline cards, instalments, profit sharing,
// overdrafts, payments by a company.
constexpr CodeMeaning kMeanings[] = {
    // Codes of the gateway (opendocs.alipay.com/common/02km9f, 公共错误码). With 4000x, except 40004, the gateway
    // rejects a request before any business service receives it.
    proves_nothing(kUnavailable, "the service was not available; the result is unknown"),
    configuration_error("20001", "the application's authorisation is not valid: correct it in Alipay's console"),
    configuration_error("40001", "a parameter common to all calls is missing: a configuration or program error"),
    configuration_error("40002", "the application, key, certificate or clock is wrong: correct the configuration"),
    not_valid("isv.invalid-parameter", "the call's content is invalid and would be rejected again"),
    not_valid("40003", "a precondition is not met and will not be"),
    // A payment stays `unknown`: the worker queries it and then sends it again with the same out_trade_no. A pause of
    // minutes, as for a refund, would be too long for the payer.
    refund_not_now("40005", "too many calls: the gateway rejected this one"),
    configuration_error("40006", "the application lacks a permission: correct it in Alipay's console"),

    // Code 40004, from any call. Sources of this block and all following blocks: the page of each call at
    // opendocs.alipay.com/open, and the error model of the call in the official SDK (alipay-sdk-php-all,
    // v3/src/Model/AlipayTrade*ErrorResponseModel).
    proves_nothing("ACQ.SYSTEM_ERROR", "the result is unknown to Alipay itself"),
    proves_nothing("AQC.SYSTEM_ERROR", "the same, as spelled by a cancel"),
    not_valid("ACQ.INVALID_PARAMETER", "Alipay checks parameters before any effect, and would reject them again"),
    // A refund of a trade that does not exist is refused. From a refund query, the code means that Alipay never
    // received the refund, so the worker sends the refund again with the same out_request_no.
    {.code = "ACQ.TRADE_NOT_EXIST",
     .query = E::not_found,
     .refund = R::refused,
     .query_refund = R::not_found,
     .reason = "the trade does not exist (yet)"},

    // Code 40004, from pay and precreate: the request, the contract or the seller does not meet the conditions for a
    // trade. No trade exists, because Alipay checks these conditions before it creates a trade.
    no_trade("ACQ.TOTAL_FEE_EXCEED", "the amount is outside Alipay's limits"),
    no_trade("ACQ.AMOUNT_OR_CURRENCY_ERROR", "the contract does not cover the amount or the currency"),
    no_trade("ACQ.EXIST_FORBIDDEN_WORD", "the subject contains a forbidden word"),
    no_trade("ACQ.SUB_GOODS_SIZE_MAX_COUNT", "too many goods in the request"),
    no_trade("ACQ.RISK_MERCHANT_IP_NOT_EXIST", "the payer's IP address is missing; no trade is made (by the page)"),
    no_trade("ACQ.ACCESS_FORBIDDEN", "the contract lacks this product"),
    no_trade("ACQ.UN_SUPPORT_TRADE_SCENE", "the contract lacks this scene"),
    no_trade("ACQ.PARTNER_ERROR", "the contract is of another application"),
    no_trade("ACQ.MERCHANT_AGREEMENT_NOT_EXIST", "the merchant has no contract"),
    no_trade("ACQ.MERCHANT_AGREEMENT_INVALID", "the merchant's contract has ended"),
    no_trade("ACQ.MERCHANT_STATUS_NOT_NORMAL", "the merchant must be activated again"),
    no_trade("ACQ.DEFAULT_SETTLE_RULE_NOT_EXIST", "the merchant has no settlement rule"),
    no_trade("ACQ.SELLER_NOT_EXIST", "the seller does not exist"),
    no_trade("ACQ.INVALID_RECEIVE_ACCOUNT", "the contract does not cover the seller's account"),
    no_trade("ACQ.INVALID_STORE_ID", "the store does not exist"),
    no_trade("ACQ.SUB_MERCHANT_CREATE_FAIL", "the secondary merchant is not valid"),
    no_trade("ACQ.SUB_MERCHANT_TYPE_INVALID", "the secondary merchant is not valid"),
    no_trade("ACQ.SECONDARY_MERCHANT_ID_BLANK", "the secondary merchant is missing"),
    no_trade("ACQ.SECONDARY_MERCHANT_ID_INVALID", "the secondary merchant does not exist"),
    no_trade("ACQ.SECONDARY_MERCHANT_NOT_MATCH", "the secondary merchant is of another application"),
    no_trade("ACQ.SECONDARY_MERCHANT_STATUS_ERROR", "the secondary merchant must not take payments"),
    no_trade("ACQ.SECONDARY_MERCHANT_ALIPAY_ACCOUNT_INVALID", "the secondary merchant's account is not valid"),
    no_trade("ACQ.SECONDARY_MERCHANT_ISV_PUNISH_INDIRECT", "the secondary merchant must not take payments"),
    no_trade("ACQ.PLATFORM_BUSINESS_ACQUIRE_MODE_MUST_MERCHANT_ID", "the secondary merchant is missing"),
    // Only pay uses the payer's payment code. Alipay checks the code first, because it cannot create a trade without a
    // payer. The worker repeats a pay only after a query has found no trade, so no earlier request of the same payment
    // has used the code.
    no_trade("ACQ.PAYMENT_AUTH_CODE_INVALID", "the payer's code has been used or has expired"),
    no_trade("ACQ.AUTH_TOKEN_IS_NOT_EXIST", "the payer's code is missing"),
    no_trade("ACQ.BUYER_SELLER_EQUAL", "payer and seller are the same"),

    // Code 40004, from pay and precreate: limits of the merchant and of the payer. A precreate creates no trade. A pay
    // creates and pays the trade in one step, and Alipay's pages do not state whether a trade exists after the refusal.
    // The payer could still pay an existing trade, so the worker sends a query. If the query finds no trade, the worker
    // sends the payment again until the payer's code expires.
    no_code("ACQ.SELLER_BEEN_BLOCKED", "the merchant's account is frozen"),
    no_code("ACQ.BEYOND_PAY_RESTRICTION", "above the merchant's limit"),
    no_code("ACQ.BEYOND_PER_RECEIPT_RESTRICTION", "above the merchant's monthly limit"),
    no_code("ACQ.BEYOND_PER_RECEIPT_DAY_RESTRICTION", "above the merchant's daily limit"),
    no_code("ACQ.BEYOND_PER_RECEIPT_SINGLE_RESTRICTION", "above the merchant's limit per payment"),
    no_code("ACQ.MERCHANT_PERM_RECEIPT_SUSPEND_LIMIT", "the merchant must not take payments at present"),
    no_code("ACQ.MERCHANT_PERM_RECEIPT_SINGLE_LIMIT", "above the merchant's limit per payment"),
    no_code("ACQ.MERCHANT_PERM_RECEIPT_DAY_LIMIT", "above the merchant's daily limit"),
    no_code("ACQ.PRODUCT_AMOUNT_LIMIT_ERROR", "above the product's limit"),
    no_code("ACQ.RESTRICTED_MERCHANT_INDUSTRY", "above the limit of the merchant's industry"),
    no_code("ACQ.BUYER_PAYMENT_AMOUNT_DAY_LIMIT_ERROR", "above the payer's daily limit"),
    no_code("ACQ.BUYER_PAYMENT_AMOUNT_MONTH_LIMIT_ERROR", "above the payer's monthly limit"),
    no_code("ACQ.ERROR_BUYER_CERTIFY_LEVEL_LIMIT", "the payer's identity is not verified sufficiently"),
    no_code("ACQ.BUYER_NOT_MAINLAND_CERT", "the payer is not verified with a mainland identity document"),
    no_code("ACQ.NOT_CERTIFIED_USER", "the payer's identity is not verified"),
    no_code("ACQ.PAYER_UNMATCHED", "the payer is not the one that the request names"),

    // Code 40004, from pay only: the payment was declined. For most of these cases Alipay now returns code 10003: the
    // trade exists and waits for the payer. The codes below do not state whether a trade exists, so a query follows.
    proves_nothing("ACQ.PAYMENT_FAIL", "the payment failed; the trade may wait for another attempt"),
    no_capture("ACQ.BUYER_BALANCE_NOT_ENOUGH", "the payer's balance is insufficient; the trade of a payment may wait"),
    proves_nothing("ACQ.BUYER_BANKCARD_BALANCE_NOT_ENOUGH",
                   "the payer's card has too little balance; the trade may wait"),
    proves_nothing("ACQ.ERROR_BALANCE_PAYMENT_DISABLE", "the payer has disabled payment by balance and may enable it"),
    proves_nothing("ACQ.MOBILE_PAYMENT_SWITCH_OFF", "the payer has disabled mobile payment and may enable it"),
    proves_nothing("ACQ.USER_FACE_PAYMENT_SWITCH_OFF", "the payer has disabled payment by code and may enable it"),
    proves_nothing("ACQ.PULL_MOBILE_CASHIER_FAIL", "the payer's app did not open; the trade waits in it"),
    proves_nothing("ACQ.PAYMENT_REQUEST_HAS_RISK", "the payment was declined; the trade may wait"),
    proves_nothing("ACQ.NO_PAYMENT_INSTRUMENTS_AVAILABLE", "the payer has no payment method; the trade may wait"),
    proves_nothing("ACQ.NOT_SUPPORT_PAYMENT_INST", "the payer's app does not support this; the trade may wait"),
    proves_nothing("ACQ.USER_LOGONID_DUP", "the payer must correct their account; the trade may wait"),

    // Code 40004, from pay and precreate, about an existing trade. Only a query returns the state of the trade.
    proves_nothing("ACQ.TRADE_HAS_SUCCESS", "the trade is paid; a query returns the amount"),
    proves_nothing("ACQ.CONTEXT_INCONSISTENT", "the number has a trade with other parameters; a query returns it"),
    proves_nothing("ACQ.TRADE_BUYER_NOT_MATCH", "the trade has another payer, who may pay it"),
    proves_nothing("ACQ.NOW_TIME_AFTER_EXPIRE_TIME_ERROR", "the trade has expired; it may have been paid before"),
    proves_nothing("ACQ.APPLY_PC_MERCHANT_CODE_ERROR",
                   "the QR code of that number has expired; it may have been scanned"),
    proves_nothing("ACQ.TRADE_SETTLE_ERROR", "returned for the settlement of a new trade and for a refund alike"),

    // Code 40004, from close and cancel: the trade no longer waits for the payer, and a query returns its state. From
    // refund: the trade cannot be refunded. For a refund that had succeeded before, Alipay would have returned success.
    no_refund("ACQ.TRADE_HAS_CLOSE", "the trade is closed: it was never paid, or is fully refunded"),
    no_refund("ACQ.TRADE_STATUS_ERROR", "the trade is not in a state for this"),
    no_refund("ACQ.REASON_TRADE_STATUS_INVALID", "the trade is not in a state for this"),
    no_refund("ACQ.REASON_ILLEGAL_STATUS", "the trade is not in a state for this"),
    proves_nothing("ACQ.TRADE_CANCEL_TIME_OUT", "too late to cancel"),
    proves_nothing("ACQ.CANCEL_NOT_ALLOWED", "this trade cannot be cancelled this way"),

    // Code 40004, from alipay.trade.refund. Its page states: "A refund that failed is sent again under the same
    // number." A refund that may succeed later must keep its out_request_no, because a second out_request_no could
    // refund twice. According to the page, only a refund that returned SYSTEM_ERROR may have succeeded.
    refund_not_now("ACQ.SELLER_BALANCE_NOT_ENOUGH", "sent again; succeeds when the account has sufficient balance"),
    refund_not_now("ACQ.REFUND_ACCOUNT_NOT_EXIST", "sent again; succeeds when the paying account is valid"),
    // Alipay's page recommends a later retry, but does not state that the refund had no effect.
    proves_nothing("ACQ.REFUND_CHARGE_ERROR", "the fee could not be returned; send the same number later"),
    proves_nothing("ACQ.DISCORDANT_REPEAT_REQUEST",
                   "the number was used with another amount, which may have been refunded"),
    proves_nothing("ACQ.USER_NOT_MATCH_ERR", "the page does not state what does not match"),
    no_refund("ACQ.REFUND_AMT_NOT_EQUAL_TOTAL", "above the amount that is left of the trade"),
    no_refund("ACQ.REASON_TRADE_REFUND_FEE_ERR", "the amount is not possible for this trade"),
    no_refund("ACQ.REFUND_FEE_ERROR", "the amount is not possible for this trade"),
    {.code = "ACQ.CURRENCY_NOT_SUPPORT",
     .send = E::failed,
     .pay = E::failed,
     .capture = E::failed,
     .refund = R::refused,
     .reason = "the contract does not cover the currency, or the trade is in another one"},
    no_refund("ACQ.NOT_ALLOW_PARTIAL_REFUND", "this trade can only be refunded in full"),
    no_refund("ACQ.TRADE_NOT_ALLOW_REFUND", "this trade cannot be refunded"),
    no_refund("ACQ.ONLINE_TRADE_VOUCHER_NOT_ALLOW_REFUND", "a non-refundable voucher was used: settle outside Alipay"),
    no_refund("ACQ.TRADE_HAS_FINISHED", "the refund period has ended"),
    no_refund("ACQ.REASON_TRADE_BEEN_FREEZEN", "the trade is frozen: an operator must investigate"),
    // The payer's account is closed, frozen or missing: an operator must refund the payer outside Alipay.
    {.code = "ACQ.BUYER_NOT_EXIST",
     .send = E::failed,
     .refund = R::refused,
     .reason = "the payer does not exist (any more)"},
    {.code = "ACQ.BUYER_ENABLE_STATUS_FORBID",
     .send = E::failed,
     .refund = R::refused,
     .reason = "the payer's account is not usable"},
    no_refund("ACQ.BUYER_ERROR", "the payer's account is not usable"),
    no_refund("ACQ.CUSTOMER_VALIDATE_ERROR", "the payer's account is closed or frozen: settle outside Alipay"),

    // Code 40004, from alipay.trade.pay with auth_no (转支付). The worker sends a capture only if no trade has its
    // out_trade_no. Alipay does not document in which order it checks a repeated number and the hold, so an earlier
    // request can be the reason of the refusal of a repeated one: the capture fails only after another query.
    no_capture("ACQ.AUTH_NO_ERROR", "the authorization does not exist or is not the payer's"),
    no_capture("ACQ.AUTH_AMOUNT_NOT_ENOUGH", "above the amount that is held"),
    no_capture("ACQ.REQUEST_AMOUNT_EXCEED", "above the amount that is held"),
    no_capture("ACQ.AUTH_ORDER_NOT_PAID", "nothing is held: the payer has not authorized"),
    no_capture("ACQ.AUTH_ORDER_HAS_FINISHED", "nothing is held any more: all was captured or released"),
    no_capture("ACQ.AUTH_ORDER_HAS_CLOSED", "nothing is held any more: released, cancelled or lapsed"),
    no_capture("ACQ.PRE_AUTH_PROD_CODE_INCONSISTENT", "product_code is not that of the authorization"),
    no_capture("ACQ.ZM_AUTH_AMOUNT_EXCEED", "above the credit"),
    no_capture("ACQ.ZM_CREDIT_AUTH_FAIL", "the credit was refused"),
    no_capture("ACQ.ZM_AUTH_RULE_LIMIT", "the rules of the credit do not allow it"),

    // Code 40004, from the methods alipay.fund.auth.*; the sub_codes have no prefix. Sources: the error models of these
    // methods in the official SDK (alipay-sdk-php-all, v3/src/Model/AlipayFundAuth*ErrorResponseModel).
    proves_nothing("SYSTEM_ERROR", "the result is unknown to Alipay itself"),
    not_valid("ILLEGAL_ARGUMENT", "Alipay checks parameters before any effect, and would reject them again"),
    no_authorization("AUTH_ORDER_NOT_EXIST", "the authorization does not exist (yet)"),
    no_authorization("AUTH_OPERATION_NOT_EXIST", "the freeze does not exist (yet)"),
    // About an existing authorization. Only a query returns its state.
    proves_nothing("FREEZE_ALREADY_SUCCESS", "the amount is held; a query returns it"),
    proves_nothing("ORDER_ALREADY_CLOSED", "the authorization is closed; a query returns the totals"),
    proves_nothing("ORDER_ALREADY_FINISH", "the authorization has ended; a query returns the totals"),
    proves_nothing("ILLEGAL_STATUS", "the authorization is not in a state for this; a query returns it"),
    proves_nothing("UNIQUE_VIOLATION", "the number was used with another content, which may have had an effect"),
    another_release("REQUEST_AMOUNT_EXCEED", "above the amount that is held, or cancelled after a release"),
    another_release("CANCEL_OPERATION_TIME_OUT", "too late to cancel: released by an unfreeze"),
    // The payer: nothing is held, and the payer may use another channel.
    no_freeze("MONEY_NOT_ENOUGH", "the payer's balance is insufficient"),
    no_freeze("PAYMENT_AUTH_CODE_INVALID", "the payer's code has been used or has expired"),
    no_freeze("ERROR_BALANCE_PAYMENT_DISABLE", "the payer has disabled payment by balance"),
    no_freeze("USER_FACE_PAYMENT_SWITCH_OFF", "the payer has disabled payment by code"),
    no_freeze("PULL_MOBILE_CASHIER_FAIL", "the payer's app did not open"),
    no_freeze("NO_PAYMENT_INSTRUMENTS_AVAILABLE", "the payer has no payment method"),
    no_freeze("CLIENT_VERSION_NOT_MATCH", "the payer's app is too old"),
    no_freeze("USER_BANKCARD_CANCELED", "the payer's card is not usable"),
    no_freeze("USER_BANKCARD_EXPRESS_ERROR", "the payer's card is not usable"),
    no_freeze("USER_BANKCARD_FROZEN", "the payer's card is not usable"),
    no_freeze("USER_BANKCARD_PAY_ERROR", "the payer's card is not usable"),
    no_freeze("USER_BANKCARD_REPORT_LOSS", "the payer's card is not usable"),
    no_freeze("USER_BANKCARD_STATUS_ERROR", "the payer's card is not usable"),
    no_freeze("USER_IDENTITY_INFO_VALIDATE_FAIL", "the payer is not the one that the request names"),
    no_freeze("USER_ACCOUNT_VALIDATE_FAIL", "the payer is not the one that the request names"),
    no_freeze("SMILE_PRE_AUTH_ZM_CONSULT_FAIL", "the payer's credit was refused"),
    no_fund_auth("PAYER_NOT_EXIST", "the payer does not exist (any more): settle outside Alipay"),
    no_fund_auth("PAYER_USER_STATUS_LIMIT", "the payer's account is not usable"),
    // The merchant or the contract.
    no_freeze("EXIST_FORBIDDEN_WORD", "the subject contains a forbidden word"),
    configuration_error("ACCESS_FORBIDDEN", "the contract lacks this product"),
    configuration_error("HAS_NO_PRIVILEGE", "the contract lacks this product"),
    no_freeze("PAYEE_NOT_EXIST", "the seller does not exist"),
    no_freeze("PAYEE_USER_STATUS_LIMIT", "the seller's account is not usable"),
    no_freeze("ILLEGAL_PAYEE_USER_ID", "the contract does not cover the seller's account"),
    no_freeze("PAYER_PAYEE_EQUAL", "payer and seller are the same"),
    no_freeze("PRODUCT_AMOUNT_LIMIT_ERROR", "above the product's limit"),
    no_freeze("UNSUPPORT_ORDER_AMOUNT", "the contract does not cover the amount"),
    no_freeze("UNSUPPORTED_BIZ_TYPE", "the contract does not cover this business"),
    no_freeze("MERCHANT_STATUS_ERROR", "the merchant must be activated again"),
    no_freeze("SECONDARY_MERCHANT_STATUS_ERROR", "the secondary merchant must not take payments"),
    no_freeze("SUB_MERCHANT_ORGANIZATION_ID_ERROR", "the secondary merchant is not valid"),
    no_freeze("SUB_MERCHANT_ORG_ID_ERROR", "the same, as an older page spells it"),
    no_freeze("SUB_MERCHANT_LEVEL_ERROR", "the secondary merchant's level is too low"),
    no_freeze("SUB_MERCHANT_NO_PERMISSION", "the secondary merchant lacks this product"),
    no_freeze("FORBIDDEN_MERCHANT_INDUSTRY", "the merchant's industry is excluded"),
    no_freeze("RESTRICTED_MERCHANT_INDUSTRY", "above the limit of the merchant's industry"),
    no_freeze("CURRENCY_VERIFICATION_FAIL", "the contract does not cover the currency"),
    no_freeze("FOREX_ID_VERIFICATION_FAIL", "the payer's identity is not verified for this currency"),
    no_fund_auth("BIZ_ERROR", "the authorization is used elsewhere: an operator must investigate"),
    proves_nothing("ENTERPRISE_PAY_BIZ_ERROR", "the query failed"),
};

constexpr CodeMeaning kUnlisted = proves_nothing("", "the code is not listed");

/// A code that suggests a misconfiguration, and a hint which settings the operator should check.
struct Blame {
  std::string_view code;
  std::string_view settings;
};
constexpr std::string_view kAddress = "check url: the response is not from Alipay's gateway";
constexpr std::string_view kOwnKey =
    "check private_key_file: its public key must be registered in Alipay's portal for the application app_id";
constexpr std::string_view kApplication = "check app_id, and the application's products in Alipay's portal";
constexpr std::string_view kSeller = "check seller_id: it must be an account that the contract covers";
constexpr Blame kBlames[] = {
    {"bad_signature",
     "check alipay_public_key_file (or alipay_certificates_file): it must contain Alipay's key, not the application's "
     "own public key"},
    {"unknown_certificate", "check alipay_certificates_file: Alipay signs with another certificate"},
    {"unsigned",
     "check app_id, and private_key_file: its public key must be registered in Alipay's portal for this application"},
    {"isv.invalid-signature", kOwnKey},
    {"isv.missing-signature", kOwnKey},
    {"isv.invalid-app-id", kApplication},
    {"20001", kApplication},
    {"40006", kApplication},
    {"isv.insufficient-isv-permissions", kApplication},
    {"ACQ.ACCESS_FORBIDDEN", kApplication},
    {"ACQ.PARTNER_ERROR", kApplication},
    {"ACCESS_FORBIDDEN", kApplication},
    {"HAS_NO_PRIVILEGE", kApplication},
    {"MERCHANT_STATUS_ERROR", kApplication},
    {"PAYEE_NOT_EXIST", kSeller},
    {"PAYEE_USER_STATUS_LIMIT", kSeller},
    {"ILLEGAL_PAYEE_USER_ID", kSeller},
    {"UNIQUE_VIOLATION",
     "check that no other system sends requests for app_id: the number was used with another content"},
    {"malformed", kAddress},
    {"http_404", kAddress},
    {"http_405", kAddress},
};

// BILL_DATE_BEFORE_REGISTRATION: the day is before the start of the merchant's contract. NO_BILL_DATA: nothing happened
// on that day. BILL_NOT_EXIST: Alipay has no statement of that day, and may have one later. Some of Alipay's pages
// prefix the codes with "isv.".
constexpr StatementMeaning kStatementMeanings[] = {
    {"NO_BILL_DATA", StatementRefusal::empty_day, {}},
    {"BILL_DATE_BEFORE_REGISTRATION", StatementRefusal::empty_day, {}},
    {"BILL_NOT_EXIST", StatementRefusal::not_ready, {}},
    {"isv.bill-not-exist", StatementRefusal::not_ready, {}},
    {"TYPE_NOT_SUPPORTED", StatementRefusal::unknown, "the contract does not cover this kind of statement"},
    {"SYSTEM_RATE_LIMIT", StatementRefusal::unknown, "Alipay is busy: try again later"},
    {"USER_RATE_LIMIT", StatementRefusal::unknown, "too many statement requests: try again later"},
    {"INVAILID_ARGUMENTS", StatementRefusal::unknown, "Alipay rejects this day or kind"},
};

constexpr StatementMeaning kUnlistedStatement{};

}  // namespace

const CodeMeaning& meaning_of(std::string_view code, std::string_view sub_code) {
  // With code 20000 the result is unknown for every sub_code.
  if (code == kUnavailable) sub_code = {};
  for (const std::string_view key : {sub_code, code}) {
    const auto* at = std::ranges::find(kMeanings, key, &CodeMeaning::code);
    if (!key.empty() && at != std::end(kMeanings)) return *at;
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
