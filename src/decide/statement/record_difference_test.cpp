// Tests of matches and differences: each line and each document once, and the resolutions of their cases.
#include "decide/statement/record_difference.h"

#include <gtest/gtest.h>

#include "decide/exception/approve_resolution.h"
#include "decide/exception/propose_resolution.h"
#include "decide/exception/resolution.h"
#include "decide/statement/record_matches.h"
#include "decide/testing/test_world.h"

namespace finality::test {
namespace {

using E = DifferenceEvent;
using S = DifferenceState;

constexpr ChannelAccountId kAccount{5};

class DifferenceTest : public testing::Test {
 protected:
  DifferenceTest() {
    ChannelAccount account{.id = kAccount, .channel = "sandbox", .kind = "sandbox"};
    world_.policy.accounts["sandbox"] = account;
  }
  RecordDifference command(E event, DifferenceId known = {}) {
    RecordDifference made{.subject = "line 1", .known = known, .event = event};
    made.difference.merchant_id = kMerchant;
    made.difference.channel_account_id = kAccount;
    made.difference.date = "2026-09-20";
    made.difference.difference_class = DifferenceClass::amount_mismatch;
    made.difference.ours = 100;
    made.difference.theirs = 70;
    made.difference.amount = -30;
    made.difference.currency = kCny;
    made.difference.changes_balance = true;
    return made;
  }
  DifferenceId record(E event, DifferenceId known = {}) {
    return DifferenceId{world_.run(command(event, known))->object.value};
  }
  const DifferenceAggregate& get(DifferenceId id) const { return world_.store.differences.at(id); }
  std::vector<std::string_view> resolutions_of(DifferenceId id) const {
    return finality::resolutions_of(get(id).cases.front(), &get(id).difference);
  }
  ProposeResolution proposal(DifferenceId id, std::string resolution) {
    return {kMerchant, id, get(id).cases.front().id, std::move(resolution), "checked with the channel", "key_a", {}};
  }
  ApproveResolution approval(DifferenceId id, std::string channel = "sandbox") {
    return world_.reviewed({kMerchant, id, get(id).cases.front().id, "key_b", {}, std::move(channel), kCny});
  }

