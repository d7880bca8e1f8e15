// Tests of the comparison of statements of trades with the books, with an engine and a store in memory.
#include "worker/statements/statement_matcher.h"

#include <span>
#include <utility>

#include "model/out_trade_no.h"
#include "worker/statements/test_matcher.h"

namespace finality {
namespace {

using namespace test;

constexpr const char* kDate = "2026-09-21";
constexpr std::int64_t kFee = 12'000;  // StatementLine::fee_e5 of 0.6 % of kAmount

class StatementMatcherTest : public MatcherTest {
 protected:
  StatementLine line_with_fee(std::int64_t fee_e5 = kFee) const {
    StatementLine line = payment_line();
    line.fee_e5 = fee_e5;
    return line;
  }
  MatchTask task_of(const Statement& statement) {
    return {.statement = statement,
            .account = account_,
            .plan = plan_,
            .rates = rates_,
            .earlier = {},
            .reader = *reader_,
            .commands = sender_};
  }
  /// Compares a version of the statement of that day. `earlier`: the lines of the version before, which has the id
  /// `id` - 1; empty if it is the first one.
  void compare(std::int64_t id, const std::string& date, const std::vector<StatementLine>& lines,
               const std::vector<StatementLine>& earlier) {
    const Statement statement = add_statement(id, date);
    const StatementId before[] = {StatementId{id - 1}};
    MatchTask task = task_of(statement);
    if (!earlier.empty()) task.earlier = before;
    StatementMatcher matcher(task);
    for (const StatementLine& line : lines) matcher.note(line);
    for (const StatementLine& line : lines) EXPECT_TRUE(matcher.add(line));
    EXPECT_TRUE(matcher.finish_lines());
    for (const StatementLine& line : earlier) EXPECT_TRUE(matcher.add_earlier(line));
    EXPECT_TRUE(matcher.finish_earlier());
  }
  /// Compares the only line of the statement of that day. `state`: `matching` if an earlier run was interrupted.
  MatchCounts compare(std::int64_t id, const std::string& date, const StatementLine& line,
                      StatementState state = StatementState::received) {
    Statement statement = add_statement(id, date);
    statement.state = state;
    StatementMatcher matcher(task_of(statement));
    EXPECT_TRUE(matcher.add(line));
    EXPECT_TRUE(matcher.finish_lines());
    EXPECT_TRUE(sender_.settle());
    return matcher.counts();
  }

