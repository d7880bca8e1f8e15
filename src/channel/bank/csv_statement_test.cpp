#include "channel/bank/csv_statement.h"

#include <gtest/gtest.h>

#include "channel/bank/testing/test_bank_files.h"
#include "channel/parsing/columns.h"

namespace finality::bank {
namespace {

using namespace bank_test;

std::string error_with(std::string_view from, std::string_view to) { return read(replaced(kCsv, from, to)).error(); }

TEST(CsvStatement, ListsTheLines) {
  const ParsedStatement statement = read(kCsv);
  ASSERT_TRUE(statement.sums) << statement.error();
  EXPECT_EQ(statement.texts(),
            (std::vector<std::string>{
                "bank_credit succeeded id=B1 trade=/ refund=/ EUR amount=95000 discount=0 fee=0 balance=195000 "
                "at=2026-09-20T16:00:00.000Z Sandbox withdrawal",
                "bank_debit succeeded id= trade=/ refund=/ EUR amount=-350 discount=0 fee=0 balance=none "
                "at=2026-09-20T16:00:00.000Z Fee, September"}));
  ASSERT_EQ(statement.sums->size(), 1u);
  EXPECT_EQ(statement.sums->front().credits, 95000);
  EXPECT_EQ(statement.sums->front().debits, 350);
  EXPECT_EQ(statement.sums->front().opening_balance, 100000);
  EXPECT_EQ(statement.sums->front().closing_balance, 194650);
}

TEST(CsvStatement, TheColumnBalanceAndTheOrderOfColumnsAreFree) {
  const ParsedStatement statement = read(
      "text,reference,date,currency,account,amount,type,remark\n"
      ",,2026-09-21,EUR,DE02120300000000202051,0,closing_balance,x\n"
      ",,2026-09-21,EUR,DE02120300000000202051,0.00,opening_balance,\n");
  ASSERT_TRUE(statement.sums) << statement.error();
  EXPECT_EQ(statement.sums->front().closing_balance, 0);
}

TEST(CsvStatement, AnInvalidCellIsRejectedWithItsLineAndColumn) {
  EXPECT_EQ(error_with("DE02 1203 0000 0000 2020 51", "DE02500105170137075030"),
            "line 4, column account: `DE02500105170137075030` is not the account ***2051");
  EXPECT_EQ(error_with("950,EUR", "950,USD"), "line 3, column currency: `USD` is not EUR, the currency of the account");
  EXPECT_EQ(error_with("2026-09-21,950", "2026-09-20,950"),
            "line 3, column date: `2026-09-20` is not the day of the statement");
  EXPECT_EQ(error_with("-3.5", "-3.505"),
            "line 4, column amount: `-3.505` is not an amount of at most 10000000000000.00 EUR with at most 2 decimal "
            "digits");
  EXPECT_EQ(error_with("closing_balance", "closing"),
            "line 5, column type: `closing` is not opening_balance, line or closing_balance");
  EXPECT_EQ(
      error_with("1950.00", "x"),
      "line 3, column balance: `x` is not an amount of at most 10000000000000.00 EUR with at most 2 decimal digits");
  EXPECT_EQ(error_with("closing_balance", "opening_balance"), "line 5, column type: `opening_balance` occurs twice");
  for (const char* name : {"type", "account", "date", "amount", "currency", "reference", "text"})
    EXPECT_EQ(error_with(std::string(name) + ",", "other,"), fmt::format("line 1: the column {} is missing", name));
}

TEST(CsvStatement, AFileInGb18030IsDecoded) {
  // 手续费, in GBK, which is a part of GB18030
  const ParsedStatement statement = read(replaced(kCsv, "Fee, September", "\xCA\xD6\xD0\xF8\xB7\xD1,9"));
  ASSERT_TRUE(statement.sums) << statement.error();
  EXPECT_TRUE(statement.texts().back().ends_with(" 手续费,9")) << statement.texts().back();
}

TEST(CsvStatement, ATextInAnotherEncodingIsRejectedWithItsLineAndColumn) {
  EXPECT_EQ(error_with("Fee, September", "Fee \xFF 9"),
            "line 4, column 7: the text is neither UTF-8 nor GB18030: export the file in UTF-8");
  EXPECT_TRUE(read(replaced(kCsv, "Fee, September", "手续费")).sums);
}

TEST(CsvStatement, AReferenceIsUniqueAndShort) {
  const std::string repeated = replaced(kCsv, "EUR,,\"Fee", "EUR,B1,\"Fee");
  EXPECT_EQ(read(repeated).error(),
            "line 4, column reference: `B1` is also the reference of line 3: remove the repeated line, or leave the "
            "cell empty if the bank's references are not unique");
  const std::string longest(Row::kNumberBytesMax, '1');
  EXPECT_TRUE(read(replaced(kCsv, "B1", longest)).sums);
  EXPECT_TRUE(error_with("B1", longest + "1").ends_with(fmt::format("has more than {} bytes", Row::kNumberBytesMax)));
}

TEST(CsvStatement, ABalanceThatDoesNotFollowIsRejected) {
  EXPECT_TRUE(error_with("1950.00", "1950.01")
                  .starts_with("line 3, column balance: 1950.01 EUR is not 1950.00 EUR, the opening balance plus"));
}

TEST(CsvStatement, AnIncompleteFileIsRejected) {
  EXPECT_TRUE(error_with("1946.50", "1946.51").contains("do not add up to the closing balance 1946.51 EUR"));
  EXPECT_EQ(read("").error(), "the file has no opening balance");
  const std::vector<std::string> whole = read(kCsv).texts();
  for (std::size_t size = 0; size < kCsv.size(); ++size) {
    const ParsedStatement part = read(kCsv.substr(0, size));
    if (part.sums) ASSERT_EQ(part.texts(), whole) << size;
  }
}

}  // namespace
}  // namespace finality::bank