  World world_;
};

TEST_F(DifferenceTest, AFoundDifferenceHasACase) {
  const DifferenceId id = record(E::find);
  EXPECT_EQ(get(id).difference.state, S::open);
  ASSERT_EQ(get(id).cases.size(), 1U);
  EXPECT_EQ(get(id).cases.front().kind, CaseKind::difference);
  EXPECT_EQ(get(id).cases.front().merchant_id, kMerchant);
}

TEST_F(DifferenceTest, TheSameDifferenceIsRecordedOnce) {
  const DifferenceId id = record(E::find);
  EXPECT_EQ(record(E::find, id), id);
  EXPECT_EQ(record(E::find), id) << "found by its natural key";
  EXPECT_EQ(world_.store.differences.size(), 1U);
  EXPECT_EQ(get(id).cases.size(), 1U);
}

TEST_F(DifferenceTest, AnEventAppliesToTheKnownDifferenceWhateverTheSubject) {
  const DifferenceId id = record(E::find);
  RecordDifference repair = command(E::repair, id);
  repair.subject = "another";
  world_.run(repair);
  EXPECT_EQ(get(id).difference.state, S::repaired);
  repair.difference.channel_account_id = ChannelAccountId{6};
  EXPECT_EQ(world_.refusal_of(repair), "not_found");
  repair = command(E::repair, DifferenceId{99});
  EXPECT_EQ(world_.refusal_of(repair), "not_found");
}

TEST_F(DifferenceTest, ACarriedDifferenceHasNoCaseUntilItIsFound) {
  const DifferenceId id = record(E::carry);
  EXPECT_EQ(get(id).difference.state, S::carried);
  EXPECT_TRUE(get(id).cases.empty());
  record(E::find, id);
  EXPECT_EQ(get(id).difference.state, S::open);
  EXPECT_EQ(get(id).cases.size(), 1U);
}

TEST_F(DifferenceTest, ARepeatedCarryCountsNoStatementTwice) {
  const DifferenceId id = record(E::carry);
  RecordDifference carry = command(E::carry, id);
  carry.difference.missed = 2;
  for (int i = 0; i < 2; ++i) {
    world_.run(carry);
    EXPECT_EQ(get(id).difference.missed, 2);
  }
  const std::int64_t version = get(id).difference.version;
  carry.difference.missed = 1;  // of a server that has read fewer statements
  world_.run(carry);
  EXPECT_EQ(get(id).difference.missed, 2);
  EXPECT_EQ(get(id).difference.version, version);
}

TEST_F(DifferenceTest, ARepairedDifferenceSettlesItsCase) {
  const DifferenceId id = record(E::find);
  RecordDifference repair = command(E::repair, id);
  repair.repaired_by = ReceiptId{77};
  world_.run(repair);
  EXPECT_EQ(get(id).difference.state, S::repaired);
  EXPECT_EQ(get(id).difference.repaired_by_id, 77);
  EXPECT_EQ(get(id).cases.front().state, CaseState::resolved);
  EXPECT_EQ(get(id).cases.front().resolution, "settled");
  record(E::find, id);
  EXPECT_EQ(get(id).difference.state, S::repaired) << "it has ended";
}

TEST_F(DifferenceTest, KeepMovesNothing) {
  const DifferenceId id = record(E::find);
  world_.run(proposal(id, "keep"));
  world_.run(approval(id));
  EXPECT_EQ(get(id).difference.state, S::resolved);
  EXPECT_TRUE(world_.store.entries.empty());
}

TEST_F(DifferenceTest, AdjustPostsTheAmountOfTheDifferenceOnce) {
  const DifferenceId id = record(E::find);
  world_.run(proposal(id, "adjust"));
  world_.run(approval(id));
  EXPECT_EQ(get(id).difference.state, S::resolved);
  ASSERT_EQ(world_.store.entries.size(), 2U);
  EXPECT_EQ(world_.store.entries.front().type, EntryType::rounding_loss) << "the channel has less than the books";
  EXPECT_EQ(world_.balance(AccountKind::channel_receivable), 30);
  EXPECT_EQ(world_.balance(AccountKind::loss), -30);
  world_.run(approval(id));
  EXPECT_EQ(world_.store.entries.size(), 2U);
}

TEST_F(DifferenceTest, OnlyADifferenceThatChangesTheBalanceCanBeAdjusted) {
  RecordDifference trade = command(E::find);
  trade.difference.changes_balance = false;
  const DifferenceId id{world_.run(trade)->object.value};
  EXPECT_EQ(resolutions_of(id), std::vector<std::string_view>{"keep"});
  EXPECT_EQ(world_.refusal_of(proposal(id, "adjust")), "illegal_transition");
  EXPECT_EQ(get(id).cases.front().state, CaseState::open);
  record(E::find, id);  // a funds statement confirms it
  EXPECT_TRUE(get(id).difference.changes_balance);
  EXPECT_EQ(get(id).cases.size(), 1U);
  EXPECT_EQ(resolutions_of(id), (std::vector<std::string_view>{"keep", "adjust"}));
  world_.run(proposal(id, "adjust"));
  world_.run(approval(id));
  EXPECT_EQ(world_.store.entries.size(), 2U);
  EXPECT_EQ(get(id).difference.ended_at, world_.now);
}

TEST_F(DifferenceTest, AKeptDifferenceDoesNotEnd) {
  const DifferenceId id = record(E::find);
  world_.run(proposal(id, "keep"));
  world_.run(approval(id));
  EXPECT_EQ(get(id).difference.ended_at, std::nullopt);
}

TEST_F(DifferenceTest, ADifferenceOfABankStatementIsAdjustedOnTheBankAccount) {
  RecordDifference bank = command(E::find);
  bank.difference.kind = StatementKind::bank;
  const DifferenceId id{world_.run(bank)->object.value};
  world_.run(proposal(id, "adjust"));
  world_.run(approval(id));
  ASSERT_EQ(world_.store.entries.size(), 2U);
  EXPECT_EQ(world_.store.entries.front().type, EntryType::bank_shortage);
  EXPECT_EQ(world_.balance(AccountKind::loss), -30);
  for (const auto& [account_id, account] : world_.store.accounts)
    if (account.kind == AccountKind::bank) EXPECT_EQ(account.channel, "sandbox");
}

TEST_F(DifferenceTest, ARepairNotesWhenTheBooksAgreed) {
  const DifferenceId id = record(E::carry);
  RecordDifference repair = command(E::repair, id);
  repair.difference.ended_at = Time{77};
  world_.run(repair);
  EXPECT_EQ(get(id).difference.ended_at, Time{77});
}

TEST_F(DifferenceTest, AnAdjustmentOfAnotherChannelIsRefused) {
  const DifferenceId id = record(E::find);
  world_.run(proposal(id, "adjust"));
  EXPECT_EQ(world_.refusal_of(approval(id, "sandbox2")), "busy");
  EXPECT_EQ(get(id).difference.state, S::open);
}

TEST_F(DifferenceTest, ADifferenceWithoutAnAmountCannotBeAdjusted) {
  RecordDifference late = command(E::find);
  late.difference.amount = 0;
  const DifferenceId id{world_.run(late)->object.value};
  EXPECT_EQ(resolutions_of(id), std::vector<std::string_view>{"keep"});
  EXPECT_EQ(world_.refusal_of(proposal(id, "adjust")), "illegal_transition");
}

// The store can contain a proposal of an earlier version of the server, which did not check the difference.
TEST_F(DifferenceTest, AStoredProposalThatTheDifferenceDoesNotAllowIsNotApproved) {
  const DifferenceId id = record(E::find);
  world_.run(proposal(id, "adjust"));
  world_.store.differences.at(id).difference.changes_balance = false;
  EXPECT_EQ(world_.refusal_of(approval(id)), "illegal_transition");
  EXPECT_TRUE(world_.store.entries.empty());
}

TEST_F(DifferenceTest, TheProposerCannotApprove) {
  const DifferenceId id = record(E::find);
  world_.run(proposal(id, "keep"));
  ApproveResolution own = approval(id);
  own.approved_by = "key_a";
  EXPECT_EQ(world_.refusal_of(own), "forbidden");
}

TEST_F(DifferenceTest, ADocumentIsMatchedOnce) {
  RecordMatches matches{.merchant_id = kMerchant, .channel_account_id = kAccount, .statement_id = StatementId{3}};
  matches.lines = {{.document = ReceiptId{9}, .line = Hash16{1}, .line_no = 4}};
  world_.run(matches);
  matches.lines = {{.document = ReceiptId{9}, .line = Hash16{2}, .line_no = 5},
                   {.document = ReceiptId{11}, .line = Hash16{3}, .line_no = 6}};
  world_.run(matches);
  ASSERT_EQ(world_.store.statement_matches.size(), 2U);
  EXPECT_EQ(world_.store.statement_matches.at(9).line_no, 4);
  EXPECT_EQ(world_.store.statement_matches.at(11).line, Hash16{3});
}

TEST_F(DifferenceTest, ALineOfFundsMatchesApartFromTheLineOfTrades) {
  RecordMatches matches{.merchant_id = kMerchant, .channel_account_id = kAccount, .statement_id = StatementId{3}};
  matches.lines = {{.document = ReceiptId{9}, .line = Hash16{1}, .line_no = 4}};
  world_.run(matches);
  matches.kind = StatementKind::funds;
  matches.lines.front().amount = 100;
  world_.run(matches);
  EXPECT_EQ(world_.store.statement_matches.size(), 1U);
  ASSERT_EQ(world_.store.funds_matches.size(), 1U);
  EXPECT_EQ(world_.store.funds_matches.at(9).amount, 100);
}

}  // namespace
}  // namespace finality::test
