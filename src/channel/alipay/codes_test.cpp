#include "channel/alipay/codes.h"

#include <gtest/gtest.h>

#include <set>

namespace finality::alipay {
namespace {

TEST(AlipayCodes, EveryCodeIsUniqueAndHasAReason) {
  std::set<std::string_view> seen;
  for (const CodeMeaning& row : code_meanings()) {
    EXPECT_TRUE(seen.insert(row.code).second) << row.code;
    EXPECT_FALSE(row.reason.empty()) << row.code;
  }
}

TEST(AlipayCodes, ARefusalNeverProvesMoney) {
  using R = RefundEvidenceKind;
  using A = AuthorizationEvidenceKind;
  for (const CodeMeaning& row : code_meanings()) {
    EXPECT_TRUE(row.send == EvidenceKind::unknown || row.send == EvidenceKind::failed) << row.code;
    EXPECT_TRUE(row.query == EvidenceKind::unknown || row.query == EvidenceKind::not_found) << row.code;
    EXPECT_TRUE(row.pay == EvidenceKind::unknown || row.pay == EvidenceKind::failed) << row.code;
    EXPECT_TRUE(row.refund == R::unknown || row.refund == R::refused || row.refund == R::not_now) << row.code;
    EXPECT_TRUE(row.query_refund == R::unknown || row.query_refund == R::not_found) << row.code;
    EXPECT_TRUE(row.capture == EvidenceKind::unknown || row.capture == EvidenceKind::failed) << row.code;
    EXPECT_TRUE(row.freeze == A::unknown || row.freeze == A::failed) << row.code;
    EXPECT_TRUE(row.query_freeze == A::unknown || row.query_freeze == A::not_found) << row.code;
    EXPECT_TRUE(row.release == A::unknown || row.release == A::not_found || row.release == A::release_refused ||
                row.release == A::release_again)
        << row.code;
  }
}

// A code that is final for a pay, which creates a trade, is also final for a precreate, which creates no trade.
TEST(AlipayCodes, ACodeThatEndsAPayAlsoEndsAPrecreate) {
  for (const CodeMeaning& row : code_meanings())
    EXPECT_TRUE(row.pay == EvidenceKind::unknown || row.send == EvidenceKind::failed) << row.code;
}

TEST(AlipayCodes, MeaningsMatchTheProtocolTable) {
  using E = EvidenceKind;
  using R = RefundEvidenceKind;
  struct Case {
    const char* code;
    const char* sub_code;
    E send;
    E pay;
    E query;
    R refund;
    R query_refund;
  };
  const Case cases[] = {
      {"20000", "isp.unknow-error", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"20000", "aop.unknow-error", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"20001", "aop.invalid-auth-token", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40001", "isv.missing-method", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40002", "isv.invalid-parameter", E::failed, E::failed, E::unknown, R::refused, R::unknown},
      {"40002", "isv.invalid-signature", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40002", "isv.invalid-app-id", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40002", "isv.invalid-app-cert-sn", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40003", "isv.whatever", E::failed, E::failed, E::unknown, R::refused, R::unknown},
      {"40005", "isv.app-call-limited", E::unknown, E::unknown, E::unknown, R::not_now, R::unknown},
      {"40006", "isv.insufficient-isv-permissions", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.SYSTEM_ERROR", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "AQC.SYSTEM_ERROR", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.TRADE_NOT_EXIST", E::unknown, E::unknown, E::not_found, R::refused, R::not_found},
      {"40004", "ACQ.TRADE_HAS_SUCCESS", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.TRADE_HAS_CLOSE", E::unknown, E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.CONTEXT_INCONSISTENT", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.TOTAL_FEE_EXCEED", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.PAYMENT_AUTH_CODE_INVALID", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.TRADE_STATUS_ERROR", E::unknown, E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.REASON_TRADE_STATUS_INVALID", E::unknown, E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.SELLER_BALANCE_NOT_ENOUGH", E::unknown, E::unknown, E::unknown, R::not_now, R::unknown},
      {"40004", "ACQ.REFUND_CHARGE_ERROR", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.DISCORDANT_REPEAT_REQUEST", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.REFUND_AMT_NOT_EQUAL_TOTAL", E::unknown, E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.TRADE_HAS_FINISHED", E::unknown, E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.AMOUNT_OR_CURRENCY_ERROR", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.EXIST_FORBIDDEN_WORD", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.SUB_GOODS_SIZE_MAX_COUNT", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.RISK_MERCHANT_IP_NOT_EXIST", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.ACCESS_FORBIDDEN", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.UN_SUPPORT_TRADE_SCENE", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.PARTNER_ERROR", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.MERCHANT_AGREEMENT_NOT_EXIST", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.MERCHANT_AGREEMENT_INVALID", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.MERCHANT_STATUS_NOT_NORMAL", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.DEFAULT_SETTLE_RULE_NOT_EXIST", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.SELLER_NOT_EXIST", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.INVALID_RECEIVE_ACCOUNT", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.INVALID_STORE_ID", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.SUB_MERCHANT_CREATE_FAIL", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.SUB_MERCHANT_TYPE_INVALID", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.SECONDARY_MERCHANT_ID_BLANK", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.SECONDARY_MERCHANT_ID_INVALID", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.SECONDARY_MERCHANT_NOT_MATCH", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.SECONDARY_MERCHANT_STATUS_ERROR", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.SECONDARY_MERCHANT_ALIPAY_ACCOUNT_INVALID", E::failed, E::failed, E::unknown, R::unknown,
       R::unknown},
      {"40004", "ACQ.SECONDARY_MERCHANT_ISV_PUNISH_INDIRECT", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.PLATFORM_BUSINESS_ACQUIRE_MODE_MUST_MERCHANT_ID", E::failed, E::failed, E::unknown, R::unknown,
       R::unknown},
      {"40004", "ACQ.AUTH_TOKEN_IS_NOT_EXIST", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.BUYER_SELLER_EQUAL", E::failed, E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.SELLER_BEEN_BLOCKED", E::failed, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.BEYOND_PAY_RESTRICTION", E::failed, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.BEYOND_PER_RECEIPT_RESTRICTION", E::failed, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.BEYOND_PER_RECEIPT_DAY_RESTRICTION", E::failed, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.BEYOND_PER_RECEIPT_SINGLE_RESTRICTION", E::failed, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.MERCHANT_PERM_RECEIPT_SUSPEND_LIMIT", E::failed, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.MERCHANT_PERM_RECEIPT_SINGLE_LIMIT", E::failed, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.MERCHANT_PERM_RECEIPT_DAY_LIMIT", E::failed, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.PRODUCT_AMOUNT_LIMIT_ERROR", E::failed, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.RESTRICTED_MERCHANT_INDUSTRY", E::failed, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.BUYER_PAYMENT_AMOUNT_DAY_LIMIT_ERROR", E::failed, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.BUYER_PAYMENT_AMOUNT_MONTH_LIMIT_ERROR", E::failed, E::unknown, E::unknown, R::unknown,
       R::unknown},
      {"40004", "ACQ.ERROR_BUYER_CERTIFY_LEVEL_LIMIT", E::failed, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.BUYER_NOT_MAINLAND_CERT", E::failed, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.NOT_CERTIFIED_USER", E::failed, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.PAYER_UNMATCHED", E::failed, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.PAYMENT_FAIL", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.BUYER_BALANCE_NOT_ENOUGH", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.BUYER_BANKCARD_BALANCE_NOT_ENOUGH", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.ERROR_BALANCE_PAYMENT_DISABLE", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.MOBILE_PAYMENT_SWITCH_OFF", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.USER_FACE_PAYMENT_SWITCH_OFF", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.PULL_MOBILE_CASHIER_FAIL", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.PAYMENT_REQUEST_HAS_RISK", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.NO_PAYMENT_INSTRUMENTS_AVAILABLE", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.NOT_SUPPORT_PAYMENT_INST", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.USER_LOGONID_DUP", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.TRADE_BUYER_NOT_MATCH", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.NOW_TIME_AFTER_EXPIRE_TIME_ERROR", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.APPLY_PC_MERCHANT_CODE_ERROR", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.TRADE_SETTLE_ERROR", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.USER_NOT_MATCH_ERR", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.AGREEMENT_NOT_EXIST", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.REFUND_ACCOUNT_NOT_EXIST", E::unknown, E::unknown, E::unknown, R::not_now, R::unknown},
      {"40004", "ACQ.CURRENCY_NOT_SUPPORT", E::failed, E::failed, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.BUYER_NOT_EXIST", E::failed, E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.BUYER_ENABLE_STATUS_FORBID", E::failed, E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.REFUND_FEE_ERROR", E::unknown, E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.REASON_TRADE_REFUND_FEE_ERR", E::unknown, E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.NOT_ALLOW_PARTIAL_REFUND", E::unknown, E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.TRADE_NOT_ALLOW_REFUND", E::unknown, E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.ONLINE_TRADE_VOUCHER_NOT_ALLOW_REFUND", E::unknown, E::unknown, E::unknown, R::refused,
       R::unknown},
      {"40004", "ACQ.REASON_TRADE_BEEN_FREEZEN", E::unknown, E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.REASON_ILLEGAL_STATUS", E::unknown, E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.BUYER_ERROR", E::unknown, E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.CUSTOMER_VALIDATE_ERROR", E::unknown, E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.SOMETHING_NEW", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"50000", "", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
      {"", "", E::unknown, E::unknown, E::unknown, R::unknown, R::unknown},
  };
  for (const Case& row : cases) {
    const CodeMeaning& meaning = meaning_of(row.code, row.sub_code);
    EXPECT_EQ(meaning.send, row.send) << row.code << ' ' << row.sub_code;
    EXPECT_EQ(meaning.pay, row.pay) << row.code << ' ' << row.sub_code;
    EXPECT_EQ(meaning.query, row.query) << row.code << ' ' << row.sub_code;
    EXPECT_EQ(meaning.refund, row.refund) << row.code << ' ' << row.sub_code;
    EXPECT_EQ(meaning.query_refund, row.query_refund) << row.code << ' ' << row.sub_code;
  }
}

TEST(AlipayCodes, MeaningsForAuthorizationsMatchTheProtocolTable) {
  using A = AuthorizationEvidenceKind;
  struct Case {
    const char* code;
    const char* sub_code;
    A freeze;
    A query_freeze;
    A release;
  };
  const Case cases[] = {
      {"40004", "SYSTEM_ERROR", A::unknown, A::unknown, A::unknown},
      {"40004", "FREEZE_ALREADY_SUCCESS", A::unknown, A::unknown, A::unknown},
      {"40004", "ORDER_ALREADY_CLOSED", A::unknown, A::unknown, A::unknown},
      {"40004", "ORDER_ALREADY_FINISH", A::unknown, A::unknown, A::unknown},
      {"40004", "ILLEGAL_STATUS", A::unknown, A::unknown, A::unknown},
      {"40004", "UNIQUE_VIOLATION", A::unknown, A::unknown, A::unknown},
      {"40004", "ENTERPRISE_PAY_BIZ_ERROR", A::unknown, A::unknown, A::unknown},
      {"40004", "SOMETHING_NEW", A::unknown, A::unknown, A::unknown},
      {"40004", "MONEY_NOT_ENOUGH", A::failed, A::unknown, A::unknown},
      {"40004", "PAYMENT_AUTH_CODE_INVALID", A::failed, A::unknown, A::unknown},
      {"40004", "ERROR_BALANCE_PAYMENT_DISABLE", A::failed, A::unknown, A::unknown},
      {"40004", "USER_FACE_PAYMENT_SWITCH_OFF", A::failed, A::unknown, A::unknown},
      {"40004", "PULL_MOBILE_CASHIER_FAIL", A::failed, A::unknown, A::unknown},
      {"40004", "NO_PAYMENT_INSTRUMENTS_AVAILABLE", A::failed, A::unknown, A::unknown},
      {"40004", "CLIENT_VERSION_NOT_MATCH", A::failed, A::unknown, A::unknown},
      {"40004", "USER_BANKCARD_CANCELED", A::failed, A::unknown, A::unknown},
      {"40004", "USER_BANKCARD_EXPRESS_ERROR", A::failed, A::unknown, A::unknown},
      {"40004", "USER_BANKCARD_FROZEN", A::failed, A::unknown, A::unknown},
      {"40004", "USER_BANKCARD_PAY_ERROR", A::failed, A::unknown, A::unknown},
      {"40004", "USER_BANKCARD_REPORT_LOSS", A::failed, A::unknown, A::unknown},
      {"40004", "USER_BANKCARD_STATUS_ERROR", A::failed, A::unknown, A::unknown},
      {"40004", "USER_IDENTITY_INFO_VALIDATE_FAIL", A::failed, A::unknown, A::unknown},
      {"40004", "USER_ACCOUNT_VALIDATE_FAIL", A::failed, A::unknown, A::unknown},
      {"40004", "SMILE_PRE_AUTH_ZM_CONSULT_FAIL", A::failed, A::unknown, A::unknown},
      {"40004", "EXIST_FORBIDDEN_WORD", A::failed, A::unknown, A::unknown},
      {"40004", "ACCESS_FORBIDDEN", A::failed, A::unknown, A::unknown},
      {"40004", "HAS_NO_PRIVILEGE", A::failed, A::unknown, A::unknown},
      {"40004", "PAYEE_NOT_EXIST", A::failed, A::unknown, A::unknown},
      {"40004", "PAYEE_USER_STATUS_LIMIT", A::failed, A::unknown, A::unknown},
      {"40004", "ILLEGAL_PAYEE_USER_ID", A::failed, A::unknown, A::unknown},
      {"40004", "PAYER_PAYEE_EQUAL", A::failed, A::unknown, A::unknown},
      {"40004", "PRODUCT_AMOUNT_LIMIT_ERROR", A::failed, A::unknown, A::unknown},
      {"40004", "UNSUPPORT_ORDER_AMOUNT", A::failed, A::unknown, A::unknown},
      {"40004", "UNSUPPORTED_BIZ_TYPE", A::failed, A::unknown, A::unknown},
      {"40004", "MERCHANT_STATUS_ERROR", A::failed, A::unknown, A::unknown},
      {"40004", "SECONDARY_MERCHANT_STATUS_ERROR", A::failed, A::unknown, A::unknown},
      {"40004", "SUB_MERCHANT_ORGANIZATION_ID_ERROR", A::failed, A::unknown, A::unknown},
      {"40004", "SUB_MERCHANT_ORG_ID_ERROR", A::failed, A::unknown, A::unknown},
      {"40004", "SUB_MERCHANT_LEVEL_ERROR", A::failed, A::unknown, A::unknown},
      {"40004", "SUB_MERCHANT_NO_PERMISSION", A::failed, A::unknown, A::unknown},
      {"40004", "FORBIDDEN_MERCHANT_INDUSTRY", A::failed, A::unknown, A::unknown},
      {"40004", "RESTRICTED_MERCHANT_INDUSTRY", A::failed, A::unknown, A::unknown},
      {"40004", "CURRENCY_VERIFICATION_FAIL", A::failed, A::unknown, A::unknown},
      {"40004", "FOREX_ID_VERIFICATION_FAIL", A::failed, A::unknown, A::unknown},
      {"40004", "PAYER_NOT_EXIST", A::failed, A::unknown, A::release_refused},
      {"40004", "PAYER_USER_STATUS_LIMIT", A::failed, A::unknown, A::release_refused},
      {"40004", "BIZ_ERROR", A::failed, A::unknown, A::release_refused},
      {"40004", "ILLEGAL_ARGUMENT", A::failed, A::unknown, A::release_refused},
      {"40004", "REQUEST_AMOUNT_EXCEED", A::unknown, A::unknown, A::release_again},
      {"40004", "CANCEL_OPERATION_TIME_OUT", A::unknown, A::unknown, A::release_again},
      {"40004", "AUTH_ORDER_NOT_EXIST", A::unknown, A::not_found, A::not_found},
      {"40004", "AUTH_OPERATION_NOT_EXIST", A::unknown, A::not_found, A::not_found},
      {"20000", "isp.unknow-error", A::unknown, A::unknown, A::unknown},
      {"40002", "isv.invalid-parameter", A::failed, A::unknown, A::release_refused},
      {"40002", "isv.invalid-signature", A::failed, A::unknown, A::unknown},
      {"40005", "isv.app-call-limited", A::unknown, A::unknown, A::unknown},
      {"40006", "isv.insufficient-isv-permissions", A::failed, A::unknown, A::unknown},
  };
  for (const Case& row : cases) {
    const CodeMeaning& meaning = meaning_of(row.code, row.sub_code);
    EXPECT_EQ(meaning.freeze, row.freeze) << row.code << ' ' << row.sub_code;
    EXPECT_EQ(meaning.query_freeze, row.query_freeze) << row.code << ' ' << row.sub_code;
    EXPECT_EQ(meaning.release, row.release) << row.code << ' ' << row.sub_code;
  }
}

TEST(AlipayCodes, MeaningsForCapturesMatchTheProtocolTable) {
  for (const char* code : {"ACQ.AUTH_NO_ERROR", "ACQ.AUTH_AMOUNT_NOT_ENOUGH", "ACQ.REQUEST_AMOUNT_EXCEED",
                           "ACQ.AUTH_ORDER_NOT_PAID", "ACQ.AUTH_ORDER_HAS_FINISHED", "ACQ.AUTH_ORDER_HAS_CLOSED",
                           "ACQ.PRE_AUTH_PROD_CODE_INCONSISTENT", "ACQ.ZM_AUTH_AMOUNT_EXCEED",
                           "ACQ.ZM_CREDIT_AUTH_FAIL", "ACQ.ZM_AUTH_RULE_LIMIT", "ACQ.BUYER_BALANCE_NOT_ENOUGH",
                           "ACQ.INVALID_PARAMETER", "ACQ.EXIST_FORBIDDEN_WORD", "ACQ.CURRENCY_NOT_SUPPORT"})
    EXPECT_EQ(meaning_of("40004", code).capture, EvidenceKind::failed) << code;
  for (const char* code : {"ACQ.TRADE_HAS_SUCCESS", "ACQ.CONTEXT_INCONSISTENT", "ACQ.SYSTEM_ERROR", "ACQ.PAYMENT_FAIL",
                           "ACQ.TRADE_NOT_EXIST", "ACQ.SOMETHING_NEW"})
    EXPECT_EQ(meaning_of("40004", code).capture, EvidenceKind::unknown) << code;
  EXPECT_EQ(meaning_of("40006", "isv.insufficient-isv-permissions").capture, EvidenceKind::unknown);
  EXPECT_EQ(meaning_of("40005", "isv.app-call-limited").capture, EvidenceKind::unknown);
}

TEST(AlipayCodes, HintsForAuthorizationsNameSettings) {
  for (const char* code : {"ACCESS_FORBIDDEN", "MERCHANT_STATUS_ERROR", "UNIQUE_VIOLATION"})
    EXPECT_TRUE(config_hint(code).contains("app_id")) << code;
  for (const char* code : {"PAYEE_NOT_EXIST", "PAYEE_USER_STATUS_LIMIT", "ILLEGAL_PAYEE_USER_ID"})
    EXPECT_TRUE(config_hint(code).contains("seller_id")) << code;
}

TEST(AlipayCodes, UnavailableServiceIgnoresTheSubCode) {
  for (const CodeMeaning& meaning : code_meanings()) {
    const CodeMeaning& meaning_of_20000 = meaning_of("20000", meaning.code);
    EXPECT_EQ(meaning_of_20000.send, EvidenceKind::unknown) << meaning.code;
    EXPECT_EQ(meaning_of_20000.pay, EvidenceKind::unknown) << meaning.code;
    EXPECT_EQ(meaning_of_20000.query, EvidenceKind::unknown) << meaning.code;
    EXPECT_EQ(meaning_of_20000.refund, RefundEvidenceKind::unknown) << meaning.code;
    EXPECT_EQ(meaning_of_20000.query_refund, RefundEvidenceKind::unknown) << meaning.code;
    EXPECT_EQ(meaning_of_20000.capture, EvidenceKind::unknown) << meaning.code;
    EXPECT_EQ(meaning_of_20000.freeze, AuthorizationEvidenceKind::unknown) << meaning.code;
    EXPECT_EQ(meaning_of_20000.query_freeze, AuthorizationEvidenceKind::unknown) << meaning.code;
    EXPECT_EQ(meaning_of_20000.release, AuthorizationEvidenceKind::unknown) << meaning.code;
  }
}

TEST(AlipayCodes, StatementCodesMeanNoneOrHaveAdvice) {
  EXPECT_EQ(statement_meaning_of("NO_BILL_DATA").refusal, StatementRefusal::empty_day);
  EXPECT_EQ(statement_meaning_of("BILL_NOT_EXIST").refusal, StatementRefusal::not_ready);
  EXPECT_EQ(statement_meaning_of("INVAILID_ARGUMENTS").refusal, StatementRefusal::unknown);
  EXPECT_TRUE(statement_meaning_of("INVAILID_ARGUMENTS").advice.contains("day or kind"));
  EXPECT_EQ(statement_meaning_of("ACQ.SYSTEM_ERROR").refusal, StatementRefusal::unknown);
  EXPECT_TRUE(statement_meaning_of("ACQ.SYSTEM_ERROR").advice.empty());
}

}  // namespace
}  // namespace finality::alipay
