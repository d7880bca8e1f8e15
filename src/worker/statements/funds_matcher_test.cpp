// Tests of the comparison of funds statements with the books, with an engine and a store in memory.
#include "worker/statements/funds_matcher.h"

#include "worker/statements/test_matcher.h"

namespace finality {
namespace {

using namespace test;

constexpr StatementKind kKinds[] = {StatementKind::trades, StatementKind::funds};
constexpr const char* kDate = "2026-09-21";

class FundsMatcherTest : public MatcherTest {
 protected:
  FundsMatcherTest() { world_.execute(world_.evidence_command(payment_, paid("T1"))); }

  StatementLine line_of(MinorUnits amount, std::string text = {}) const {
    StatementLine line = payment_line();
    line.line_id = text;
    line.amount = amount;
    return line;
  }
  FundsMatcher matcher_of(const Statement& statement, std::span<const StatementId> earlier = {}) {
    return FundsMatcher({.statement = statement,
                         .account = account_,
                         .plan = funds_plan_,
                         .rates = {},
                         .earlier = earlier,
                         .reader = *reader_,
                         .commands = sender_},
                        nullptr);
  }
  void finish(FundsMatcher& matcher) {
    EXPECT_TRUE(matcher.finish_lines());
    EXPECT_TRUE(sender_.settle());
  }
  /// Compares the second version of a statement, whose first version contained only `before`.
  FundsResult compare_versions(const StatementLine& before, const std::vector<StatementLine>& now) {
    return compare_versions(std::vector{before}, now);
  }
  FundsResult compare_versions(const std::vector<StatementLine>& before, const std::vector<StatementLine>& now) {
    const Statement first = add_statement(1, kDate, StatementKind::funds);
    FundsMatcher matcher = matcher_of(first);
    for (const StatementLine& line : before) EXPECT_TRUE(matcher.add(line));
    finish(matcher);
    const Statement second = add_statement(2, kDate, StatementKind::funds);
    const StatementId earlier[] = {first.id};
    FundsMatcher next = matcher_of(second, earlier);
    for (const StatementLine& line : now) next.note(line);
    for (const StatementLine& line : now) EXPECT_TRUE(next.add(line));
    finish(next);
    for (const StatementLine& line : before) EXPECT_TRUE(next.add_earlier(line));
    EXPECT_TRUE(next.finish_earlier());
    return next.result();
  }

  const StatementPlan funds_plan_{.kinds = kKinds};
};

TEST_F(FundsMatcherTest, ALineReplacesTheLineOfAnEarlierVersion) {
  const FundsResult result = compare_versions(line_of(kAmount), {line_of(kAmount, "changed")});
  EXPECT_EQ(differences(), Found{});
  ASSERT_EQ(result.booked.size(), 1U);
  EXPECT_EQ(result.booked.front().booked_on, kDate);
}

TEST_F(FundsMatcherTest, OnlyOneLineReplacesTheLineOfAnEarlierVersion) {
  const FundsResult result =
      compare_versions(line_of(kAmount), {line_of(kAmount, "changed"), line_of(kAmount, "repeated")});
  EXPECT_EQ(differences(), Found{"duplicate_at_channel open 2026-09-21"});
  ASSERT_EQ(result.booked.size(), 1U);
  EXPECT_EQ(result.booked.front().amount, kAmount);
}

TEST_F(FundsMatcherTest, ALineThatReplacesAnotherAmountIsADifference) {
  const FundsResult result = compare_versions(line_of(kAmount), {line_of(kAmount + 1)});
  EXPECT_EQ(differences(), Found{"amount_mismatch open 2026-09-21"});
  EXPECT_EQ(amount_of(DifferenceClass::amount_mismatch), 1);
  EXPECT_TRUE(result.booked.empty());
}

TEST_F(FundsMatcherTest, ACorrectedLineEndsTheDifferenceOfTheEarlierVersion) {
  const FundsResult result = compare_versions(line_of(kAmount + 1), {line_of(kAmount)});
  EXPECT_EQ(differences(), Found{"amount_mismatch repaired 2026-09-21"});
  EXPECT_EQ(result.booked.size(), 1U);
}

TEST_F(FundsMatcherTest, AVersionWithoutTheSecondLineEndsTheDuplicate) {
  compare_versions({line_of(kAmount), line_of(kAmount)}, {line_of(kAmount)});
  EXPECT_EQ(differences(), Found{"duplicate_at_channel repaired 2026-09-21"});
}

TEST_F(FundsMatcherTest, AVersionWithoutAnUnknownLineEndsItsDifference) {
  StatementLine unknown = line_of(-1);
  unknown.kind = LineKind::other;
  unknown.out_trade_no.clear();
  compare_versions({line_of(kAmount), unknown}, {line_of(kAmount)});
  EXPECT_EQ(differences(), Found{"funds_line_unknown repaired 2026-09-21"});
}

TEST_F(FundsMatcherTest, ADocumentIsMatchedOnceAlthoughItsLinesAreInSeveralGroups) {
  const Statement statement = add_statement(1, kDate, StatementKind::funds);
  FundsMatcher matcher = matcher_of(statement);
  constexpr int kGroups = 3;
  constexpr int kLinesPerGroup = 256;
  for (int i = 0; i < kGroups * kLinesPerGroup; ++i) EXPECT_TRUE(matcher.add(line_of(kAmount)));
  finish(matcher);
  EXPECT_EQ(matcher.counts().matched, 1);
  EXPECT_EQ(matcher.counts().recorded, 1);
  EXPECT_EQ(matcher.counts().differences, kGroups * kLinesPerGroup - 1);
}

}  // namespace
}  // namespace finality
