// Tests of the commands about statements: expected, claimed, received in versions, and ended.
#include <gtest/gtest.h>

#include "base/time/date.h"
#include "decide/statement/index_statement.h"
#include "decide/statement/receive_statement.h"
#include "decide/statement/step_statement.h"
#include "decide/testing/test_world.h"

namespace finality::test {
namespace {

using E = StatementEvent;
using S = StatementState;

class StatementTest : public testing::Test {
 protected:
  const Statement& get(StatementId id) const { return world_.store.statements.at(id).statement; }
  StatementId expect() {
    return StatementId{world_.run(ExpectStatement{.day = kDay, .due_at = world_.now + 1h})->object.value};
  }
  Decision step(StatementId id, E event, std::string failure = {}) {
    return world_.try_run(
        StepStatement{.statement_id = id, .event = event, .due_at = world_.now + 2min, .failure = std::move(failure)});
  }
  Decision receive(StatementId newest, std::string hash) {
    return world_.run(ReceiveStatement{.day = kDay,
                                       .newest = newest,
                                       .newest_version = get(newest).file_version,
                                       .sha256 = std::move(hash),
                                       .bytes = 4,
                                       .parts = {{"one"}, {"two"}}});
  }
  StatementId received(std::string hash = "h1") {
    return StatementId{receive(expect(), std::move(hash))->object.value};
  }
  StatementId matched() {
    const StatementId id = received();
    EXPECT_TRUE(step(id, E::match));
    StepStatement finish{.statement_id = id, .event = E::finish, .lines = 3, .matched = 2, .differences = 1};
    finish.sums = {{.currency = kCny, .lines = 3, .payments = 3, .paid = 300}};
    world_.run(finish);
    return id;
  }

  StatementId rejected() {
    const StatementId id = received();
    step(id, E::match);
    EXPECT_TRUE(step(id, E::reject, "line 3: the amount is invalid"));
    return id;
  }

