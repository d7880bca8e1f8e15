// The parsers of the channels read every statement that the sandbox writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "channel/alipay/statement/account_bill.h"
#include "channel/alipay/statement/trade_bill.h"
#include "channel/sandbox/statement.h"
#include "channel/wechatpay/statement/fund_bill.h"
#include "channel/wechatpay/statement/trade_bill.h"
#include "sandbox/alipay/bill.h"
#include "sandbox/simple/statement.h"
#include "sandbox/statements/withdrawals.h"
#include "sandbox/testing/test_ledger.h"
#include "sandbox/wechatpay/bill.h"
#include "sandbox/wechatpay/methods.h"
#include "sandbox/wechatpay/order.h"

namespace finality::app {
namespace {

using namespace std::chrono_literals;
using sandbox::DayFault;
using sandbox::FundsType;
using sandbox::TradeBillType;

constexpr std::string_view kDays[] = {"2026-03-02", "2026-03-03"};
constexpr std::int64_t kE5PerMinorUnit = 1000;  // of CNY and USD

struct ReadStatement {
  std::vector<StatementLine> lines;
  std::vector<StatementSums> sums;
};

ReadStatement read(const std::function<Result<void>(ParseBudget&, LineCollector&)>& parse) {
  ReadStatement statement;
  const LineSink sink = [&statement](StatementLine&& line) {
    statement.lines.push_back(std::move(line));
    return true;
  };
  LineCollector lines(sink);
  ParseBudget budget(0);
  const auto outcome = parse(budget, lines);
  EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().message);
  statement.sums = lines.sums();
  return statement;
}

std::multiset<std::string> trade_numbers(const ReadStatement& statement) {
  std::multiset<std::string> numbers;
  for (const StatementLine& line : statement.lines) numbers.insert(line.channel_trade_no);
  return numbers;
}

DaySpan span_of(std::string_view date) { return parse_day(date, kChinaTime).value_or(DaySpan()); }

class SandboxStatements : public sandbox::TestLedger, public testing::WithParamInterface<const char*> {
 protected:
  std::string channel() const { return GetParam(); }
  bool is_simple() const { return channel() == "sandbox"; }
  bool is_wechatpay() const { return channel() == "wechatpay"; }

  sandbox::Trade paid(const std::string& scenario) {
    sandbox::Trade order;
    order.channel = channel();
    order.out_trade_no = scenario;
    order.amount = 1999;
    order.currency = "CNY";
    order.subject = "tea, green";
    order.scenario = scenario;
    order.product = "native";
    order.details =
        sandbox::write_details({.attach = "table 7, left", .openid = "oUpF", .fingerprint = "", .signer = ""});
    sandbox::Trade trade = *sandbox::enter(ledger_, order).trade;
    EXPECT_TRUE(ledger_.pay(trade));
    return trade;
  }

  // Two days with faults of lines, refunds in all states, and money that no trade explains.
  void do_business() {
    const Duration takes = is_wechatpay() ? Duration(200ms) : Duration(0);
    jump_to("2026-03-02 09:00:00");
    for (const char* scenario :
         {"drop_line", "double_line", "other_amount", "other_currency", "other_discount", "other_fee", "shift_day",
          "wrong_currency", "mixed_numbers", "drop_funds_line", "double_funds_line", "other_funds_fee"})
      paid(scenario);
    jump_to("2026-03-02 10:00:00");
    for (const char* scenario : {"pays", "other_status", "late_refund_failure"})
      refund(paid(scenario), scenario, 999, takes);
    withdraw(ledger_, channel(), "CNY", 1500);
    add_movement(ledger_, channel(), "CNY", sandbox::MovementType::top_up, 700, "more, much more");
    add_movement(ledger_, channel(), "CNY", sandbox::MovementType::penalty, -300, "late");
    add_movement(ledger_, channel(), "CNY", sandbox::MovementType::other, -100, "service 7");
    advance_to("2026-03-03 12:00:00");
    refund(paid("manual"), "manual", 1999, takes);
    jump_to("2026-03-04 12:00:00");
  }

