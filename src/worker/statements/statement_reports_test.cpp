// Tests of the differences about balances, with an engine and a store in memory.
#include "worker/statements/statement_reports.h"

#include "decide/exception/approve_resolution.h"
#include "decide/exception/propose_resolution.h"
#include "worker/statements/test_matcher.h"

namespace finality {
namespace {

using namespace test;

constexpr const char* kFirst = "2026-09-20";
constexpr const char* kSecond = "2026-09-21";
constexpr const char* kThird = "2026-09-22";
constexpr MinorUnits kCredits = 30;

class StatementReportsTest : public MatcherTest {
 protected:
  /// A day with credits of kCredits. Its balances agree with them unless `closing` is set.
  static StatementSums day(MinorUnits opening, std::optional<MinorUnits> closing = std::nullopt) {
    return {.currency = kCny,
            .lines = 1,
            .credits = kCredits,
            .opening_balance = opening,
            .closing_balance = closing.value_or(opening + kCredits)};
  }
  /// Checks the balances of a statement, and stores it as compared.
  void check(std::int64_t id, const std::string& date, const std::vector<StatementSums>& sums,
             StatementState state = StatementState::matched) {
    Statement statement = add_statement(id, date, StatementKind::funds);
    statement.file_version = id;
    const auto checked = StatementReports(*reader_, sender_).check_balances(statement, sums);
    ASSERT_TRUE(checked) << checked.error().message;
    statement.state = state;
    StatementAggregate stored{statement, {}, {}};
    for (const StatementSums& one : sums)
      stored.totals.push_back({.id = StatementTotalId{id},
                               .statement_id = statement.id,
                               .currency = one.currency,
                               .credits = one.credits,
                               .opening_balance = one.opening_balance,
                               .closing_balance = one.closing_balance});
    const std::unique_lock lock(tables_->mutex);
    tables_->of<StatementAggregate>().insert_or_assign(statement.id, stored);
  }
  void keep_open_break() {
    const DifferenceId id = reader_->differences({.state = DifferenceState::open}, {.limit = 1})->rows.front().id;
    const CaseId row = reader_->difference(id)->value().cases.front().id;
    world_.execute(ProposeResolution{kPlatform, id, row, "keep", "checked with the channel", "key_a", {}});
    ApproveResolution approve{kPlatform, id, row, "key_b", {}, "sandbox", kCny};
    approve.version = reader_->find_case(row)->value().version;
    world_.execute(approve);
  }
  void expect_breaks(const States& states) { EXPECT_EQ(differences_of(DifferenceClass::balance_break), states); }
};

TEST_F(StatementReportsTest, BalancesThatContinueAndAgreeWithTheLinesAreNoDifference) {
  check(1, kFirst, {day(100)});
  check(2, kSecond, {day(130)});
  expect_breaks({});
}

TEST_F(StatementReportsTest, AClosingBalanceThatTheLinesDoNotGiveIsADifference) {
  for (int run = 0; run < 2; ++run) {
    check(1, kFirst, {day(100, 135)});
    expect_breaks({"open 5"});
  }
  check(2, kFirst, {day(100)});
  expect_breaks({"repaired 5"});
}

TEST_F(StatementReportsTest, ABreakWithinADayIsApartFromTheBreakBeforeIt) {
  check(1, kFirst, {day(100)});
  check(2, kSecond, {day(132, 165)});
  expect_breaks({"open 3", "open 2"});
  check(3, kSecond, {day(132)});
  expect_breaks({"repaired 3", "open 2"});
}

TEST_F(StatementReportsTest, ACorrectedBreakReplacesTheEarlierOne) {
  check(1, kFirst, {day(100)});
  check(2, kSecond, {day(137)});
  expect_breaks({"open 7"});
  check(3, kSecond, {day(134)});
  expect_breaks({"repaired 7", "open 4"});
}

TEST_F(StatementReportsTest, ABreakThatEndedIsFoundAgain) {
  check(1, kFirst, {day(100)});
  check(2, kSecond, {day(137)});
  check(3, kSecond, {day(130)});
  expect_breaks({"repaired 7"});
  for (const std::int64_t version : {4, 4}) {
    check(version, kSecond, {day(137)});
    expect_breaks({"repaired 7", "open 7"});
  }
  check(5, kSecond, {day(130)});
  expect_breaks({"repaired 7", "repaired 7"});
}

TEST_F(StatementReportsTest, ACorrectionOfAKeptBreakIsTheRest) {
  check(1, kFirst, {day(100)});
  check(2, kSecond, {day(137)});
  keep_open_break();
  check(3, kSecond, {day(137)});
  expect_breaks({"resolved 7"});
  check(4, kSecond, {day(130)});
  expect_breaks({"resolved 7", "open -7"});
  check(5, kSecond, {day(137)});
  expect_breaks({"resolved 7", "repaired -7"});
}

TEST_F(StatementReportsTest, AnEmptyDayConnectsTheDaysAroundIt) {
  check(1, kFirst, {day(100)});
  check(2, kThird, {day(131)});
  expect_breaks({});
  check(3, kSecond, {}, StatementState::empty);
  expect_breaks({"open 1"});
  check(4, kThird, {day(130)});
  expect_breaks({"repaired 1"});
}

TEST_F(StatementReportsTest, ADayWithoutTheCurrencyConnectsTheDaysAroundIt) {
  check(1, kFirst, {day(100)});
  check(2, kThird, {day(131)});
  check(3, kSecond, {{.currency = *parse_currency("EUR"), .opening_balance = 1, .closing_balance = 1}});
  expect_breaks({"open 1"});
}

}  // namespace
}  // namespace finality
