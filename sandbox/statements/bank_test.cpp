#include "sandbox/statements/bank.h"

#include "sandbox/formats/decimal.h"
#include "sandbox/statements/withdrawals.h"
#include "sandbox/testing/test_ledger.h"

namespace finality::sandbox {
namespace {

class BankTest : public TestLedger {
 protected:
  std::vector<BankStatement> statements(std::string_view date) { return bank_statements(ledger_, date, day(date)); }
};

TEST_F(BankTest, AWithdrawalArrivesOnTheNextDay) {
  for (const char* channel : {"sandbox", "alipay"}) set_automatic_withdrawals(ledger_, channel, true);
  pay("order-1", 1000);
  pay("order-2", 2000, "manual", "alipay");
  jump_to("2026-03-05 12:00:00");
  EXPECT_TRUE(statements("2026-03-03").empty());
  const auto found = statements("2026-03-04");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].account, "SANDBOX-CNY");
  EXPECT_EQ(found[0].opening_balance, 0);
  EXPECT_EQ(found[0].closing_balance, 994 + 1988);
  ASSERT_EQ(found[0].entries.size(), 2u);
  EXPECT_EQ(found[0].entries[0].at, at_china("2026-03-04 09:00:00"));
  const auto later = statements("2026-03-05");
  ASSERT_EQ(later.size(), 1u);
  EXPECT_TRUE(later[0].entries.empty());
  EXPECT_EQ(later[0].opening_balance, 994 + 1988);
}

TEST_F(BankTest, AWithdrawalOfADayWithTheFaultNeverArrives) {
  ledger_.statement_tables().add_fault("sandbox", "2026-03-02", DayFault::withdrawal_not_credited);
  pay("order-1", 1000);
  pay("order-2", 2000, "manual", "alipay");
  jump_to("2026-03-02 12:00:00");
  EXPECT_TRUE(withdraw(ledger_, "sandbox", "CNY", 500));
  EXPECT_TRUE(withdraw(ledger_, "alipay", "CNY", 600));
  jump_to("2026-03-03 12:00:00");
  EXPECT_TRUE(withdraw(ledger_, "sandbox", "CNY", 100));
  jump_to("2026-03-06 12:00:00");
  EXPECT_EQ(statements("2026-03-03").at(0).closing_balance, 600);
  EXPECT_EQ(statements("2026-03-05").at(0).closing_balance, 700);
}

TEST_F(BankTest, ATopUpIsADebitAtOnce) {
  add_movement(ledger_, "sandbox", "JPY", MovementType::top_up, 700, "");
  add_movement(ledger_, "sandbox", "JPY", MovementType::penalty, -100, "");
  const auto found = statements("2026-03-02");
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].entries.size(), 1u) << "a penalty does not reach the bank";
  EXPECT_EQ(found[0].entries[0].amount, -700);
  EXPECT_EQ(found[0].closing_balance, -700);
}

BankStatement statement() {
  return {.account = "SANDBOX-CNY",
          .currency = "CNY",
          .date = "2026-03-04",
          .created_at = parse_rfc3339("2026-03-04T16:00:00Z").value_or(Time()),
          .opening_balance = -50,
          .closing_balance = 944,
          .entries = {{.reference = "B9001",
                       .at = parse_rfc3339("2026-03-04T01:00:00Z").value_or(Time()),
                       .amount = 994,
                       .end_to_end = "9001",
                       .remittance = "sandbox <withdrawal>"}}};
}

TEST(BankTextTest, CamtHasBalancesAndEntries) {
  const std::string text = to_camt({statement()});
  for (const char* part :
       {"<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.08\">", "<Id>SANDBOX-CNY-2026-03-04</Id>",
        "<CreDtTm>2026-03-05T00:00:00+08:00</CreDtTm>",
        "<Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy=\"CNY\">0.50</Amt><CdtDbtInd>DBIT</CdtDbtInd>",
        "<Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy=\"CNY\">9.44</Amt><CdtDbtInd>CRDT</CdtDbtInd>",
        "<NtryRef>B9001</NtryRef><Amt Ccy=\"CNY\">9.94</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>",
        "<EndToEndId>9001</EndToEndId>", "<Ustrd>sandbox &lt;withdrawal></Ustrd>"})
    EXPECT_TRUE(text.contains(part)) << part << "\n" << text;
}

TEST(DecimalTest, HasTheDigitsOfTheCurrency) {
  EXPECT_EQ(to_decimal(1234, "CNY"), "12.34");
  EXPECT_EQ(to_decimal(-5, "CNY"), "-0.05");
  EXPECT_EQ(to_decimal(500, "JPY"), "500");
  EXPECT_EQ(to_decimal(1234, "KWD"), "1.234");
  EXPECT_EQ(to_decimal(7, "QQQ"), "7");
}

}  // namespace
}  // namespace finality::sandbox
