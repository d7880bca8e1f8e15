#include "channel/bank/camt_statement.h"

#include <gtest/gtest.h>

#include "channel/bank/testing/test_bank_files.h"

namespace finality::bank {
namespace {

using namespace bank_test;

const std::string kBalances = balance("OPBD", "1000.00") + balance("CLBD", "1966.50");

/// A file with one booked entry, in which `from` is replaced by `to`, and balances that fit the original entry.
std::string with_entry(std::string_view from, std::string_view to) {
  const std::string entry =
      "<Ntry><Amt Ccy=\"EUR\">5.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>"
      "<BookgDt><Dt>2026-09-21</Dt></BookgDt></Ntry>";
  return camt_file(camt_statement(balance("OPBD", "1.00") + balance("CLBD", "6.00") + replaced(entry, from, to)));
}

std::string error_with(std::string_view from, std::string_view to) { return read(with_entry(from, to)).error(); }

TEST(CamtStatement, ListsTheBookedEntries) {
  for (const std::string& file : {camt_02(), camt_08()}) {
    const ParsedStatement statement = read(file);
    ASSERT_TRUE(statement.sums) << statement.error();
    const std::string empty = "refund=/ EUR ";
    EXPECT_EQ(statement.texts(),
              (std::vector<std::string>{
                  "bank_credit succeeded id=2026092100000001 trade=WD-20260920-7/ " + empty +
                      "amount=95000 discount=0 fee=0 balance=none at=2026-09-20T16:00:00.000Z Sandbox Payments "
                      "withdrawal & fees",
                  "bank_debit succeeded id=2026092100000002 trade=/ " + empty +
                      "amount=-350 discount=0 fee=0 balance=none at=2026-09-18T16:00:00.000Z Fee, Gebühr",
                  "bank_credit succeeded id= trade=/ " + empty +
                      "amount=2000 discount=0 fee=0 balance=none at=2026-09-20T16:00:00.000Z reversal"}));
    ASSERT_EQ(statement.sums->size(), 1u);
    const StatementSums& sums = statement.sums->front();
    EXPECT_EQ(sums.lines, 3);
    EXPECT_EQ(sums.credits, 97000);
    EXPECT_EQ(sums.debits, 350);
    EXPECT_EQ(sums.opening_balance, 100000);
    EXPECT_EQ(sums.closing_balance, 196650);
    EXPECT_EQ(statement.lines.back().line_no, 3) << "counts the entries";
  }
}

TEST(CamtStatement, ADayWithoutEntriesHasBalances) {
  const ParsedStatement statement = read(camt_file(
      camt_statement(balance("PRCD", "7.00", "2026-09-20", "DBIT") + balance("CLBD", "7.00", "2026-09-21", "DBIT"))));
  ASSERT_TRUE(statement.sums) << statement.error();
  ASSERT_EQ(statement.sums->size(), 1u);
  EXPECT_EQ(statement.sums->front().lines, 0);
  EXPECT_EQ(statement.sums->front().opening_balance, -700);
  EXPECT_EQ(statement.sums->front().closing_balance, -700);
}

TEST(CamtStatement, OtherAccountsAndDaysAreIgnored) {
  const std::string other_account = camt_statement(kBalances + kEntries, "DE02500105170137075030");
  const std::string other_day =
      camt_statement(balance("OPBD", "1.00", "2026-09-20") + balance("CLBD", "1.00", "2026-09-20"));
  const std::string other_currency = replaced(camt_statement(kBalances + kEntries), "EUR", "USD");
  const ParsedStatement statement =
      read(camt_file(other_account + other_currency + other_day + camt_statement(kBalances + kEntries)));
  ASSERT_TRUE(statement.sums) << statement.error();
  EXPECT_EQ(statement.lines.size(), 3u);
  EXPECT_EQ(statement.lines.front().line_no, 9) << "entries of other statements are counted";
  EXPECT_EQ(
      read(camt_file(other_account)).error(),
      "the file has no statement of the account ***2051 (EUR) of 2026-09-21; it has one of the account ***5030 of "
      "2026-09-21");
  EXPECT_EQ(
      read(camt_file(other_day)).error(),
      "the file has no statement of the account ***2051 (EUR) of 2026-09-21; it has one of the account ***2051 of "
      "2026-09-20");
  EXPECT_EQ(read(camt_file("")).error(), "the file has no statement of the account ***2051 (EUR) of 2026-09-21");
}

TEST(CamtStatement, SeveralStatementsOfTheDayArePages) {
  const std::string first = camt_statement(kBalances + kEntries);
  const std::string second = camt_statement(balance("OPBD", "1966.50") + balance("CLBD", "1966.50"));
  const ParsedStatement statement = read(camt_file(first + second));
  ASSERT_TRUE(statement.sums) << statement.error();
  EXPECT_EQ(statement.sums->front().opening_balance, 100000);
  EXPECT_EQ(statement.sums->front().closing_balance, 196650);
  EXPECT_TRUE(read(camt_file(first + first)).error().contains("not those of consecutive pages"));
}

TEST(CamtStatement, BalancesAndEntriesMustAddUp) {
  const auto error_of = [](const std::string& balances) {
    return read(camt_file(camt_statement(balances + kEntries))).error();
  };
  EXPECT_EQ(
      error_of(balance("OPBD", "1000.00") + balance("CLBD", "1966.49")),
      "the opening balance 1000.00 EUR, credits of 970.00 EUR and debits of 3.50 EUR do not add up to the closing "
      "balance 1966.49 EUR");
  EXPECT_EQ(error_of(balance("CLBD", "1966.50")), "the file has no opening balance");
  EXPECT_EQ(error_of(balance("OPBD", "1000.00")), "entry 1: its statement has no closing balance (CLBD)");
  EXPECT_EQ(error_of(kBalances + balance("PRCD", "1.00")), "the balances OPBD and PRCD differ");
  EXPECT_EQ(error_of(balance("PRCD", "1000.00") + kBalances), "");
  EXPECT_EQ(error_of(kBalances + balance("CLBD", "1.00")), "a statement has two closing balances (CLBD)");
  EXPECT_EQ(error_of(balance("OPBD", "x") + kBalances),
            "balance OPBD, element Amt: `x` is not a positive amount with at most 2 decimal digits");
}

TEST(CamtStatement, AnInvalidEntryIsRejectedWithItsElement) {
  EXPECT_EQ(error_with("5.00", "5.00"), "");
  EXPECT_EQ(error_with("5.00", "5.0000"), "") << "more digits than the currency has, but zeros";
  EXPECT_EQ(error_with("2026-09-21", "2026-09-11"), "");
  EXPECT_EQ(error_with("2026-09-21", "2026-09-10"),
            "entry 1, element BookgDt: `2026-09-10` is not the day of the statement or one of the 10 days before");
  const std::pair<const char*, const char*> changes[] = {{"5.00", "5.001"},
                                                         {"5.00", "-5.00"},
                                                         {"5.00", ""},
                                                         {"EUR", "USD"},
                                                         {"CRDT", "CREDIT"},
                                                         {"<CdtDbtInd>CRDT</CdtDbtInd>", ""},
                                                         {"2026-09-21", "2026-09-22"},
                                                         {"2026-09-21", "21.09.2026"}};
  for (const auto& [from, to] : changes)
    EXPECT_TRUE(error_with(from, to).starts_with("entry 1, element ")) << to << ": " << error_with(from, to);
}

TEST(CamtStatement, ATruncatedFileIsRejected) {
  const std::string file = camt_02();
  const std::vector<std::string> whole = read(file).texts();
  for (std::size_t size = 0; size < file.size(); ++size) {
    const ParsedStatement part = read(file.substr(0, size));
    if (part.sums) ASSERT_EQ(part.texts(), whole) << "only bytes without meaning are missing after " << size;
  }
}

TEST(CamtStatement, AnotherFormatIsRejected) {
  EXPECT_EQ(read("<a/>").error(), "the file is not in the format camt.053: it has no element BkToCstmrStmt");
  EXPECT_FALSE(read(replaced(camt_02(), "BkToCstmrStmt", "BkToCstmrAcctRpt")).sums);
}

TEST(CamtStatement, EntitiesAndExternalFilesAreNotRead) {
  const std::string declaration = "<!DOCTYPE Document [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>\n<Document";
  const std::string file = replaced(replaced(camt_02(), "<Document", declaration), "Sandbox Payments", "&x;");
  EXPECT_EQ(read(file).error(), "line 2: a document type declaration is not allowed");
  EXPECT_TRUE(read(replaced(camt_02(), "Sandbox Payments", "&x;")).error().contains("undefined entity"));
}

}  // namespace
}  // namespace finality::bank
