#include "sandbox/pages/statement_site.h"

#include "sandbox/core/china_time.h"
#include "sandbox/testing/test_world.h"

namespace finality::sandbox {
namespace {

class StatementSiteTest : public TestWorld {
 protected:
  static std::string today() { return china_date(SystemClock().now()); }

  SandboxReply post(const std::string& target) { return visit("POST", "/statements/" + target); }
  std::int64_t balance() {
    return visit("GET", "/statements/sandbox").json.at("balances").as_object().at("CNY").as_int64();
  }
};

TEST_F(StatementSiteTest, ShowsBalancesMovementsAndFaults) {
  create(order("order-1", "pays"));
  wait_for_state("order-1", "paid");
  EXPECT_EQ(post("sandbox/top_up?currency=CNY&amount=500&memo=more").status, 200);
  EXPECT_EQ(post("sandbox/penalty?currency=CNY&amount=34").status, 200);
  EXPECT_EQ(post("sandbox/faults?fault=late_file&date=" + today()).status, 200);
  EXPECT_EQ(balance(), 1234 - 7 + 500 - 34);
  const SandboxReply shown = visit("GET", "/statements/sandbox");
  const auto& movements = shown.json.at("movements").as_array();
  ASSERT_EQ(movements.size(), 2u);
  EXPECT_EQ(movements[0].at("type"), "top_up");
  EXPECT_EQ(movements[0].at("memo"), "more");
  EXPECT_EQ(movements[1].at("amount").as_int64(), -34);
  EXPECT_EQ(shown.json.at("faults").as_array().at(0).at("fault"), "late_file");
  EXPECT_FALSE(shown.json.at("automatic_withdrawals").as_bool());
}

TEST_F(StatementSiteTest, WithdrawsAPartOrAll) {
  EXPECT_EQ(post("sandbox/withdraw?currency=CNY").text("code"), "insufficient_balance");
  post("sandbox/top_up?currency=CNY&amount=500");
  EXPECT_EQ(post("sandbox/withdraw?currency=CNY&amount=501").status, 409);
  EXPECT_EQ(post("sandbox/withdraw?currency=CNY&amount=200").json.at("movement").at("amount").as_int64(), -200);
  EXPECT_EQ(balance(), 300);
  EXPECT_EQ(post("sandbox/withdraw?currency=CNY").status, 200);
  EXPECT_EQ(balance(), 0);
}

TEST_F(StatementSiteTest, AnUnknownFundsLineIsRealMoney) {
  EXPECT_EQ(post("sandbox/faults?fault=unknown_funds_line&date=" + today()).status, 200);
  EXPECT_EQ(balance(), -100);
}

TEST_F(StatementSiteTest, SwitchesAutomaticWithdrawals) {
  EXPECT_TRUE(post("sandbox/automatic_withdrawals?enabled=true").json.at("automatic_withdrawals").as_bool());
  EXPECT_FALSE(post("sandbox/automatic_withdrawals?enabled=false").json.at("automatic_withdrawals").as_bool());
}

TEST_F(StatementSiteTest, ParametersAndPathsAreChecked) {
  for (const std::string target :
       {"sandbox/faults?fault=late_file&date=2020-01-01", "sandbox/faults?fault=late_file&date=soon",
        "sandbox/withdraw?currency=yuan", "sandbox/withdraw?currency=CNY&amount=1.5", "sandbox/top_up?currency=CNY",
        "sandbox/penalty?currency=CNY&amount=-1", "sandbox/automatic_withdrawals?enabled=maybe"})
    EXPECT_EQ(post(target).text("code"), "invalid_parameter") << target;
  EXPECT_EQ(post("sandbox/faults?fault=rain&date=" + today()).text("param"), "fault");
  EXPECT_EQ(post("sandbox/faults?fault=unknown_funds_line&date=2999-01-01").text("param"), "date");
  EXPECT_EQ(post("sandbox3/faults?fault=late_file&date=" + today()).status, 404);
  EXPECT_EQ(post("alipay%232/faults?fault=late_file&date=" + today()).status, 200);
  EXPECT_EQ(post("sandbox/nothing").status, 404);
  EXPECT_EQ(post("sandbox").status, 405);
  EXPECT_EQ(visit("GET", "/statements").status, 404);
  EXPECT_EQ(visit("GET", "/bank").status, 404);
  EXPECT_EQ(visit("GET", "/bank/statement?date=2026-01").text("param"), "date");
}

TEST_F(StatementSiteTest, TheBankReceivesWithdrawals) {
  EXPECT_EQ(visit("GET", "/bank/statement?date=" + today()).text("code"), "statement_not_ready");
  EXPECT_EQ(visit("GET", "/bank/statement?date=2026-01-01").text("code"), "no_statement");
  const auto clock = start_with_stopped_clock();
  post("sandbox/top_up?currency=CNY&amount=500");
  clock->advance(Duration{1});
  post("sandbox/withdraw?currency=CNY");
  const std::string date = china_date(clock->now() + std::chrono::hours(24));
  clock->advance(std::chrono::hours(48));
  const SandboxReply camt = visit("GET", "/bank/statement?date=" + date);
  EXPECT_EQ(camt.status, 200);
  EXPECT_TRUE(camt.response.body.contains("<Amt Ccy=\"CNY\">5.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>"))
      << camt.response.body;
}

}  // namespace
}  // namespace finality::sandbox
