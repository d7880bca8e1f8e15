// Tests of the comparison of bank statements with the books, with an engine and a store in memory.
#include "worker/statements/bank/bank_matcher.h"

#include "base/id.h"
#include "worker/statements/test_matcher.h"

namespace finality {
namespace {

using namespace test;

constexpr AccountId kBankAccount{70};

class BankMatcherTest : public MatcherTest {
 protected:
  BankMatcherTest() {
    const std::unique_lock lock(tables_->mutex);
    tables_->of<Account>().emplace(kBankAccount, Account{.id = kBankAccount,
                                                         .merchant_id = kPlatform,
                                                         .kind = AccountKind::bank,
                                                         .channel_account_id = account_.id,
                                                         .currency = kCny});
  }

  static StatementLine credit(std::string number = {}, MinorUnits amount = kAmount) {
    return {.line_no = 1,
            .kind = LineKind::bank_credit,
            .line_id = std::move(number),
            .currency = kCny,
            .amount = amount,
            .at = test::kNow};
  }
  /// Adds an entry that credit() can report. `number` distinguishes the entries.
  EntryId add_entry(std::int64_t number) {
    const EntryId id{first_id_at(test::kNow) + number};
    const std::unique_lock lock(tables_->mutex);
    tables_->entries.emplace(id, Entry{.id = id,
                                       .journal_id = id,
                                       .merchant_id = kPlatform,
                                       .account_id = kBankAccount,
                                       .amount = -kAmount,
                                       .currency = kCny,
                                       .type = EntryType::channel_withdrawal,
                                       .document_type = ObjectType::statement,
                                       .document_id = 9,
                                       .created_at = test::kNow});
    return id;
  }
  /// Stores the match that a run has committed before it stopped.
  void add_match(EntryId entry, StatementId statement) {
    const std::unique_lock lock(tables_->mutex);
    tables_->of<FundsMatch>().emplace(entry.value, FundsMatch{.document_id = entry.value,
                                                              .document_type = ObjectType::entry,
                                                              .merchant_id = kPlatform,
                                                              .channel_account_id = account_.id,
                                                              .statement_id = statement,
                                                              .line_no = 1,
                                                              .line = key_of_line(account_.id, credit(), 0),
                                                              .amount = kAmount,
                                                              .created_at = test::kNow});
  }
  std::size_t matches() {
    const std::shared_lock lock(tables_->mutex);
    return tables_->of<FundsMatch>().size();
  }
  BankMatcher compare(const Statement& statement, const std::vector<StatementLine>& lines) {
    BankMatcher matcher({.statement = statement,
                         .account = account_,
                         .plan = plan_,
                         .rates = {},
                         .earlier = {},
                         .reader = *reader_,
                         .commands = sender_});
    for (const StatementLine& line : lines) EXPECT_TRUE(matcher.add(line));
    EXPECT_TRUE(matcher.finish_lines());
    return matcher;
  }
  /// Compares the newest of these versions of a day, which have the ids from 1.
  MatchCounts compare_newest(const std::vector<std::vector<StatementLine>>& versions) {
    const auto newest = static_cast<std::int64_t>(versions.size());
    const Statement statement = add_statement(newest, "2026-09-21", StatementKind::bank);
    std::vector<StatementId> earlier;
    for (std::int64_t id = newest - 1; id >= 1; --id) earlier.emplace_back(id);
    BankMatcher matcher({.statement = statement,
                         .account = account_,
                         .plan = plan_,
                         .rates = {},
                         .earlier = earlier,
                         .reader = *reader_,
                         .commands = sender_});
    for (std::size_t i = 0; i + 1 < versions.size(); ++i) {
      LineKeys keys(account_.id);
      for (const StatementLine& line : versions[i])
        matcher.note_earlier(line, keys.next(line), i + 2 == versions.size());
      matcher.end_noted_version();
    }
    for (const StatementLine& line : versions.back()) EXPECT_TRUE(matcher.add(line));
    EXPECT_TRUE(matcher.finish_lines());
    if (versions.size() > 1)
      for (const StatementLine& line : versions[versions.size() - 2]) EXPECT_TRUE(matcher.add_earlier(line));
    EXPECT_TRUE(matcher.finish_earlier());
    return matcher.counts();
  }
};

TEST_F(BankMatcherTest, ARepeatedComparisonFindsItsMatches) {
  add_entry(1);
  const Statement statement = add_statement(1, "2026-09-21", StatementKind::bank);
  for (int run = 0; run < 2; ++run) {
    const BankMatcher matcher = compare(statement, {credit()});
    EXPECT_EQ(matcher.counts().matched, 1);
    EXPECT_EQ(matcher.counts().recorded, 1);
    ASSERT_EQ(matcher.result().booked.size(), 1U);
    EXPECT_EQ(matcher.result().booked.front().amount, kAmount);
  }
  EXPECT_EQ(matches(), 1U);
}

TEST_F(BankMatcherTest, ACarriedLineTakesOneEntryAlthoughARunHasStopped) {
  compare(add_statement(1, "2026-09-20", StatementKind::bank), {credit()});
  EXPECT_EQ(differences(), Found{"funds_line_unknown carried 2026-09-20"});
  const Statement next = add_statement(2, "2026-09-21", StatementKind::bank);
  add_match(add_entry(1), next.id);
  add_entry(2);
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(compare(next, {}).counts().recorded, 1);
    EXPECT_EQ(differences(), Found{"funds_line_unknown repaired 2026-09-20"});
    EXPECT_EQ(matches(), 1U);
  }
}

TEST_F(BankMatcherTest, AMatchOfAStoppedRunEndsTheDifferenceOfItsLine) {
  const Statement statement = add_statement(1, "2026-09-21", StatementKind::bank);
  compare(statement, {credit()});
  EXPECT_EQ(differences(), Found{"funds_line_unknown carried 2026-09-21"});
  add_match(add_entry(1), statement.id);
  for (int run = 0; run < 2; ++run) {
    const BankMatcher matcher = compare(statement, {credit()});
    EXPECT_EQ(matcher.counts().matched, 1);
    EXPECT_EQ(matcher.result().booked.size(), 1U);
    EXPECT_EQ(differences(), Found{"funds_line_unknown repaired 2026-09-21"});
  }
}

TEST_F(BankMatcherTest, AnotherExportOfTheDayTakesOverTheMatches) {
  add_entry(1);
  add_entry(2);
  std::vector<std::vector<StatementLine>> versions{{credit("A"), credit("B")}};
  EXPECT_EQ(compare_newest(versions).matched, 2);
  versions.push_back({credit("D"), credit("C")});
  versions.push_back({credit(), credit()});
  for (const std::size_t count : {2, 3, 3}) {
    const MatchCounts counts =
        compare_newest({versions.begin(), versions.begin() + static_cast<std::ptrdiff_t>(count)});
    EXPECT_EQ(counts.matched, 2);
    EXPECT_EQ(counts.recorded, 0) << "the first version has recorded them";
    EXPECT_EQ(matches(), 2U);
    EXPECT_EQ(differences(), Found{});
  }
}

TEST_F(BankMatcherTest, AnotherExportOfTheDayTakesOverTheDifferences) {
  compare_newest({{credit("A")}});
  compare_newest({{credit("A")}, {credit("B")}});
  EXPECT_EQ(differences(), Found{"funds_line_unknown carried 2026-09-21"});
  add_entry(1);
  for (int run = 0; run < 2; ++run) {
    compare_newest({{credit("A")}, {credit("B")}, {credit("C")}});
    EXPECT_EQ(differences(), Found{"funds_line_unknown repaired 2026-09-21"});
    EXPECT_EQ(matches(), 1U);
  }
}

TEST_F(BankMatcherTest, AnExportWithoutOneOfEqualLinesWithdrawsOne) {
  compare_newest({{credit("A"), credit("B")}});
  EXPECT_EQ(differences_of(DifferenceClass::funds_line_unknown).size(), 2U);
  compare_newest({{credit("A"), credit("B")}, {credit("C")}});
  EXPECT_EQ(differences(), (Found{"funds_line_unknown carried 2026-09-21", "funds_line_unknown repaired 2026-09-21"}));
}

TEST_F(BankMatcherTest, AVersionWithAWrongAmountLeavesNothingAfterTheRightOne) {
  add_entry(1);
  const std::vector right{credit("A")};
  const std::vector wrong{credit("A", kAmount + 20)};
  const std::string more = fmt::format("{}", kAmount + 20);
  const std::string less = fmt::format("{}", -kAmount);
  const auto expect = [&](const States& unknown, const States& withdrawn) {
    EXPECT_EQ(differences_of(DifferenceClass::funds_line_unknown), unknown);
    EXPECT_EQ(differences_of(DifferenceClass::line_withdrawn), withdrawn);
  };
  compare_newest({right});
  for (int run = 0; run < 2; ++run) {
    compare_newest({right, wrong});
    expect({"carried " + more}, {"open " + less});
  }
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(compare_newest({right, wrong, right}).matched, 1);
    expect({"repaired " + more}, {"repaired " + less});
  }
  for (int run = 0; run < 2; ++run) {
    compare_newest({right, wrong, right, wrong});
    expect({"repaired " + more, "carried " + more}, {"repaired " + less, "open " + less});
  }
  compare_newest({right, wrong, right, wrong, right});
  expect({"repaired " + more, "repaired " + more}, {"repaired " + less, "repaired " + less});
}

TEST_F(BankMatcherTest, ALineThatTheNewestVersionDoesNotContainMatchesNoEntry) {
  compare_newest({{credit("A")}});
  add_entry(1);
  compare_newest({{credit("A")}, {}});
  EXPECT_EQ(differences(), Found{"funds_line_unknown repaired 2026-09-21"});
  EXPECT_EQ(matches(), 0U);
}

}  // namespace
}  // namespace finality
