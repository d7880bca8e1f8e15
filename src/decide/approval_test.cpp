// Tests of the rule of all approvals: the approver names the version that he has reviewed, and is not the proposer.
#include "decide/approval.h"

#include "decide/adjustment/propose_adjustment.h"
#include "decide/testing/refund_scenario.h"

namespace finality::test {
namespace {

TEST(Approval, NamesTheReviewedVersionAndAnotherKey) {
  struct Row {
    const char* what;
    Approval approval;
    const char* expected;
  };
  const Row rows[] = {
      {"the current version", {"case", "key_a", "key_b", 3, 3, false}, "ok"},
      {"an earlier version", {"case", "key_a", "key_b", 2, 3, false}, "preview_changed"},
      {"a later version", {"case", "key_a", "key_b", 4, 3, false}, "preview_changed"},
      {"no version", {"case", "key_a", "key_b", 0, 3, false}, "preview_changed"},
      {"the proposer", {"case", "key_a", "key_a", 3, 3, false}, "forbidden"},
      {"the proposer, of an earlier version", {"case", "key_a", "key_a", 2, 3, false}, "forbidden"},
      {"repeated: the version before the decision", {"case", "key_a", "key_b", 3, 4, true}, "ok"},
      {"repeated: the version of the decision", {"case", "key_a", "key_b", 4, 4, true}, "ok"},
      {"repeated: an earlier version", {"case", "key_a", "key_b", 2, 4, true}, "preview_changed"},
      {"repeated by the proposer", {"case", "key_a", "key_a", 4, 4, true}, "forbidden"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    const auto may = check_approval(row.approval);
    EXPECT_EQ(may ? "ok" : name_of(may.error().code), row.expected);
    if (may || may.error().code != RefusalCode::preview_changed) continue;
    EXPECT_EQ(may.error().version, row.approval.version);
    EXPECT_EQ(may.error().param, "version");
  }
}

TEST(Approval, OfACasePostsNothingThatWasProposedAfterTheReview) {
  RefundScenario world;
  world.pays();
  world.record_later(failed());
  const CaseId id = world.aggregate(world.order).cases.at(0).id;
  const auto propose = [&](const char* resolution) {
    ASSERT_TRUE(world.run(ProposeResolution{kMerchant, world.order, id, resolution, "why", "key_a"}));
  };
  propose("keep");
  const ApproveResolution approve = world.reviewed({kMerchant, world.order, id, "key_b", {}, "sandbox", kCny});
  propose("write_off");
  const std::size_t entries = world.store.entries.size();
  const Decision refused = world.run(approve);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, RefusalCode::preview_changed);
  EXPECT_EQ(refused.error().version, approve.version + 1);
  EXPECT_EQ(world.store.entries.size(), entries);
  EXPECT_EQ(world.aggregate(world.order).cases.at(0).state, CaseState::proposed);
  EXPECT_EQ(world.refusal_of(world.reviewed(approve)), "ok");
}

TEST(Approval, OfACaseDoesNotCoverEvidenceThatArrivedAfterTheReview) {
  RefundScenario world;
  world.pays();
  world.record_later(failed());
  const CaseId id = world.aggregate(world.order).cases.at(0).id;
  ASSERT_TRUE(world.run(ProposeResolution{kMerchant, world.order, id, "write_off", "why", "key_a"}));
  const ApproveResolution approve = world.reviewed({kMerchant, world.order, id, "key_b", {}, "sandbox", kCny});
  world.record_later(closed());
  EXPECT_EQ(world.refusal_of(approve), "preview_changed");
}

TEST(Approval, OfAnAdjustmentNamesItsVersion) {
  World world;
  world.policy.accounts["sandbox"] = {.id = ChannelAccountId{5}, .channel = "sandbox", .kind = "sandbox"};
  const AdjustmentId id{world
                            .run(ProposeAdjustment{kMerchant, AdjustmentType::penalty, AccountKind::channel_receivable,
                                                   "sandbox", kCny, 5, "why", "key_a"})
                            ->object.value};
  const auto approve = [&](std::int64_t version) {
    return world.refusal_of(
        decision_about(&world.store.adjustments.at(id), kMerchant, AdjustmentEvent::approve, "key_b", version));
  };
  EXPECT_EQ(approve(0), "preview_changed");
  EXPECT_EQ(approve(2), "preview_changed");
  EXPECT_TRUE(world.store.entries.empty());
  EXPECT_EQ(approve(1), "ok");
  EXPECT_EQ(world.store.entries.size(), 2U);
}

}  // namespace
}  // namespace finality::test
