// Tests that the preview of a resolution has the entries that its approval posts, or its refusal.
#include "decide/exception/preview_resolution.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "decide/testing/refund_scenario.h"

namespace finality::test {
namespace {

using K = RefundEvidenceKind;

constexpr ChannelAccountId kChannelAccount{5};

std::string text_of(const Entry& entry, const Account& account) {
  return fmt::format("{} {} {} '{}' {} {}", name_of(entry.type), to_text(entry.merchant_id), name_of(account.kind),
                     account.channel, entry.amount, entry.currency.text());
}

ResolutionPreview preview_of(const World& world, const ApproveResolution& approval) {
  PreviewSteps steps{approval};
  for (;;) {
    ReadSet reads;
    add_reads_of_preview(steps, reads);
    WorkingSet rows;
    world.store.load(reads, rows);
    if (auto preview = preview_resolution(steps, rows, world.policy, world.now)) return *std::move(preview);
  }
}

std::string refusal_of(const ResolutionPreview& preview) {
  return preview.refusal ? std::string(name_of(preview.refusal->code)) : "ok";
}

// Previews the resolution, and then lets two operators carry it out. Returns the entries that were posted. The test
// fails unless they are those of the preview.
std::vector<std::string> resolve(World& world, ApproveResolution approval) {
  const ResolutionPreview preview = preview_of(world, approval);
  EXPECT_EQ(refusal_of(preview), "ok");
  std::vector<std::string> previewed;
  for (const PreviewedEntry& one : preview.entries)
    if (!one.after_result) previewed.push_back(text_of(one.entry, one.account));

  const std::size_t before = world.store.entries.size();
  EXPECT_TRUE(world.run(ProposeResolution{approval.merchant_id, approval.root, approval.case_id, *approval.resolution,
                                          "we asked them", "key_a", approval.assign_to}));
  approval.approved_by = "key_b";
  approval.reviewed_merchant = approval.assign_to;
  EXPECT_TRUE(world.run(world.reviewed(approval)));
  std::vector<std::string> posted;
  for (std::size_t i = before; i < world.store.entries.size(); ++i)
    posted.push_back(text_of(world.store.entries[i], world.account(world.store.entries[i].account_id)));
  EXPECT_EQ(previewed, posted);
  return posted;
}

ApproveResolution approval_of(RefundScenario& world, CaseKind kind, std::string resolution) {
  const Case& row = *std::ranges::find(world.aggregate(world.order).cases, kind, &Case::kind);
  return {kMerchant, world.order, row.id, {}, std::move(resolution), "sandbox", kCny};
}

TEST(PreviewResolution, OfAnOrderHasTheEntriesOfTheApproval) {
  struct Row {
    CaseKind kind;
    const char* resolution;
    void (*happens)(RefundScenario&);
    MinorUnits moved;  // amount of the journal; 0: no money moves
  };
  const auto conflicts = [](RefundScenario& it) {
    it.pays();
    it.record_later(failed());
  };
  const auto is_blocked = [](RefundScenario& it) {
    it.pays();
    it.pays("T2");
    it.reversal_is(K::refused);
  };
  const auto is_refunded_outside = [](RefundScenario& it) {
    it.pays();
    it.number("C1", 400);
  };
  const auto is_over_refunded = [](RefundScenario& it) {
    it.pays();
    it.create_refund(700);
    it.own_is(K::refunded);
    it.number("C1", 600);
  };
  const Row rows[] = {
      {CaseKind::conflicting_result, "keep", conflicts, 0},
      {CaseKind::conflicting_result, "write_off", conflicts, kPaid},
      {CaseKind::reversal_blocked, "retry", is_blocked, 0},
      {CaseKind::reversal_blocked, "settled_offline", is_blocked, kPaid},
      {CaseKind::external_refund, "accept", is_refunded_outside, 0},
      {CaseKind::external_refund, "charge_platform", is_refunded_outside, 400},
      {CaseKind::over_refunded, "charge_platform", is_over_refunded, 300},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.resolution);
    RefundScenario world;
    row.happens(world);
    const std::size_t before = world.store.entries.size();
    EXPECT_EQ(resolve(world, approval_of(world, row.kind, row.resolution)).size(), row.moved == 0 ? 0u : 2u);
    for (std::size_t i = before; i < world.store.entries.size(); ++i)
      EXPECT_EQ(std::abs(world.store.entries[i].amount), row.moved);
  }
}

TEST(PreviewResolution, OfARefundThatThePlatformBearsAlreadyIsRefused) {
  RefundScenario world;
  world.pays();
  world.create_refund(kPaid);
  world.own_is(K::refunded);
  world.number("C1", 400);
  ASSERT_EQ(resolve(world, approval_of(world, CaseKind::over_refunded, "charge_platform")).size(), 2u);
  const auto again = preview_of(world, approval_of(world, CaseKind::external_refund, "charge_platform"));
  EXPECT_EQ(refusal_of(again), "illegal_transition");
  EXPECT_TRUE(again.entries.empty());
}

TEST(PreviewResolution, DoesNotDependOnTheCurrentProposal) {
  RefundScenario world;
  world.pays();
  world.record_later(failed());
  const ApproveResolution approval = approval_of(world, CaseKind::conflicting_result, "write_off");
  for (const char* proposed : {"write_off", "keep"}) {
    ASSERT_TRUE(world.run(ProposeResolution{kMerchant, world.order, approval.case_id, proposed, "ours", "key_a"}));
    EXPECT_EQ(preview_of(world, approval).entries.size(), 2u) << proposed;
  }
}

/// An unknown receipt with an open case.
class UnknownReceiptPreview : public testing::Test {
 protected:
  UnknownReceiptPreview() { world_.run(RecordUnknownReceipt{"sandbox", "till-1", paid()}); }