  std::vector<sandbox::TradeLine> written_trades(std::string_view date) {
    const sandbox::Day span = day(date);
    return trade_lines(ledger_, channel(), span, file_state(ledger_, channel(), date, span));
  }
  sandbox::WechatpayDay wechatpay_day(std::string_view date) {
    return sandbox::day_in(ledger_, sandbox::kWechatpayMerchants[0], std::string(date), day(date)).value();
  }
  std::string alipay_file(sandbox::alipay::BillKind kind, std::string_view date) {
    const auto& app = sandbox::alipay::kApplications[0];
    return to_zip(sandbox::alipay::bill_of(ledger_, app, kind, std::string(date)).value());
  }
  static ReadStatement read_wechatpay(TradeBillType type, const sandbox::WechatpayDay& written, std::string_view date) {
    return read([&](ParseBudget& budget, LineCollector& lines) {
      return wechatpay::parse_trade_bill(written.merchant.mchid, span_of(date), trade_bill(type, written), budget,
                                         lines);
    });
  }
  static ReadStatement read_simple(StatementKind kind, std::string_view date, const std::string& file) {
    return read([&](ParseBudget& budget, LineCollector& lines) {
      const StatementCall call{.kind = kind, .date = std::string(date)};
      return sandbox_channel::parse_statement("sandbox", call, span_of(date), file, budget, lines);
    });
  }

  ReadStatement read_trades(std::string_view date) {
    if (is_wechatpay()) return read_wechatpay(TradeBillType::all, wechatpay_day(date), date);
    if (is_simple())
      return read_simple(StatementKind::trades, date,
                         simple_trades({"sandbox", std::string(date)}, written_trades(date)));
    return read([&](ParseBudget& budget, LineCollector& lines) {
      return alipay::parse_trade_bill(sandbox::alipay::kApplications[0].seller_id, span_of(date),
                                      alipay_file(sandbox::alipay::BillKind::trades, date), budget, lines);
    });
  }
  ReadStatement read_funds(std::string_view date) {
    if (is_simple()) {
      const auto written = funds_day(ledger_, channel(), date, day(date));
      return read_simple(StatementKind::funds, date, simple_funds({"sandbox", std::string(date)}, written));
    }
    return read([&](ParseBudget& budget, LineCollector& lines) {
      if (is_wechatpay())
        return wechatpay::parse_fund_bill(span_of(date), fund_bill(wechatpay_day(date)), budget, lines);
      return alipay::parse_account_bill(sandbox::alipay::kApplications[0].seller_id, span_of(date),
                                        alipay_file(sandbox::alipay::BillKind::funds, date), budget, lines);
    });
  }

