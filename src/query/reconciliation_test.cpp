// Tests of the comparison of books and statements by day, with a store in memory.
#include "query/reconciliation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/time/date.h"
#include "query/render_reconciliation.h"
#include "store/memory/store.h"
#include "store/memory/tables.h"

namespace finality::query {
namespace {

using enum StatementState;

const Currency kCny = *parse_currency("CNY");
const Currency kUsd = *parse_currency("USD");
constexpr StatementKind kKinds[] = {StatementKind::funds};
constexpr std::string_view kFundsAccounts[] = {"basic", "fees"};
constexpr MinorUnits kClosing = 100;

class ReconciliationTest : public testing::Test {
 protected:
  /// Adds the funds statement of that day. A matched statement states the balances 0 and kClosing in the currency.
  void add(const std::string& date, StatementState state, const std::string& funds_account = {},
           Currency currency = kCny, std::vector<StatementMovement> movements = {}) {
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
                             .currency = currency,
                             .opening_balance = 0,
                             .closing_balance = kClosing});
    for (StatementMovement& one : movements) {
      one.id = StatementMovementId{++ids_};
      one.statement_id = made.statement.id;
      made.movements.push_back(one);
    }
    made.statement.children = presence_of(made);
    const std::unique_lock lock(tables_->mutex);
    tables_->of<StatementAggregate>().emplace(made.statement.id, std::move(made));
  }
  /// Adds the account of the books, and a payment of kClosing in that currency.
  void add_payment(Time at, Currency currency) {
    const AccountId account{++ids_};
    const std::unique_lock lock(tables_->mutex);
    tables_->of<Account>().emplace(account, Account{.id = account,
                                                    .kind = AccountKind::channel_receivable,
                                                    .channel = account_.channel,
                                                    .channel_account_id = account_.id,
                                                    .currency = currency,
                                                    .balance = -kClosing,
                                                    .created_at = at});
    const EntryId entry{++ids_};
    tables_->entries.emplace(entry, Entry{.id = entry,
                                          .account_id = account,
                                          .amount = -kClosing,
                                          .currency = currency,
                                          .balance_after = -kClosing,
                                          .created_at = at});
  }
  /// Adds unknown lines of that day, each with the amount 1.
  void add_unknown_lines(int count, const std::string& date) {
    const std::unique_lock lock(tables_->mutex);
    for (int i = 0; i < count; ++i) {
      DifferenceAggregate made;
      made.difference.id = DifferenceId{++ids_};
      made.difference.channel_account_id = account_.id;
      made.difference.kind = StatementKind::funds;
      made.difference.date = date;
      made.difference.difference_class = DifferenceClass::funds_line_unknown;
      made.difference.amount = 1;
      made.difference.currency = kCny;
      made.difference.changes_balance = true;
      made.difference.children = presence_of(made);
      tables_->of<DifferenceAggregate>().emplace(made.difference.id, std::move(made));
    }
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

TEST_F(ReconciliationTest, TheDifferencesBeyondTheLimitAreSummed) {
  add("2026-09-19", matched);
  add_unknown_lines(120, "2026-09-19");
  const Reconciliation row = of_day("2026-09-19");
  ASSERT_TRUE(row.proof);
  EXPECT_EQ(row.proof->differences, 120);
  EXPECT_EQ(row.open.size(), 100u);
  EXPECT_EQ(row.unlisted.count, 20);
  EXPECT_EQ(row.unlisted.proof_count, 20);
  EXPECT_EQ(row.unlisted.proof_amount, 20) << "the items add up to the proof";
  const std::string json = reconciliation_json(account_, row);
  EXPECT_NE(json.find(R"({"type":"further_differences","count":20,"amount":20})"), std::string::npos) << json;
  const std::string page = reconciliation_page(account_, std::span(&row, 1));
  EXPECT_NE(page.find("And 20 further differences, 20 of them in the proof with the sum 0.20 CNY."), std::string::npos);
}

TEST_F(ReconciliationTest, WithinTheLimitNoFurtherDifferencesAreShown) {
  add("2026-09-19", matched);
  add_unknown_lines(100, "2026-09-19");
  const Reconciliation row = of_day("2026-09-19");
  EXPECT_EQ(row.unlisted.count, 0);
  EXPECT_EQ(reconciliation_json(account_, row).find("further_differences"), std::string::npos);
  EXPECT_EQ(reconciliation_page(account_, std::span(&row, 1)).find("further differences"), std::string::npos);
}

TEST_F(ReconciliationTest, ADayOfANewAccountWhoseStatementsAreMissingIsIncomplete) {
  const Reconciliation row = of_day("2026-09-19");
  EXPECT_EQ(row.currency, kNoCurrency);
  EXPECT_EQ(row.result, ReconciliationResult::incomplete);
  EXPECT_EQ(row.missing, std::vector{StatementKind::funds});
  const std::string page = reconciliation_page(account_, std::span(&row, 1));
  EXPECT_NE(page.find("<td>funds</td><td>–</td><td>missing</td>"), std::string::npos) << page;
  add("2026-09-19", expected);
  EXPECT_EQ(of_day("2026-09-19").result, ReconciliationResult::incomplete);
  EXPECT_TRUE(of_day("2026-09-19").missing.empty());
}

TEST_F(ReconciliationTest, NothingIsExpectedBeforeTheAccountWasCreated) {
  ChannelAccount young = account_;
  young.created_at = *start_of_day("2026-09-20", plan_.utc_offset);
  const auto rows = reconcile(*reader_, young, plan_, {"2026-09-19", "2026-09-20"});
  ASSERT_TRUE(rows && rows->size() == 1);
  EXPECT_EQ(rows->front().date, "2026-09-20");
}

TEST_F(ReconciliationTest, ACurrencyHasNoRowsBeforeItsFirstDay) {
  add("2026-09-19", matched);
  add("2026-09-20", matched, {}, kUsd);
  EXPECT_EQ(of_day("2026-09-19").currency, kCny);
  const auto rows = reconcile(*reader_, account_, plan_, {"2026-09-19", "2026-09-20"});
  ASSERT_TRUE(rows);
  std::set<std::pair<std::string, Currency>> found;
  for (const Reconciliation& row : *rows) found.emplace(row.date, row.currency);
  const std::set<std::pair<std::string, Currency>> expected{
      {"2026-09-19", kCny}, {"2026-09-20", kCny}, {"2026-09-20", kUsd}};
  EXPECT_TRUE(found == expected);
  for (const Reconciliation& row : *rows) EXPECT_NE(row.result, ReconciliationResult::incomplete) << row.date;
}

TEST_F(ReconciliationTest, ADayBeforeTheAccountWasCreatedHasNoRowsAfterItsFirstPayment) {
  add_payment(*start_of_day("2026-09-21", plan_.utc_offset), kCny);
  ChannelAccount young = account_;
  young.created_at = *start_of_day("2026-09-20", plan_.utc_offset);
  const auto rows = reconcile(*reader_, young, plan_, {"2026-09-19", "2026-09-19"});
  ASSERT_TRUE(rows);
  EXPECT_TRUE(rows->empty());
}

TEST_F(ReconciliationTest, APaymentBeforeTheFirstStatementInItsCurrencyIsListedLater) {
  add("2026-09-19", matched);
  add("2026-09-20", matched);
  add_payment(*start_of_day("2026-09-20", plan_.utc_offset) - std::chrono::seconds(1), kUsd);
  const auto usd_of = [&](const std::string& date) {
    const auto rows = reconcile(*reader_, account_, plan_, {date, date});
    EXPECT_TRUE(rows && rows->size() == 2);
    return *std::ranges::find(*rows, kUsd, &Reconciliation::currency);
  };
  EXPECT_EQ(usd_of("2026-09-19").result, ReconciliationResult::incomplete) << "no statement states the balance yet";
  add("2026-09-21", matched, {}, kUsd, {{.currency = kUsd, .booked_on = "2026-09-19", .lines = 1, .amount = kClosing}});
  for (const std::string date : {"2026-09-19", "2026-09-20"}) {
    const Reconciliation row = usd_of(date);
    ASSERT_TRUE(row.proof) << date;
    EXPECT_EQ(row.proof->statement, 0);
    EXPECT_EQ(row.proof->listed_later, kClosing);
    EXPECT_EQ(row.result, ReconciliationResult::balanced);
  }
  EXPECT_EQ(usd_of("2026-09-21").proof->statement, kClosing);
  EXPECT_EQ(usd_of("2026-09-21").result, ReconciliationResult::balanced);
}

TEST_F(ReconciliationTest, TheBalanceBeforeTheFirstStatementInACurrencyIsUnknownIfADayIsNotCompared) {
  add("2026-09-19", matched);
  add("2026-09-20", rejected);
  add("2026-09-21", matched, {}, kUsd);
  add_payment(*start_of_day("2026-09-20", plan_.utc_offset) - std::chrono::seconds(1), kUsd);
  const auto rows = reconcile(*reader_, account_, plan_, {"2026-09-19", "2026-09-19"});
  ASSERT_TRUE(rows && rows->size() == 2);
  for (const Reconciliation& row : *rows)
    EXPECT_EQ(row.proof.has_value(), row.currency == kCny) << "the missing day can contain the payment";
}

TEST_F(ReconciliationTest, DaysThatHaveNotEndedAreRefused) {
  const Time now = *start_of_day("2026-09-20", plan_.utc_offset);
  EXPECT_EQ(last_ended_day(plan_, now), "2026-09-19");
  EXPECT_TRUE(check_days({"2026-09-19", "2026-09-19"}, plan_, now));
  const auto bound_of = [&](const ReconciliationDays& days) {
    const auto checked = check_days(days, plan_, now);
    return checked ? std::string_view() : checked.error().bound;
  };
  EXPECT_EQ(bound_of({"2026-09-19", "2026-09-20"}), "to");
  EXPECT_EQ(bound_of({"2026-09-20", "2026-09-19"}), "from");
  EXPECT_EQ(bound_of({"2026-09-19", "2026-09-18"}), "from");
  EXPECT_EQ(bound_of({"2026-08-19", "2026-09-18"}), "");
  EXPECT_EQ(bound_of({"2026-08-19", "2026-09-19"}), "from");
}

TEST_F(ReconciliationTest, ThePageListsTheStatementsTheNetAmountsAndTheFees) {
  add("2026-09-19", matched);
  Reconciliation row = of_day("2026-09-19");
  ASSERT_EQ(row.statements.size(), 1u);
  row.statements.front().received_at = *parse_rfc3339("2026-09-20T02:00:00.000Z");
  row.their_payments = {2, 1000};
  row.their_refunds = {1, 300};
  row.their_fee_e5 = 600'000;
  const std::string page = reconciliation_page(account_, std::span(&row, 1));
  for (const std::string_view text : {"<td>matched</td><td>2026-09-20T02:00:00.000Z</td>", "<td>Net</td>", "7.00 CNY",
                                      "<td>Fees</td>", "6.00000 CNY"})
    EXPECT_NE(page.find(text), std::string::npos) << text << "\n" << page;
}

}  // namespace
}  // namespace finality::query
