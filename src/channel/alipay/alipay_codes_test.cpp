#include "channel/alipay/alipay_codes.h"

#include <gtest/gtest.h>

#include <set>

namespace finality::alipay {
namespace {

TEST(AlipayCodes, EveryCodeStandsOnceAndHasItsReason) {
  std::set<std::string_view> seen;
  for (const CodeMeaning& row : code_meanings()) {
    EXPECT_TRUE(seen.insert(row.code).second) << row.code;
    EXPECT_FALSE(row.reason.empty()) << row.code;
  }
}

TEST(AlipayCodes, ARefusalNeverProvesMoney) {
  for (const CodeMeaning& row : code_meanings()) {
    EXPECT_TRUE(row.send == EvidenceKind::unknown || row.send == EvidenceKind::failed) << row.code;
    EXPECT_TRUE(row.ask == EvidenceKind::unknown || row.ask == EvidenceKind::absent) << row.code;
    EXPECT_TRUE(row.refund == RefundEvidenceKind::unknown || row.refund == RefundEvidenceKind::refused) << row.code;
    EXPECT_TRUE(row.ask_refund == RefundEvidenceKind::unknown || row.ask_refund == RefundEvidenceKind::absent)
        << row.code;
  }
}

TEST(AlipayCodes, MeanWhatTheTableOfTheProtocolSays) {
  using E = EvidenceKind;
  using R = RefundEvidenceKind;
  struct Case {
    const char* code;
    const char* sub_code;
    E send;
    E ask;
    R refund;
    R ask_refund;
  };
  const Case cases[] = {
      {"20000", "isp.unknow-error", E::unknown, E::unknown, R::unknown, R::unknown},
      {"20000", "aop.unknow-error", E::unknown, E::unknown, R::unknown, R::unknown},
      {"20001", "aop.invalid-auth-token", E::failed, E::unknown, R::unknown, R::unknown},
      {"40001", "isv.missing-method", E::failed, E::unknown, R::unknown, R::unknown},
      {"40002", "isv.invalid-parameter", E::failed, E::unknown, R::refused, R::unknown},
      {"40002", "isv.invalid-signature", E::failed, E::unknown, R::unknown, R::unknown},
      {"40002", "isv.invalid-app-id", E::failed, E::unknown, R::unknown, R::unknown},
      {"40002", "isv.invalid-app-cert-sn", E::failed, E::unknown, R::unknown, R::unknown},
      {"40003", "isv.whatever", E::failed, E::unknown, R::refused, R::unknown},
      {"40005", "isv.app-call-limited", E::unknown, E::unknown, R::unknown, R::unknown},
      {"40006", "isv.insufficient-isv-permissions", E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.SYSTEM_ERROR", E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "AQC.SYSTEM_ERROR", E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.TRADE_NOT_EXIST", E::unknown, E::absent, R::refused, R::absent},
      {"40004", "ACQ.TRADE_HAS_SUCCESS", E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.TRADE_HAS_CLOSE", E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.CONTEXT_INCONSISTENT", E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.TOTAL_FEE_EXCEED", E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.PAYMENT_AUTH_CODE_INVALID", E::failed, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.TRADE_STATUS_ERROR", E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.REASON_TRADE_STATUS_INVALID", E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.SELLER_BALANCE_NOT_ENOUGH", E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.REFUND_CHARGE_ERROR", E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.DISCORDANT_REPEAT_REQUEST", E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "ACQ.REFUND_AMT_NOT_EQUAL_TOTAL", E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.TRADE_HAS_FINISHED", E::unknown, E::unknown, R::refused, R::unknown},
      {"40004", "ACQ.SOMETHING_NEW", E::unknown, E::unknown, R::unknown, R::unknown},
      {"40004", "", E::unknown, E::unknown, R::unknown, R::unknown},
      {"50000", "", E::unknown, E::unknown, R::unknown, R::unknown},
      {"", "", E::unknown, E::unknown, R::unknown, R::unknown},
  };
  for (const Case& row : cases) {
    const CodeMeaning& meaning = meaning_of(row.code, row.sub_code);
    EXPECT_EQ(meaning.send, row.send) << row.code << ' ' << row.sub_code;
    EXPECT_EQ(meaning.ask, row.ask) << row.code << ' ' << row.sub_code;
    EXPECT_EQ(meaning.refund, row.refund) << row.code << ' ' << row.sub_code;
    EXPECT_EQ(meaning.ask_refund, row.ask_refund) << row.code << ' ' << row.sub_code;
  }
}

TEST(AlipayCodes, AServiceThatWasNotAvailableKnowsNoDetail) {
  for (const CodeMeaning& meaning : code_meanings()) {
    const CodeMeaning& said = meaning_of("20000", meaning.code);
    EXPECT_EQ(said.send, EvidenceKind::unknown) << meaning.code;
    EXPECT_EQ(said.ask, EvidenceKind::unknown) << meaning.code;
    EXPECT_EQ(said.refund, RefundEvidenceKind::unknown) << meaning.code;
    EXPECT_EQ(said.ask_refund, RefundEvidenceKind::unknown) << meaning.code;
  }
}

TEST(AlipayCodes, StatementsAreNoneOrHaveAdvice) {
  EXPECT_TRUE(statement_meaning_of("NO_BILL_DATA").is_none);
  EXPECT_FALSE(statement_meaning_of("INVAILID_ARGUMENTS").is_none);
  EXPECT_TRUE(statement_meaning_of("INVAILID_ARGUMENTS").advice.contains("day or kind"));
  EXPECT_FALSE(statement_meaning_of("ACQ.SYSTEM_ERROR").is_none);
  EXPECT_TRUE(statement_meaning_of("ACQ.SYSTEM_ERROR").advice.empty());
}

}  // namespace
}  // namespace finality::alipay