  static inline const StatementDay kDay{ChannelAccountId{5}, "sandbox", StatementKind::trades, "", "2026-09-20"};
  World world_;
};

TEST_F(StatementTest, AStatementIsExpectedOnceAndBelongsToThePlatform) {
  const StatementId id = expect();
  EXPECT_EQ(get(id).state, S::expected);
  EXPECT_EQ(get(id).merchant_id, kPlatform);
  EXPECT_EQ(get(id).due_at, world_.now + 1h);
  EXPECT_EQ(expect(), id);
  EXPECT_EQ(world_.store.statements.size(), 1U);
}

TEST_F(StatementTest, AClaimWithAnOldDueTimeIsRefused) {
  const StatementId id = expect();
  const StepStatement claim{
      .statement_id = id, .event = E::fetch, .due_since = world_.now + 1h, .due_at = world_.now + 2h};
  EXPECT_TRUE(world_.try_run(claim));
  EXPECT_EQ(get(id).state, S::downloading);
  EXPECT_EQ(world_.refusal_of(claim), "illegal_transition");
}

TEST_F(StatementTest, ARenewedClaimIsNoFurtherDownload) {
  const StatementId id = expect();
  world_.now = world_.now + 1h;
  world_.run(
      StepStatement{.statement_id = id, .event = E::fetch, .due_since = world_.now, .due_at = world_.now + 5min});
  world_.now = world_.now + 3min;
  world_.run(
      StepStatement{.statement_id = id, .event = E::fetch, .due_since = get(id).due_at, .due_at = world_.now + 5min});
  EXPECT_EQ(get(id).tries, 1);
  EXPECT_EQ(get(id).due_at, world_.now + 5min);
}

TEST_F(StatementTest, ADownloadWithoutAStatementIsRepeated) {
  const StatementId id = expect();
  step(id, E::fetch);
  ASSERT_TRUE(step(id, E::not_ready, "the channel has no statement yet"));
  EXPECT_EQ(get(id).state, S::expected);
  EXPECT_EQ(get(id).failure, "the channel has no statement yet");
  EXPECT_EQ(get(id).tries, 1);
  EXPECT_EQ(get(id).due_at, world_.now + 2min);
}

TEST_F(StatementTest, AnEmptyDayIsNoLongerDue) {
  const StatementId id = expect();
  step(id, E::fetch);
  ASSERT_TRUE(step(id, E::report_empty));
  EXPECT_EQ(get(id).state, S::empty);
  EXPECT_FALSE(get(id).due_at);
}

TEST_F(StatementTest, TheFileIsStoredInPartsAndIsDueAtOnce) {
  const StatementId id = received();
  EXPECT_EQ(get(id).state, S::received);
  EXPECT_EQ(get(id).parts, 2);
  EXPECT_EQ(get(id).due_at, world_.now);
  ASSERT_EQ(world_.store.statement_parts.size(), 2U);
  EXPECT_EQ(world_.store.statement_parts[1].part_no, 1);
  EXPECT_EQ(world_.store.statement_parts[1].content.data(), "two");
}

TEST_F(StatementTest, TheIndexOfTheLinesIsStoredOnce) {
  const StatementId id = received();
  const IndexStatement index{.statement_id = id, .sha256 = "h1", .parts = {{"header"}, {"lines"}}};
  world_.run(index);
  EXPECT_EQ(get(id).index_parts, 2);
  EXPECT_EQ(get(id).parts, 2);
  EXPECT_EQ(world_.store.statement_parts.back().part_no, -2);
  const std::size_t stored = world_.store.statement_parts.size();
  world_.run(index);
  EXPECT_EQ(world_.store.statement_parts.size(), stored);
}

TEST_F(StatementTest, TheIndexOfAnotherFileIsNotStored) {
  const StatementId id = received();
  world_.run(IndexStatement{.statement_id = id, .sha256 = "h2", .parts = {{"header"}}});
  EXPECT_EQ(get(id).index_parts, 0);
  EXPECT_EQ(world_.refusal_of(IndexStatement{.statement_id = StatementId{1}, .sha256 = "h1", .parts = {}}),
            "not_found");
}

TEST_F(StatementTest, AFileThatIsStoredAgainHasNoIndex) {
  const StatementId id = rejected();
  world_.run(IndexStatement{.statement_id = id, .sha256 = "h1", .parts = {{"header"}}});
  receive(id, "h1");
  EXPECT_EQ(get(id).index_parts, 0);
}

TEST_F(StatementTest, TheSameFileAgainChangesNothing) {
  const StatementId id = received();
  const Decision again = receive(id, "h1");
  EXPECT_EQ(again->object, ObjectRef(id));
  EXPECT_FALSE(again->created);
  EXPECT_EQ(world_.store.statement_parts.size(), 2U);
}

TEST_F(StatementTest, AnotherFileBecomesANewVersion) {
  const StatementId first = matched();
  const Decision second = receive(first, "h2");
  const StatementId id{second->object.value};
  EXPECT_TRUE(second->created);
  EXPECT_NE(id, first);
  EXPECT_EQ(get(id).file_version, 2);
  EXPECT_EQ(get(id).state, S::received);
  EXPECT_EQ(get(first).state, S::matched);
}

TEST_F(StatementTest, TwoFilesCannotBecomeTheSameVersion) {
  const StatementId first = matched();
  const ReceiveStatement second{.day = kDay, .newest = first, .newest_version = 1, .sha256 = "h2", .parts = {{"two"}}};
  const StatementId id{world_.run(second)->object.value};
  EXPECT_EQ(world_.run(second)->object, ObjectRef(id)) << "the same file again";
  ReceiveStatement other = second;
  other.sha256 = "h3";
  EXPECT_EQ(world_.refusal_of(other), "illegal_transition") << "its caller has not seen the second version";
}

TEST_F(StatementTest, AnUploadedFileNeverReplacesTheDownload) {
  const StatementId expected = expect();
  ReceiveStatement upload{.day = kDay, .source = StatementSource::uploaded, .sha256 = "u1", .parts = {{"claim"}}};
  const StatementId first{world_.run(upload)->object.value};
  EXPECT_NE(first, expected);
  EXPECT_EQ(get(first).source, StatementSource::uploaded);
  EXPECT_EQ(get(expected).state, S::expected);
  upload.newest = first;
  upload.newest_version = 1;
  upload.sha256 = "u2";
  EXPECT_EQ(get(StatementId{world_.run(upload)->object.value}).file_version, 2);
  EXPECT_EQ(receive(expected, "h1")->object, ObjectRef(expected));
  EXPECT_EQ(get(expected).file_version, 1);
  upload.newest = expected;
  EXPECT_EQ(world_.refusal_of(upload), "not_found") << "a download is no version of an upload";
}

TEST_F(StatementTest, AnEmptyDayCountsItsMatchesOnce) {
  const StatementId id = expect();
  step(id, E::fetch);
  world_.run(StepStatement{.statement_id = id, .event = E::report_empty, .recorded = 2});
  EXPECT_EQ(get(id).state, S::empty);
  EXPECT_EQ(get(id).recorded, 2);
  world_.run(ExpectStatement{.day = kDay, .newest = id, .is_again = true, .due_at = world_.now});
  step(id, E::fetch);
  step(id, E::report_empty);
  EXPECT_EQ(get(id).recorded, 2) << "an empty day that is empty again compares no lines";
  EXPECT_FALSE(get(id).due_at);
}

TEST_F(StatementTest, AFileMayFollowAnEmptyDay) {
  const StatementId id = expect();
  step(id, E::fetch);
  step(id, E::report_empty);
  EXPECT_EQ(receive(id, "h1")->object, ObjectRef(id));
  EXPECT_EQ(get(id).state, S::received);
}

TEST_F(StatementTest, TheResultOfTheComparisonIsKept) {
  const StatementId id = matched();
  EXPECT_EQ(get(id).state, S::matched);
  EXPECT_EQ(get(id).lines, 3);
  EXPECT_EQ(get(id).matched, 2);
  EXPECT_EQ(get(id).differences, 1);
  EXPECT_FALSE(get(id).due_at);
  const auto& totals = world_.store.statements.at(id).totals;
  ASSERT_EQ(totals.size(), 1U);
  EXPECT_EQ(totals.front().paid, 300);
}

/// A funds statement that was compared: its result is posted with the step `finish`.
class FundsStatementTest : public StatementTest {
 protected:
  FundsStatementTest() {
    ChannelAccount account{.id = kDay.channel_account_id, .channel = "sandbox", .kind = "sandbox"};
    world_.policy.accounts["sandbox"] = account;
    account.id = ChannelAccountId{6};
    account.channel = "main";
    account.kind = kBankKind;
    world_.policy.accounts["main"] = account;
  }
  StatementId finish(std::vector<FundsPosting> postings, std::vector<BookedLines> booked = {}) {
    StatementDay day = kDay;
    day.kind = StatementKind::funds;
    const StatementId id{world_.run(ReceiveStatement{.day = day, .sha256 = "f1", .parts = {{"x"}}})->object.value};
    world_.run(StepStatement{.statement_id = id, .event = E::match, .due_at = world_.now + 2min});
    finish_ = {.statement_id = id, .event = E::finish, .lines = 3};
    finish_.funds = {.booked = std::move(booked),
                     .postings = std::move(postings),
                     .utc_offset = std::chrono::hours(8),
                     .channel = "sandbox",
                     .bank_account = "main",
                     .bank_currency = kCny};
    world_.run(finish_);
    return id;
  }
  const std::vector<StatementMovement>& movements(StatementId id) const {
    return world_.store.statements.at(id).movements;
  }
  StepStatement finish_;
};

TEST_F(FundsStatementTest, EachKindOfLineHasItsJournal) {
  const struct {
    LineKind kind;
    MinorUnits amount;
    EntryType type;
    AccountKind other;
  } rows[] = {
      {LineKind::fee, -60, EntryType::channel_fee, AccountKind::channel_fee_expense},
      {LineKind::fee_returned, 6, EntryType::channel_fee_returned, AccountKind::channel_fee_expense},
      {LineKind::withdrawal, -5000, EntryType::channel_withdrawal, AccountKind::bank},
      {LineKind::withdrawal, 5000, EntryType::channel_top_up, AccountKind::bank},
      {LineKind::top_up, 100, EntryType::channel_top_up, AccountKind::bank},
      {LineKind::adjustment, -7, EntryType::channel_deduction, AccountKind::loss},
      {LineKind::adjustment, 7, EntryType::channel_compensation, AccountKind::loss},
  };
  for (const auto& row : rows) {
    World world;
    ASSERT_EQ(posted_type(row.kind, row.amount), row.type) << name_of(row.kind);
    std::swap(world_, world);
    world_.policy = world.policy;
    const StatementId id = finish({{row.kind, kCny, 2, row.amount}});
    ASSERT_EQ(world_.store.entries.size(), 2U) << name_of(row.kind);
    EXPECT_EQ(world_.store.entries.front().type, row.type);
    EXPECT_EQ(world_.store.entries.front().merchant_id, kPlatform);
    EXPECT_EQ(world_.store.entries.front().document_id, id.value);
    for (const auto& [account_id, account] : world_.store.accounts) {
      if (account.merchant_id != kPlatform) continue;
      EXPECT_EQ(account.balance, account.kind == row.other ? row.amount : -row.amount) << name_of(account.kind);
      EXPECT_TRUE(account.kind == row.other || account.kind == AccountKind::channel_receivable);
      if (account.kind == AccountKind::bank) EXPECT_EQ(account.channel, "main");
    }
    ASSERT_EQ(movements(id).size(), 1U);
    EXPECT_EQ(movements(id).front().amount, row.amount);
    EXPECT_EQ(movements(id).front().lines, 2);
    EXPECT_EQ(movements(id).front().booked_on, date_of(world_.now, std::chrono::hours(8)));
    EXPECT_EQ(movements(id).front().journal_id, world_.store.entries.front().id);
  }
}

TEST_F(FundsStatementTest, LinesOfOtherKindsAreNotPosted) {
  for (const LineKind kind : {LineKind::payment, LineKind::refund, LineKind::refund_returned, LineKind::bank_credit,
                              LineKind::bank_debit, LineKind::other})
    EXPECT_EQ(posted_type(kind, -5), std::nullopt) << name_of(kind);
  EXPECT_EQ(posted_type(LineKind::fee, 0), std::nullopt);
}

TEST_F(FundsStatementTest, AWithdrawalInAnotherCurrencyReachesNoBankAccount) {
  finish({{LineKind::withdrawal, *parse_currency("USD"), 1, -300}});
  for (const auto& [id, account] : world_.store.accounts)
    if (account.kind == AccountKind::bank) EXPECT_EQ(account.channel, "");
}

TEST_F(FundsStatementTest, ARepeatedResultIsNotPostedAgain) {
  finish({{LineKind::withdrawal, kCny, 1, -300}, {LineKind::withdrawal, kCny, 1, -300}});
  ASSERT_EQ(world_.store.entries.size(), 4U);
  EXPECT_EQ(world_.store.entries[0].ordinal, 0);
  EXPECT_EQ(world_.store.entries[2].ordinal, 1);
  world_.run(finish_);
  EXPECT_EQ(world_.store.entries.size(), 4U);
}

TEST_F(FundsStatementTest, BookedLinesAreKeptWithoutAJournal) {
  const StatementId id = finish({}, {{LineKind::payment, kCny, "2026-09-20", 2, 200}});
  EXPECT_TRUE(world_.store.entries.empty());
  ASSERT_EQ(movements(id).size(), 1U);
  EXPECT_EQ(movements(id).front().kind, LineKind::payment);
  EXPECT_EQ(movements(id).front().journal_id, std::nullopt);
}

TEST_F(StatementTest, AMalformedFileEndsTheStatementWithItsReason) {
  const StatementId id = rejected();
  EXPECT_EQ(get(id).state, S::rejected);
  EXPECT_EQ(get(id).failure, "line 3: the amount is invalid");
  EXPECT_FALSE(get(id).due_at);
}

TEST_F(StatementTest, AFailedComparisonKeepsTheClaimAndStatesItsReason) {
  const StatementId id = received();
  step(id, E::match);
  const auto claimed_until = get(id).due_at;
  world_.run(StepStatement{.statement_id = id,
                           .event = E::not_ready,
                           .due_since = claimed_until,
                           .due_at = claimed_until,
                           .failure = "cannot decrypt part 0"});
  EXPECT_EQ(get(id).state, S::matching);
  EXPECT_EQ(get(id).failure, "cannot decrypt part 0");
  EXPECT_EQ(get(id).due_at, claimed_until);
  step(id, E::match);
  EXPECT_EQ(get(id).failure, "cannot decrypt part 0") << "until a comparison succeeds";
  world_.run(StepStatement{.statement_id = id, .event = E::finish});
  EXPECT_EQ(get(id).failure, std::nullopt);
}

TEST_F(StatementTest, ARejectedFileIsStoredAndReadAgainWhenItIsReceivedAgain) {
  const StatementId id = rejected();
  world_.now = world_.now + 24h;
  const Decision again = receive(id, "h1");
  EXPECT_EQ(again->object, ObjectRef(id));
  EXPECT_TRUE(again->created) << "the file is read, like a new one";
  EXPECT_EQ(get(id).state, S::received);
  EXPECT_EQ(get(id).file_version, 1);
  EXPECT_EQ(get(id).failure, std::nullopt);
  EXPECT_EQ(get(id).due_at, world_.now);
  EXPECT_EQ(get(id).received_at, world_.now) << "its parts expire later";
  EXPECT_EQ(world_.store.statement_parts.size(), 4U) << "the store replaces the parts, of which some may have expired";
  EXPECT_FALSE(receive(id, "h1")->created) << "the file is about to be read";
  ASSERT_TRUE(step(id, E::match));
  world_.run(StepStatement{.statement_id = id, .event = E::finish});
  EXPECT_EQ(get(id).state, S::matched);
}

TEST_F(StatementTest, ARejectedFileThatIsFetchedAgainIsReadAgain) {
  const StatementId id = rejected();
  world_.run(ExpectStatement{.day = kDay, .newest = id, .is_again = true, .due_at = world_.now});
  EXPECT_EQ(get(id).due_at, world_.now);
  step(id, E::fetch);
  receive(id, "h1");
  EXPECT_EQ(get(id).state, S::received);
  EXPECT_FALSE(get(id).is_fetched_again);
}

TEST_F(StatementTest, AnotherFileAfterARejectedOneIsANewVersion) {
  const StatementId first = rejected();
  const StatementId second{receive(first, "h2")->object.value};
  EXPECT_NE(second, first);
  EXPECT_EQ(get(second).file_version, 2);
  EXPECT_EQ(get(first).state, S::rejected);
  EXPECT_EQ(get(first).sha256, "h1");
}

TEST_F(StatementTest, AMatchedStatementIsFetchedAgainAndStaysMatched) {
  const StatementId id = matched();
  world_.run(ExpectStatement{.day = kDay, .newest = id, .is_again = true, .due_at = world_.now});
  EXPECT_TRUE(get(id).is_fetched_again);
  EXPECT_EQ(get(id).due_at, world_.now);
  step(id, E::fetch);
  EXPECT_EQ(get(id).state, S::matched);
  EXPECT_EQ(receive(id, "h1")->object, ObjectRef(id));
  EXPECT_FALSE(get(id).is_fetched_again);
  EXPECT_FALSE(get(id).due_at);
}

TEST_F(StatementTest, AFailedFetchOfAMatchedStatementEndsTheRequest) {
  const StatementId id = matched();
  world_.run(ExpectStatement{.day = kDay, .newest = id, .is_again = true, .due_at = world_.now});
  step(id, E::fetch);
  step(id, E::not_ready, "HTTP 503");
  EXPECT_FALSE(get(id).is_fetched_again);
  EXPECT_FALSE(get(id).due_at);
  EXPECT_EQ(get(id).state, S::matched);
}

TEST_F(StatementTest, AStatementOfAnotherDayIsNotFound) {
  const StatementId id = expect();
  StatementDay other = kDay;
  other.date = "2026-09-21";
  EXPECT_EQ(world_.refusal_of(ReceiveStatement{.day = other, .newest = id, .newest_version = 1, .sha256 = "h"}),
            "not_found");
  EXPECT_EQ(world_.refusal_of(StepStatement{.statement_id = StatementId{99}}), "not_found");
  EXPECT_EQ(world_.refusal_of(StepStatement{.statement_id = id, .event = E::receive}), "illegal_transition");
}

}  // namespace
}  // namespace finality::test
