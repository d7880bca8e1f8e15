#include "decide/identity/record_identity.h"

#include <gtest/gtest.h>

#include "decide/identity/advance_identity_check.h"
#include "decide/testing/refund_scenario.h"

namespace finality::test {
namespace {

class RecordIdentityTest : public testing::Test {
 protected:
  RecordIdentityTest() { it_.pays(); }
  RecordIdentity command(std::vector<std::string> findings) {
    return {kMerchant, it_.order, it_.aggregate(it_.order).order.version, std::move(findings)};
  }
  const std::vector<Case>& cases() { return it_.aggregate(it_.order).cases; }

  RefundScenario it_;
};

TEST_F(RecordIdentityTest, AFindingOpensOneCaseAndNotifiesTheMerchant) {
  it_.run(command({"a sum differs"}));
  ASSERT_EQ(cases().size(), 1u);
  EXPECT_EQ(cases()[0].kind, CaseKind::identity);
  EXPECT_EQ(cases()[0].object_id, it_.order.value);
  EXPECT_EQ(cases()[0].state, CaseState::open);
  it_.run(command({"a sum differs", "a posting is missing"}));
  EXPECT_EQ(cases().size(), 1u);
  EXPECT_TRUE(it_.events.empty()) << "an open case is not opened again";
}

TEST_F(RecordIdentityTest, AnOrderThatAgreesAgainSettlesItsCase) {
  it_.run(command({"a sum differs"}));
  it_.run(command({}));
  ASSERT_EQ(cases().size(), 1u);
  EXPECT_EQ(cases()[0].state, CaseState::resolved);
  EXPECT_EQ(cases()[0].resolution, "settled");
  it_.run(command({}));
  EXPECT_TRUE(it_.events.empty());
}

TEST_F(RecordIdentityTest, TwoOperatorsKeepTheOrderAsItIs) {
  const std::size_t entries = it_.store.entries.size();
  it_.run(command({"a sum differs"}));
  ASSERT_TRUE(it_.resolves(CaseKind::identity, "keep"));
  EXPECT_EQ(cases()[0].state, CaseState::resolved);
  EXPECT_EQ(it_.store.entries.size(), entries);
  it_.run(command({"a sum differs"}));
  EXPECT_EQ(cases().size(), 2u) << "the order was checked again, after a change";
}

TEST_F(RecordIdentityTest, AnOrderThatHasChangedIsNotRecorded) {
  RecordIdentity stale = command({"a sum differs"});
  stale.order_version -= 1;
  EXPECT_EQ(it_.refusal_of(stale), "illegal_transition");
  stale.order_id = OrderId{99};
  EXPECT_EQ(it_.refusal_of(stale), "not_found");
  EXPECT_TRUE(cases().empty());
}

TEST(AdvanceIdentityCheck, OneOfTwoServersAdvances) {
  World world;
  const auto advance = [&](std::int64_t version, std::int64_t until) {
    return world.refusal_of(AdvanceIdentityCheck{version, until, world.now + 5min});
  };
  EXPECT_EQ(advance(0, 100), "ok");
  EXPECT_EQ(advance(0, 200), "illegal_transition");
  EXPECT_EQ(advance(1, 300), "ok");
  EXPECT_EQ(advance(1, 400), "illegal_transition");
  const IdentityCheck& row = world.store.identity_checks.at(kIdentityCheck);
  EXPECT_EQ(row.checked_until, 300);
  EXPECT_EQ(row.version, 2);
  EXPECT_EQ(row.claimed_until, world.now + 5min);
}

}  // namespace
}  // namespace finality::test
