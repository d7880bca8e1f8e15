#include "sandbox/simple/statement.h"

#include "sandbox/core/china_time.h"
#include "sandbox/testing/test_world.h"

namespace finality::sandbox {
namespace {

using namespace std::chrono_literals;

class SimpleStatementTest : public TestWorld {
 protected:
  // Sends a request for a statement, signed at the time of the sandbox's clock.
  SandboxReply statement(const std::string& kind, const std::string& date, const std::string& channel = "sandbox") {
    const std::string target = "/" + channel + "/statements?kind=" + kind + "&date=" + date;
    const std::string timestamp = fmt::format("{}", stopped_->now().ms / 1000);
    net::Headers headers;
    headers.add(kTimestampHeader, timestamp);
    headers.add(kSignatureHeader, request_signature(kTestSecret, "GET", target, timestamp, ""));
    SandboxReply answer = read(exchange("GET", target, "", std::move(headers)));
    expect_signed(answer.response.headers, answer.response.body);
    return answer;
  }

  std::shared_ptr<TestClock> stopped_;
};

TradeLine payment() {
  TradeLine line{.at = parse_rfc3339("2026-01-02T01:15:00Z").value_or(Time()),
                 .currency = "CNY",
                 .amount = 10'000,
                 .discount = 500,
                 .fee = 57};
  line.trade.trade_no = "sbx1";
  line.trade.out_trade_no = "order,1";
  return line;
}

TEST(SimpleStatementTextTest, TradesHaveLinesAndTotalsOfEachCurrency) {
  TradeLine refund = payment();
  refund.refund = Refund{.refund_no = "sbr1", .out_refund_no = "refund-1"};
  refund.status = LineStatus::processing;
  refund.amount = 3000;
  refund.discount = 0;
  refund.fee = -18;
  TradeLine yen = payment();
  yen.currency = "JPY";
  yen.discount = 0;
  EXPECT_EQ(simple_trades({"sandbox", "2026-01-02"}, {payment(), refund, yen}),
            "statement,version,channel,kind,date,time_zone\n"
            "statement,1,sandbox,trades,2026-01-02,+08:00\n"
            "columns,type,time,trade_no,out_trade_no,refund_no,out_refund_no,currency,amount,discount,fee,status\n"
            "line,payment,2026-01-02T09:15:00+08:00,sbx1,\"order,1\",,,CNY,100.00,5.00,0.57,success\n"
            "line,refund,2026-01-02T09:15:00+08:00,sbx1,\"order,1\",sbr1,refund-1,CNY,30.00,0.00,-0.18,processing\n"
            "line,payment,2026-01-02T09:15:00+08:00,sbx1,\"order,1\",,,JPY,10000,0,57,success\n"
            "totals_columns,currency,lines,payments,paid,refunds,refunded,fees\n"
            "totals,CNY,2,1,100.00,1,30.00,0.39\n"
            "totals,JPY,1,1,10000,0,0,57\n");
}

TEST(SimpleStatementTextTest, FundsHaveBalances) {
  const FundsLine fee{.line_id = "sbx102",
                      .at = payment().at,
                      .type = FundsType::fee,
                      .trade = payment().trade,
                      .currency = "CNY",
                      .amount = -57,
                      .balance = 443};
  const FundsLine penalty{.line_id = "9001",
                          .at = payment().at,
                          .type = FundsType::penalty,
                          .currency = "CNY",
                          .amount = -100,
                          .balance = 343,
                          .memo = "a \"penalty\""};
  EXPECT_EQ(simple_funds({"sandbox2", "2026-01-02"}, {.lines = {fee, penalty}, .opening = {{"CNY", 500}, {"JPY", 70}}}),
            "statement,version,channel,kind,date,time_zone\n"
            "statement,1,sandbox2,funds,2026-01-02,+08:00\n"
            "columns,line_id,time,type,trade_no,out_trade_no,refund_no,out_refund_no,currency,amount,balance,memo\n"
            "line,sbx102,2026-01-02T09:15:00+08:00,fee,sbx1,\"order,1\",,,CNY,-0.57,4.43,\n"
            "line,9001,2026-01-02T09:15:00+08:00,penalty,,,,,CNY,-1.00,3.43,\"a \"\"penalty\"\"\"\n"
            "totals_columns,currency,lines,credits,debits,opening_balance,closing_balance\n"
            "totals,CNY,2,0.00,1.57,5.00,3.43\n"
            "totals,JPY,0,0,0,70,70\n");
}

TEST_F(SimpleStatementTest, AStatementIsReadyAtTenOnTheNextDay) {
  const std::string trade_no = create(order("order-1")).trade_no();
  stopped_ = start_with_stopped_clock();
  visit("POST", "/wallet/" + trade_no + "/pay");
  const std::string date = china_date(stopped_->now());
  const Time ready_at = china_day_of(stopped_->now()).end + 10h;
  stopped_->set(ready_at - Duration{1});
  EXPECT_EQ(statement("trades", date).text("code"), "statement_not_ready");
  stopped_->set(ready_at);
  for (const char* kind : {"trades", "funds"}) {
    const SandboxReply found = statement(kind, date);
    EXPECT_EQ(found.status, 200) << found.response.body;
    EXPECT_TRUE(found.response.body.contains(trade_no)) << found.response.body;
    EXPECT_EQ(statement(kind, date).response.body, found.response.body) << "the same bytes again";
  }
  EXPECT_EQ(statement("trades", date, "sandbox2").text("code"), "no_statement");
}

TEST_F(SimpleStatementTest, ParametersAreChecked) {
  for (const char* query : {"", "?kind=trades", "?kind=trades&date=2026-02-30", "?kind=trades&date=2026-01"})
    EXPECT_EQ(call("GET", std::string("/sandbox/statements") + query).text("code"), "invalid_parameter") << query;
  EXPECT_EQ(call("GET", "/sandbox/statements?kind=bank&date=2026-01-01").text("param"), "kind");
  EXPECT_EQ(call("POST", "/sandbox/statements?kind=trades&date=2026-01-01").status, 405);
  EXPECT_EQ(visit("GET", "/sandbox/statements?kind=trades&date=2026-01-01").status, 401);
}

}  // namespace
}  // namespace finality::sandbox