  ApproveResolution approval(std::string resolution, std::optional<MerchantId> merchant) {
    const UnknownReceiptAggregate& aggregate = world_.store.unknown_receipts.begin()->second;
    return {.merchant_id = kPlatform,
            .root = aggregate.unknown_receipt.id,
            .case_id = aggregate.cases.front().id,
            .approved_by = {},
            .resolution = std::move(resolution),
            .channel = "sandbox",
            .currency = kCny,
            .assign_to = merchant};
  }

  World world_;
};

TEST_F(UnknownReceiptPreview, OfAnAssignmentHasTheJournalsOfBothMerchants) {
  EXPECT_EQ(resolve(world_, approval("assign", kMerchant)).size(), 4u);
}

TEST_F(UnknownReceiptPreview, OfAnAssignmentWithoutAMerchantIsRefused) {
  EXPECT_EQ(refusal_of(preview_of(world_, approval("assign", std::nullopt))), "invalid_request");
}

TEST_F(UnknownReceiptPreview, OfACancellationHasItsJournalAlsoWhileAnAssignmentIsProposed) {
  const ApproveResolution cancel = approval("cancel", std::nullopt);
  ASSERT_TRUE(
      world_.run(ProposeResolution{kPlatform, cancel.root, cancel.case_id, "assign", "ours", "key_a", kMerchant}));
  EXPECT_EQ(resolve(world_, cancel).size(), 2u);
}

/// An open difference of a statement.
class DifferencePreview : public testing::Test {
 protected:
  DifferencePreview() {
    world_.policy.accounts["sandbox"] = {.id = kChannelAccount, .channel = "sandbox", .kind = "sandbox"};
  }

  ApproveResolution find(StatementKind kind, MinorUnits amount, bool changes_balance, std::string resolution) {
    RecordDifference command{.subject = "line 1"};
    command.difference.merchant_id = kMerchant;
    command.difference.channel_account_id = kChannelAccount;
    command.difference.kind = kind;
    command.difference.amount = amount;
    command.difference.currency = kCny;
    command.difference.changes_balance = changes_balance;
    const DifferenceId id{world_.run(command)->object.value};
    const Case& row = world_.store.differences.at(id).cases.front();
    EXPECT_EQ(resolutions_of(row, &world_.store.differences.at(id).difference).size(),
              changes_balance && amount != 0 ? 2u : 1u);
    return {kMerchant, id, row.id, {}, std::move(resolution), "sandbox", kCny};
  }

  World world_;
};

TEST_F(DifferencePreview, OfAnAdjustmentHasItsJournal) {
  EXPECT_EQ(resolve(world_, find(StatementKind::funds, -30, true, "adjust")),
            (std::vector<std::string>{
                fmt::format("rounding_loss {} loss '' -30 CNY", to_text(kMerchant)),
                fmt::format("rounding_loss {} channel_receivable 'sandbox' 30 CNY", to_text(kMerchant))}));
}

TEST_F(DifferencePreview, OfABankStatementHasTheJournalOfTheBankAccount) {
  EXPECT_EQ(resolve(world_, find(StatementKind::bank, 30, true, "adjust")),
            (std::vector<std::string>{fmt::format("bank_surplus {} bank 'sandbox' -30 CNY", to_text(kMerchant)),
                                      fmt::format("bank_surplus {} loss '' 30 CNY", to_text(kMerchant))}));
}

TEST_F(DifferencePreview, OfAKeptDifferenceMovesNoMoney) {
  EXPECT_TRUE(resolve(world_, find(StatementKind::trades, -30, false, "keep")).empty());
}

TEST_F(DifferencePreview, OfAnAdjustmentThatTheDifferenceDoesNotAllowIsRefused) {
  EXPECT_EQ(refusal_of(preview_of(world_, find(StatementKind::trades, -30, false, "adjust"))), "illegal_transition");
}

}  // namespace
}  // namespace finality::test
