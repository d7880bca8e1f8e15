#include "sandbox/core/settlement.h"

#include <gtest/gtest.h>

#include <boost/json/value.hpp>

#include <string>

namespace finality::sandbox {
namespace {

struct SettlementCase {
  MinorUnits amount;
  const SettlementTerms& terms;
  MinorUnits settled;
  MinorUnits fee;
};

TEST(SettlementTest, RoundsTheAmountDownAndTheFeeUp) {
  const SettlementCase cases[] = {
      {1, kPaymentTerms, 1, 1},
      {1234, kPaymentTerms, 171, 5},
      {1'000'000, kPaymentTerms, 138'742, 4024},
      {1'000'000'000'000'000, kPaymentTerms, 138'742'000'000'000, 4'023'518'000'000},
      {999'999'999'999'999, kPaymentTerms, 138'741'999'999'999, 4'023'518'000'000},
      {1, kRefundTerms, 1, 0},
      {1'000'000, kRefundTerms, 139'155, 0},
  };
  for (const auto& [amount, terms, settled, fee] : cases) {
    const boost::json::object settlement =
        settlement_of(amount, terms, {.currency = "USD", .transaction_no = "sbt1", .settled_at = Time()});
    EXPECT_EQ(settlement.at("amount").as_int64(), settled) << amount;
    EXPECT_EQ(settlement.at("fee").as_int64(), fee) << amount;
    EXPECT_EQ(settlement.at("net").as_int64(), settled - fee) << amount;
  }
}

TEST(SettlementTest, IsAvailableTwoDaysLater) {
  const Time now = parse_rfc3339("2026-09-21T14:13:20.000Z").value();
  const boost::json::object settlement =
      settlement_of(1234, kRefundTerms, {.currency = "EUR", .transaction_no = "sbt1", .settled_at = now});
  EXPECT_EQ(settlement, (boost::json::object{{"amount", 171},
                                             {"currency", "EUR"},
                                             {"fee", 0},
                                             {"net", 171},
                                             {"exchange_rate", "0.1392"},
                                             {"transaction_no", "sbt1"},
                                             {"available_on", "2026-09-23T14:13:20.000Z"}}));
}

}  // namespace
}  // namespace finality::sandbox
