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

  static StatementLine credit() {
    return {.line_no = 1, .kind = LineKind::bank_credit, .currency = kCny, .amount = kAmount, .at = test::kNow};
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

}  // namespace
}  // namespace finality
