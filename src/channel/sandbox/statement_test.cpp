#include "channel/sandbox/statement.h"

#include <gtest/gtest.h>

#include "channel/sandbox/channel.h"
#include "channel/sandbox/testing/test_statement.h"
#include "channel/testing/statement_fixtures.h"

namespace finality::sandbox_channel {
namespace {

using namespace sandbox_test;

const std::unique_ptr<SandboxChannel> kChannel =
    make_sandbox_channel({"sandbox", "http://127.0.0.1:8090/", Secret("it"), "https://pay.example/"});

ParsedStatement read(StatementKind kind, std::string_view file) {
  return parsed(*kChannel, {.kind = kind, .date = "2026-09-21"}, file);
}
// The error of a statement in which `from` is replaced.
std::string error_with(StatementKind kind, std::string_view from, std::string_view to) {
  const std::string file = replaced(statement_file(kind), from, to);
  EXPECT_NE(file, statement_file(kind)) << from;
  return read(kind, file).error();
}
std::string error_with(std::string_view from, std::string_view to) {
  return error_with(StatementKind::trades, from, to);
}

TEST(SandboxStatement, ListsTradesInAllCurrencies) {
  const ParsedStatement statement = read(StatementKind::trades, kTrades);
  ASSERT_TRUE(statement.sums) << statement.error();
  EXPECT_EQ(statement.texts(),
            (std::vector<std::string>{
                "payment succeeded id= trade=sbt_1/00000000000070000000000008 refund=/ CNY amount=10000 discount=500 "
                "fee=57000 balance=none at=2026-09-21T01:15:00.000Z payment success",
                "refund processing id= trade=sbt_1/00000000000070000000000008 refund=sbr_1/00000000000070000000000009 "
                "CNY amount=3000 discount=150 fee=-17100 balance=none at=2026-09-21T02:00:00.000Z refund processing",
                "payment failed id= trade=sbt_2/000000000000700000000000x2 refund=/ JPY amount=500 discount=0 fee=0 "
                "balance=none at=2026-09-21T03:00:00.250Z payment failed"}));
  ASSERT_EQ(statement.sums->size(), 2U);
  EXPECT_EQ(statement.sums->front().fee_e5, 39900);
  EXPECT_EQ(statement.sums->back().paid, 500);
}

TEST(SandboxStatement, ListsTheChangesOfTheBalance) {
  const ParsedStatement statement = read(StatementKind::funds, kFunds);
  ASSERT_TRUE(statement.sums) << statement.error();
  EXPECT_EQ(statement.texts()[1],
            "fee succeeded id=sbl_2 trade=sbt_1/00000000000070000000000008 refund=/ CNY amount=-57 discount=0 fee=0 "
            "balance=109443 at=2026-09-21T01:15:00.000Z fee 0.6 %, \"rate\"");
  EXPECT_EQ(statement.lines[2].amount, -2850);
  EXPECT_EQ(statement.lines[2].out_refund_no, "00000000000070000000000009");
  EXPECT_EQ(statement.sums->front().opening_balance, 100000);
  EXPECT_EQ(statement.sums->front().closing_balance, 106593);
}

TEST(SandboxStatement, TheTypeOfAFundsLineDeterminesItsKind) {
  const std::pair<const char*, LineKind> rows[] = {{"payment", LineKind::payment},
                                                   {"refund", LineKind::refund},
                                                   {"fee_returned", LineKind::fee_returned},
                                                   {"refund_returned", LineKind::refund_returned},
                                                   {"withdrawal", LineKind::withdrawal},
                                                   {"top_up", LineKind::top_up},
                                                   {"penalty", LineKind::adjustment},
                                                   {"other", LineKind::other},
                                                   {"new", LineKind::other}};
  for (const auto& [type, kind] : rows) {
    const ParsedStatement statement =
        read(StatementKind::funds, replaced(kFunds, ",fee,", "," + std::string(type) + ","));
    ASSERT_EQ(statement.lines.size(), 3U) << statement.error();
    EXPECT_EQ(statement.lines[1].kind, kind) << type;
  }
}

TEST(SandboxStatement, TheOrderOfTheColumnsDoesNotMatter) {
  const std::string file =
      "statement,time_zone,date,kind,channel,version,more\n"
      "statement,+08:00,2026-09-21,trades,sandbox,1,x\n"
      "columns,status,fee,discount,amount,new,currency,out_refund_no,refund_no,out_trade_no,trade_no,time,type\n"
      "line,success,0.57,5.00,100.00,?,CNY,,,00000000000070000000000008,sbt_1,2026-09-21T01:15:00Z,payment\n"
      "totals_columns,fees,refunded,refunds,paid,payments,lines,currency\n"
      "totals,0.57,0,0,100,1,1,CNY\n";
  const ParsedStatement statement = read(StatementKind::trades, file);
  ASSERT_TRUE(statement.sums) << statement.error();
  EXPECT_EQ(statement.texts().front(), read(StatementKind::trades, kTrades).texts().front());
}

TEST(SandboxStatement, ADayWithoutLinesHasNoTotals) {
  const std::string file =
      "statement,version,channel,kind,date,time_zone\nstatement,1,sandbox,trades,2026-09-21,+08:00\n"
      "columns,type,time,trade_no,out_trade_no,refund_no,out_refund_no,currency,amount,discount,fee,status\n";
  EXPECT_EQ(read(StatementKind::trades, file).error(),
            "the file is incomplete: it ends before the totals of each currency");
  const ParsedStatement statement =
      read(StatementKind::trades, file + "totals_columns,currency,lines,payments,paid,refunds,refunded,fees\n");
  ASSERT_TRUE(statement.sums) << statement.error();
  EXPECT_TRUE(statement.sums->empty());
}

TEST(SandboxStatement, AnAccountWithoutLinesHasABalance) {
  const ParsedStatement statement = read(StatementKind::funds, kFunds + "totals,USD,0,0,0,7.00,7.00\n");
  ASSERT_TRUE(statement.sums) << statement.error();
  ASSERT_EQ(statement.sums->size(), 2U);
  EXPECT_EQ(statement.sums->back().lines, 0);
  EXPECT_EQ(statement.sums->back().closing_balance, 700);
}

TEST(SandboxStatement, AnotherChannelKindDayOrVersionIsRejected) {
  EXPECT_TRUE(error_with(",sandbox,", ",sandbox2,").starts_with("line 2, column channel: `sandbox2`"));
  EXPECT_TRUE(error_with(",trades,", ",funds,").starts_with("line 2, column kind: `funds`"));
  EXPECT_TRUE(error_with("2026-09-21,+", "2026-09-20,+").starts_with("line 2, column date: `2026-09-20`"));
  EXPECT_TRUE(error_with("+08:00\ncolumns", "Z\ncolumns").starts_with("line 2, column time_zone: `Z`"));
  EXPECT_TRUE(error_with("statement,1", "statement,2").starts_with("line 2, column version: `2`"));
}

TEST(SandboxStatement, AnInvalidCellIsRejectedWithItsLineAndColumn) {
  EXPECT_TRUE(error_with("line,payment", "line,fee").starts_with("line 4, column type: `fee`"));
  EXPECT_TRUE(error_with("-21T09:15:00+08:00", "-21 morning").starts_with("line 4, column time: `2026-09-21 morning`"));
  EXPECT_TRUE(error_with("-21T09", "-23T09").starts_with("line 4, column time: "));
  EXPECT_TRUE(error_with(",CNY,100", ",cny,100").starts_with("line 4, column currency: `cny`"));
  EXPECT_TRUE(error_with("CNY,100.00", "CNY,100.001").starts_with("line 4, column amount: `100.001`"));
  EXPECT_TRUE(error_with("+08:00,sbt_1", "+08:00,").starts_with("line 4, column trade_no: "));
  EXPECT_TRUE(error_with("JPY,500,0", "JPY,500.5,0").starts_with("line 6, column amount: `500.5`"));
  EXPECT_TRUE(error_with("CNY,100.00", "CNY,-100.00").starts_with("line 4, column amount: `-100.00`"));
  EXPECT_TRUE(error_with(",5.00,0.57", ",100.01,0.57").starts_with("line 4, column discount: `100.01`"));
  EXPECT_TRUE(error_with("0.57,success", "0.570001,success").starts_with("line 4, column fee: `0.570001`"));
  EXPECT_TRUE(error_with("0.57,success", "0.57,paid").starts_with("line 4, column status: `paid`"));
  EXPECT_TRUE(error_with("0.57,success", "0.57").starts_with("line 4: 11 columns, but the header has 12"));
  EXPECT_TRUE(error_with(StatementKind::funds, "sbl_2", "").starts_with("line 5, column line_id: "));
  EXPECT_TRUE(error_with(StatementKind::funds, "1094.43", "x").starts_with("line 5, column balance: `x`"));
  EXPECT_TRUE(error_with(StatementKind::funds, "\"\"rate\"\"", "\"rate\"").starts_with("line 5, column 12: "));
}

TEST(SandboxStatement, WrongTotalsAreRejected) {
  for (const auto& [from, to, column] :
       {std::tuple("CNY,2,1,", "CNY,3,1,", "lines"), std::tuple("CNY,2,1,", "CNY,2,2,", "payments"),
        std::tuple("1,100.00,1", "1,100.01,1", "paid"), std::tuple(",1,30.00", ",0,30.00", "refunds"),
        std::tuple(",30.00,", ",30.01,", "refunded"), std::tuple("0.399", "0.4", "fees")}) {
    const std::string error = error_with(from, to);
    EXPECT_TRUE(error.starts_with("line 8, column " + std::string(column) + ": ")) << error;
  }
  EXPECT_TRUE(error_with(StatementKind::funds, "95.00,29", "95.01,29").starts_with("line 8, column credits: "));
  EXPECT_TRUE(error_with(StatementKind::funds, "29.07", "29.08").starts_with("line 8, column debits: "));
  EXPECT_TRUE(error_with("totals,JPY", "totals,CNY").starts_with("line 9, column currency: "));
  EXPECT_TRUE(error_with("totals,JPY", "totals,USD").starts_with("line 9, column lines: "));
  EXPECT_TRUE(error_with("totals,JPY,1,1,500,0,0,0\n", "").starts_with("the file is incomplete"));
}

TEST(SandboxStatement, MissingColumnsAndMisplacedRecordsAreRejected) {
  for (const char* name : {"type", "time", "out_refund_no", "currency", "amount", "discount", "fee", "status"}) {
    const std::string end = std::string_view(name) == "status" ? "\n" : ",";
    const std::string error = error_with("," + std::string(name) + end, ",x" + end);
    EXPECT_EQ(error, "line 3: the column " + std::string(name) + " is missing");
  }
  EXPECT_TRUE(error_with("columns,type", "line,type").starts_with("line 3: a record `line` is not allowed here"));
  EXPECT_TRUE(read(StatementKind::trades, kTrades + kTrades).error().starts_with("line 10: a record `statement`"));
}

}  // namespace
}  // namespace finality::sandbox_channel
