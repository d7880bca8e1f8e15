#include "channel/wechatpay/codes.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/described.h"

namespace finality::wechatpay {
namespace {

using enum EvidenceKind;
using R = RefundEvidenceKind;

struct Row {
  const char* code;
  EvidenceKind send = unknown;
  EvidenceKind query = unknown;
  EvidenceKind close = unknown;
  R refund = R::unknown;
  R refund_query = R::unknown;
};

// Every code on WeChat's pages, in every spelling on these pages, with the expected evidence.
const std::vector<Row> kRows = {
    {"USERPAYING"},
    {"PARAM_ERROR", failed, unknown, unknown, R::refused},
    {"INVALID_REQUEST", unknown, unknown, unknown, R::refused},
    {"APPID_MCHID_NOT_MATCH", failed},
    {"MCH_NOT_EXISTS", failed, unknown, unknown, R::refused},
    {"ORDER_CLOSED"},
    {"ORDERCLOSED"},
    {"ORDERPAID"},
    {"ORDER_PAID"},
    {"SIGN_ERROR"},
    {"NO_AUTH", failed, unknown, unknown, R::refused},
    {"NOAUTH", failed, unknown, unknown, R::refused},
    {"ACCOUNT_ERROR", failed},
    {"ACCOUNTERROR", failed},
    {"OUT_TRADE_NO_USED"},
    {"RULE_LIMIT"},
    {"RULELIMIT"},
    {"TRADE_ERROR"},
    {"TRADEERROR"},
    {"NOT_ENOUGH", unknown, unknown, unknown, R::not_now},
    {"NOTENOUGH", unknown, unknown, unknown, R::not_now},
    {"USER_ACCOUNT_ABNORMAL", unknown, unknown, unknown, R::refused},
    {"REQUEST_BLOCKED", unknown, unknown, unknown, R::refused},
    {"ORDER_NOT_EXIST", unknown, not_found, not_found, R::refused},
    {"ORDERNOTEXIST", unknown, not_found, not_found, R::refused},
    {"RESOURCE_NOT_EXISTS", unknown, unknown, unknown, R::refused, R::not_found},
    {"FREQUENCY_LIMITED", unknown, unknown, unknown, R::not_now},
    {"RATELIMIT_EXCEEDED", unknown, unknown, unknown, R::not_now},
    {"RATE_LIMIT_EXCEEDED", unknown, unknown, unknown, R::not_now},
    {"INVALID_REQ_TOO_MUCH", unknown, unknown, unknown, R::not_now},
    {"BIZERR_NEED_RETRY", unknown, unknown, unknown, R::not_now},
    {"ORDER_NOT_READY", unknown, unknown, unknown, R::not_now},
    {"TRADE_OVERDUE", unknown, unknown, unknown, R::refused},
    {"REFUND_FEE_MISMATCH"},
    {"SYSTEM_ERROR"},
    {"SYSTEMERROR"},
    {"BANK_ERROR"},
    {"BANKERROR"},
    {"INVALID_TRANSACTIONID"},
    {"OPENID_MISMATCH", failed},
    {"SOMETHING_NEW"},
    {""},
    {"_"},
    {"param_error"},
};

TEST(WechatpayCodes, EveryCodeHasItsMeaningForEveryCall) {
  for (const Row& row : kRows) {
    EXPECT_EQ(meaning_of(row.code, ChannelCallKind::send_payment), row.send) << row.code;
    EXPECT_EQ(meaning_of(row.code, ChannelCallKind::query_payment), row.query) << row.code;
    EXPECT_EQ(meaning_of(row.code, ChannelCallKind::close_payment), row.close) << row.code;
    EXPECT_EQ(meaning_of(row.code, RefundCallKind::send_refund), row.refund) << row.code;
    EXPECT_EQ(meaning_of(row.code, RefundCallKind::query_refund), row.refund_query) << row.code;
  }
}

// WeChat's page: "A refund that has failed is submitted again under its own number." A second out_refund_no could
// refund twice.
TEST(WechatpayCodes, NoRefusalInvalidatesTheNumberOfARefund) {
  for (const Row& row : kRows) {
    EXPECT_NE(meaning_of(row.code, RefundCallKind::send_refund), R::try_again) << row.code;
    EXPECT_NE(meaning_of(row.code, RefundCallKind::query_refund), R::not_now)
        << row.code << ": a query is not a refund request";
  }
}

// WeChat does not sign refusals. Only a signed response may prove that money moved or that a trade has ended.
TEST(WechatpayCodes, NoRefusalProvesThatMoneyMovedOrThatATradeHasEnded) {
  for (const Row& row : kRows) {
    for (const ChannelCallKind call :
         {ChannelCallKind::send_payment, ChannelCallKind::query_payment, ChannelCallKind::close_payment}) {
      const EvidenceKind kind = meaning_of(row.code, call);
      EXPECT_TRUE(kind == unknown || kind == not_found || kind == failed) << row.code;
      EXPECT_TRUE(kind != failed || call == ChannelCallKind::send_payment) << row.code;
      EXPECT_TRUE(kind != not_found || call != ChannelCallKind::send_payment) << row.code;
    }
    EXPECT_NE(meaning_of(row.code, RefundCallKind::send_refund), R::refunded) << row.code;
    const R query_kind = meaning_of(row.code, RefundCallKind::query_refund);
    EXPECT_TRUE(query_kind == R::unknown || query_kind == R::not_found) << row.code;
  }
}

}  // namespace
}  // namespace finality::wechatpay