  std::string kind_of(FundsType type) const {
    if (type == FundsType::penalty) return is_simple() ? "adjustment" : "other";
    return std::string(name_of(type));
  }
};

TEST_P(SandboxStatements, TradesAreReadAsWritten) {
  do_business();
  for (const std::string_view date : kDays) {
    const auto written = written_trades(date);
    const ReadStatement statement = read_trades(date);
    ASSERT_EQ(statement.lines.size(), written.size()) << date;
    for (std::size_t i = 0; i < written.size(); ++i) {
      const StatementLine& line = statement.lines[i];
      SCOPED_TRACE(written[i].trade.scenario);
      EXPECT_EQ(line.kind, written[i].refund ? LineKind::refund : LineKind::payment);
      EXPECT_EQ(line.channel_trade_no, written[i].trade.trade_no);
      EXPECT_EQ(line.out_trade_no, written[i].trade.out_trade_no);
      EXPECT_EQ(line.out_refund_no, written[i].refund ? written[i].refund->out_refund_no : "");
      EXPECT_EQ(line.amount, written[i].amount);
      EXPECT_EQ(line.discount, written[i].discount);
      EXPECT_EQ(line.fee_e5, written[i].fee * kE5PerMinorUnit);
      EXPECT_EQ(line.at.ms / 1000, written[i].at.ms / 1000);
      if (channel() == "alipay") continue;  // its statements have neither status nor currency
      EXPECT_EQ(line.currency.text(), written[i].currency);
      EXPECT_EQ(line.status == LineStatus::failed, written[i].status == sandbox::LineStatus::failed);
      EXPECT_EQ(line.status == LineStatus::processing, written[i].status == sandbox::LineStatus::processing);
    }
  }
}

TEST_P(SandboxStatements, FundsAreReadAsWrittenAndTheBalanceContinues) {
  do_business();
  std::set<std::string> ids;
  std::set<FundsType> types;
  MinorUnits balance = 0;
  for (const std::string_view date : kDays) {
    const auto written = funds_day(ledger_, channel(), date, day(date)).lines;
    const ReadStatement statement = read_funds(date);
    ASSERT_EQ(statement.lines.size(), written.size()) << date;
    for (std::size_t i = 0; i < written.size(); ++i) {
      const StatementLine& line = statement.lines[i];
      types.insert(written[i].type);
      EXPECT_TRUE(ids.insert(line.line_id).second) << line.line_id;
      EXPECT_EQ(line.line_id, written[i].line_id);
      EXPECT_EQ(name_of(line.kind), kind_of(written[i].type));
      EXPECT_EQ(line.amount, written[i].amount);
      EXPECT_EQ(line.balance, written[i].balance);
    }
    const auto sums = std::ranges::find(statement.sums, kYuan, &StatementSums::currency);
    ASSERT_NE(sums, statement.sums.end());
    EXPECT_EQ(sums->opening_balance, balance) << date;
    balance += sums->credits - sums->debits;
    EXPECT_EQ(sums->closing_balance, balance) << date;
  }
  EXPECT_TRUE(types.contains(FundsType::fee_returned));
  EXPECT_TRUE(types.contains(FundsType::refund_returned));
}

TEST_P(SandboxStatements, BothVersionsOfAFileAreRead) {
  ledger_.statement_tables().add_fault(channel(), kDays[0], DayFault::second_version);
  do_business();
  jump_to("2026-03-03 10:00:00");
  const auto first = trade_numbers(read_trades(kDays[0]));
  jump_to("2026-03-04 12:00:00");
  const auto second = trade_numbers(read_trades(kDays[0]));
  EXPECT_EQ(first.size(), second.size());
  EXPECT_NE(first, second);
}

INSTANTIATE_TEST_SUITE_P(Channels, SandboxStatements, testing::Values("sandbox", "alipay", "wechatpay"),
                         [](const auto& info) { return std::string(info.param); });

class WechatpayLayouts : public SandboxStatements {};

TEST_P(WechatpayLayouts, AllAreRead) {
  do_business();
  const sandbox::WechatpayDay written = wechatpay_day(kDays[0]);
  const auto refunds = static_cast<std::size_t>(
      std::ranges::count_if(written.trades, [](const auto& line) { return line.refund.has_value(); }));
  EXPECT_EQ(read_wechatpay(TradeBillType::refund, written, kDays[0]).lines.size(), refunds);
  EXPECT_EQ(read_wechatpay(TradeBillType::success, written, kDays[0]).lines.size(), written.trades.size() - refunds);
  sandbox::WechatpayDay legacy = written;
  legacy.is_legacy = true;
  for (const TradeBillType type : {TradeBillType::all, TradeBillType::success, TradeBillType::refund})
    for (const StatementLine& line : read_wechatpay(type, legacy, kDays[0]).lines)
      EXPECT_EQ(line.discount, 0) << "the legacy layout has no discount";
}

INSTANTIATE_TEST_SUITE_P(Channels, WechatpayLayouts, testing::Values("wechatpay"));

}  // namespace
}  // namespace finality::app
