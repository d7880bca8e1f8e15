// Tests of the comparison of books and statements by day, with a store in memory.
#include "query/reconciliation.h"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>

#include "store/memory/store.h"
#include "store/memory/tables.h"

namespace finality::query {
namespace {

using enum StatementState;

const Currency kCny = *parse_currency("CNY");
constexpr StatementKind kKinds[] = {StatementKind::funds};
constexpr std::string_view kFundsAccounts[] = {"basic", "fees"};
constexpr MinorUnits kClosing = 100;

class ReconciliationTest : public testing::Test {
 protected:
  /// Adds the funds statement of that day. A matched statement states the balances 0 and kClosing.
  void add(const std::string& date, StatementState state, const std::string& funds_account = {}) {
    StatementAggregate made;
    made.statement.id = StatementId{++ids_};
    made.statement.channel_account_id = account_.id;
    made.statement.kind = StatementKind::funds;
    made.statement.funds_account = funds_account;
    made.statement.date = date;
    made.statement.state = state;
    if (state == matched)
      made.totals.push_back({.id = StatementTotalId{++ids_},
                             .statement_id = made.statement.id,
                             .currency = kCny,
                             .opening_balance = 0,
                             .closing_balance = kClosing});
    made.statement.children = presence_of(made);
    const std::unique_lock lock(tables_->mutex);
    tables_->of<StatementAggregate>().emplace(made.statement.id, std::move(made));
  }
  Reconciliation of_day(const std::string& date) {
    const auto rows = reconcile(*reader_, account_, plan_, {date, date});
    EXPECT_TRUE(rows && rows->size() == 1);
    return rows && rows->size() == 1 ? rows->front() : Reconciliation{};
  }
  void expect_unknown_since(const std::string& since, const std::string& date) {
    const Reconciliation row = of_day(date);
    EXPECT_EQ(row.unknown_since, since);
    EXPECT_FALSE(row.proof);
    EXPECT_EQ(row.result, ReconciliationResult::incomplete);
  }
  void expect_closing(MinorUnits closing, const std::string& date) {
    const Reconciliation row = of_day(date);
    EXPECT_EQ(row.unknown_since, "");
    ASSERT_TRUE(row.proof);
    EXPECT_EQ(row.proof->statement, closing);
  }

  std::shared_ptr<memory::Tables> tables_ = std::make_shared<memory::Tables>();
  memory::MemoryStore store_{tables_};
  std::unique_ptr<Reader> reader_ = std::move(*store_.open_reader());
  const ChannelAccount account_{.id = ChannelAccountId{5}, .channel = "sandbox", .kind = "sandbox"};
  StatementPlan plan_{.kinds = kKinds};
  std::int64_t ids_ = 0;
};

TEST_F(ReconciliationTest, AnEmptyDayHasTheBalanceOfTheDayBefore) {
  add("2026-09-19", matched);
  add("2026-09-20", empty);
  add("2026-09-21", empty);
  expect_closing(kClosing, "2026-09-21");
}

TEST_F(ReconciliationTest, TheBalanceIsUnknownAfterADayThatWasNotCompared) {
  add("2026-09-19", matched);
  add("2026-09-20", rejected);
  add("2026-09-21", empty);
  add("2026-09-22", matched);
  expect_closing(kClosing, "2026-09-19");
  expect_unknown_since("2026-09-20", "2026-09-20");
  expect_unknown_since("2026-09-20", "2026-09-21");
  expect_closing(kClosing, "2026-09-22");
}

TEST_F(ReconciliationTest, TheBalanceIsUnknownAfterADayWithoutAStatement) {
  add("2026-09-19", matched);
  add("2026-09-22", empty);
  expect_unknown_since("2026-09-20", "2026-09-21");
  expect_unknown_since("2026-09-20", "2026-09-22");
}

TEST_F(ReconciliationTest, TheBalanceIsUnknownIfThatOfOneFundsAccountIs) {
  plan_.funds_accounts = kFundsAccounts;
  for (const std::string day : {"2026-09-19", "2026-09-20"}) add(day, matched, "basic");
  add("2026-09-19", expected, "fees");
  add("2026-09-20", empty, "fees");
  expect_unknown_since("2026-09-19", "2026-09-20");
}

}  // namespace
}  // namespace finality::query