  std::vector<ChannelRate> rates_{
      {.id = ChannelRateId{1}, .channel_account_id = account_.id, .basis_points = 60, .from_date = "2026-01-01"}};
};

TEST_F(StatementMatcherTest, ALineThatRepairsTheBooksAndHasAnotherFeeHasTwoDifferences) {
  for (int run = 0; run < 2; ++run) {
    const MatchCounts counts = compare(1, "2026-09-21", line_with_fee(0));
    EXPECT_EQ(differences(), (Found{"late_status repaired 2026-09-21", "cost_mismatch open 2026-09-21"}));
    EXPECT_EQ(counts.differences, 1);
    EXPECT_EQ(counts.repaired, 0);
    EXPECT_EQ(counts.recorded, 1);
  }
}

TEST_F(StatementMatcherTest, ALineOfAnotherDayIsADuplicateAlthoughItsDifferenceHasEnded) {
  EXPECT_EQ(compare(1, "2026-09-21", line_with_fee()).repaired, 1);
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(compare(2, "2026-09-22", line_with_fee()).differences, 1);
    EXPECT_EQ(differences(), (Found{"late_status repaired 2026-09-21", "duplicate_at_channel open 2026-09-22"}));
  }
  EXPECT_EQ(compare(1, "2026-09-21", line_with_fee()).repaired, 1) << "its line has the match";
  EXPECT_EQ(differences().size(), 2U);
  EXPECT_EQ(amount_of(DifferenceClass::duplicate_at_channel), kAmount);
}

const ReportedCapture kInConsole{"console-1", "T3", 600, kCny, kNow};

TEST_F(StatementMatcherTest, EachCaptureOfAnOrderHasItsLine) {
  rates_.clear();
  const OrderId order = held_order();
  const CaptureId own = capture(order, "T2", 400);
  StatementLine line = console_line(kInConsole);
  report_hold(order, {{out_capture_no(kMerchant, order, 1), "T2", 400, kCny, kNow}, kInConsole});
  StatementLine of_own = line;
  of_own.channel_trade_no = "T2";
  of_own.out_trade_no = out_capture_no(kMerchant, order, 1);
  of_own.amount = 400;
  StatementLine of_refund = of_own;
  of_refund.kind = LineKind::refund;
  of_refund.out_refund_no = out_number(kMerchant, refund(order, own, 100).value);
  of_refund.amount = 100;
  const std::vector<StatementLine> lines = {line, of_own, of_refund};
  for (int run = 0; run < 2; ++run) {
    StatementMatcher matcher(task_of(add_statement(1, kDate)));
    for (const StatementLine& one : lines) EXPECT_TRUE(matcher.add(one));
    EXPECT_TRUE(matcher.finish_lines());
    EXPECT_TRUE(sender_.settle());
    EXPECT_EQ(matcher.counts().matched, 3);
    EXPECT_EQ(matcher.counts().recorded, 3);
  }
  EXPECT_EQ(differences(), Found{});
  EXPECT_TRUE(unknown_receipts().empty()) << "the console capture is booked for its order";
}

TEST_F(StatementMatcherTest, ALineThatDiffersFromAConsoleCaptureIsADifference) {
  const OrderId order = held_order();
  report_hold(order, {kInConsole});
  StatementLine line = console_line(kInConsole);
  line.amount += 1;
  EXPECT_EQ(compare(1, kDate, line).differences, 1);
  EXPECT_EQ(differences(), Found{"amount_mismatch open 2026-09-21"});
  EXPECT_EQ(amount_of(DifferenceClass::amount_mismatch), 1);
}

TEST_F(StatementMatcherTest, ALineBeforeTheReportOfAConsoleCaptureIsAnUnknownReceiptThatCannotBeAssigned) {
  const OrderId order = held_order();
  EXPECT_EQ(compare(1, kDate, console_line(kInConsole)).repaired, 1);
  ASSERT_EQ(unknown_receipts().size(), 1U);
  EXPECT_FALSE(unknown_receipts().front().unknown_receipt.is_contradicted);
  report_hold(order, {kInConsole});
  EXPECT_EQ(order_with(order).receipts.size(), 1U);
  EXPECT_TRUE(unknown_receipts().front().unknown_receipt.is_contradicted);
}

TEST_F(StatementMatcherTest, AVersionWithoutTheSecondLineEndsTheDuplicate) {
  world_.execute(world_.evidence_command(payment_, paid("T1")));
  compare(1, kDate, {line_with_fee(), line_with_fee()}, {});
  EXPECT_EQ(differences(), Found{"duplicate_at_channel open 2026-09-21"});
  for (int run = 0; run < 2; ++run) {
    compare(2, kDate, {line_with_fee()}, {line_with_fee(), line_with_fee()});
    EXPECT_EQ(differences(), Found{"duplicate_at_channel repaired 2026-09-21"});
  }
}

TEST_F(StatementMatcherTest, AMatchedLineThatIsWithdrawnIsADifference) {
  world_.execute(world_.evidence_command(payment_, paid("T1")));
  compare(1, kDate, {line_with_fee()}, {});
  compare(2, kDate, {}, {line_with_fee()});
  EXPECT_EQ(differences(), Found{"line_withdrawn open 2026-09-21"});
  EXPECT_EQ(amount_of(DifferenceClass::line_withdrawn), -kAmount);
}

TEST_F(StatementMatcherTest, EachPhaseRenewsTheClaimOfTheStatement) {
  const Statement statement = add_statement(1, "2026-09-21");
  int renewed = 0;
  MatchTask task = task_of(statement);
  task.renew_claim = [&renewed]() -> Result<void> {
    ++renewed;
    return {};
  };
  StatementMatcher matcher(task);
  EXPECT_TRUE(matcher.add(line_with_fee()));
  EXPECT_TRUE(matcher.finish_lines());
  EXPECT_GT(std::exchange(renewed, 0), 0);
  EXPECT_TRUE(matcher.find_missing());
  EXPECT_GT(renewed, 0);
}

TEST_F(StatementMatcherTest, AComparisonEndsWhenItsClaimIsLost) {
  const Statement statement = add_statement(1, "2026-09-21");
  MatchTask task = task_of(statement);
  task.renew_claim = [] { return Result<void>(fail("another server works on it")); };
  StatementMatcher matcher(task);
  EXPECT_FALSE(matcher.find_missing());
}

TEST_F(StatementMatcherTest, ARepairOfAnInterruptedComparisonIsRecordedOnce) {
  Evidence evidence = paid("T1");
  evidence.source = CauseKind::statement;
  world_.execute(world_.evidence_command(payment_, evidence));
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(compare(1, "2026-09-21", line_with_fee(), StatementState::matching).repaired, 1);
    EXPECT_EQ(differences(), Found{"late_status repaired 2026-09-21"});
  }
  EXPECT_EQ(amount_of(DifferenceClass::late_status), kAmount);
}

TEST_F(StatementMatcherTest, APaymentThatNoLineHasRepairedIsOnlyMatchedAfterAnInterruption) {
  world_.execute(world_.evidence_command(payment_, paid("T1")));
  EXPECT_EQ(compare(1, "2026-09-21", line_with_fee(), StatementState::matching).matched, 1);
  EXPECT_EQ(differences(), Found{});
}

TEST_F(StatementMatcherTest, AnotherFeeEndsWhenTheRateIsCorrected) {
  world_.execute(world_.evidence_command(payment_, paid("T1")));
  compare(1, "2026-09-21", line_with_fee(0));
  EXPECT_EQ(differences(), Found{"cost_mismatch open 2026-09-21"});
  rates_.front().basis_points = 0;
  EXPECT_EQ(compare(1, "2026-09-21", line_with_fee(0)).matched, 1);
  EXPECT_EQ(differences(), Found{"cost_mismatch repaired 2026-09-21"});
}

}  // namespace
}  // namespace finality
