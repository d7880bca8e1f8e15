#include "decide/testing/account_world.h"

namespace finality::test {
namespace {

TEST(CreateHold, ReducesTheAvailableAmountImmediately) {
  Accounts world;
  world.new_hold(600);
  EXPECT_EQ(world.available(world.payer), 400);
  EXPECT_EQ(world.balance_of(world.payer), 1000);
  EXPECT_EQ(world.refusal_of(world.transfer_request(401)), "insufficient_balance");
  EXPECT_EQ(world.refusal_of(world.hold_request(401)), "insufficient_balance");
  EXPECT_EQ(world.refusal_of(world.hold_request(400)), "ok") << "an account can have several holds";
  EXPECT_EQ(world.available(world.payer), 0);
}

TEST(CreateHold, CreatesOneHoldPerReference) {
  Accounts world;
  const CreateHold request = world.hold_request(600, "H1");
  const Decision first = world.run(request);
  EXPECT_EQ(world.run(request)->object, first->object);
  EXPECT_EQ(world.account(world.payer).held, 600);
  EXPECT_EQ(world.refusal_of(world.hold_request(601, "H1")), "reference_conflict");
}

TEST(CreateHold, LeavesTheReferenceUnusedWhenRefused) {
  Accounts world;
  EXPECT_EQ(world.refusal_of(world.hold_request(2000, "H1")), "insufficient_balance");
  world.fund(world.payer, 1000);
  EXPECT_EQ(world.refusal_of(world.hold_request(2000, "H1")), "ok");
}

TEST(CreateHold, NeedsTwoOpenAccountsOfItsCurrency) {
  Accounts world;
  CreateHold request = world.hold_request(1);
  request.credit_account_id = request.account_id;
  EXPECT_EQ(world.refusal_of(request), "invalid_request");
  request.credit_account_id = world.open("dollars", 0, kUsd);
  EXPECT_EQ(world.refusal_of(request), "currency_mismatch");
  request.credit_account_id = AccountId{5};
  EXPECT_EQ(world.refusal_of(request), "not_found");
  world.change(world.payer, AccountEvent::freeze);
  EXPECT_EQ(world.refusal_of(world.hold_request(1)), "account_frozen");
}

TEST(PostHold, PaysAllOrAPartAndReleasesTheRest) {
  for (const MinorUnits amount : {600, 250, 1}) {
    Accounts world;
    const HoldId id = world.new_hold(600);
    ASSERT_TRUE(world.run(PostHold{kMerchant, id, amount, {}}));
    EXPECT_EQ(world.hold(id).state, HoldState::posted);
    EXPECT_EQ(world.hold(id).posted_amount, amount);
    EXPECT_FALSE(world.hold(id).due_at);
    EXPECT_EQ(world.available(world.payer), 1000 - amount);
    EXPECT_EQ(world.balance_of(world.payee), amount);
  }
}

TEST(PostHold, NeverExceedsTheHold) {
  Accounts world;
  const HoldId id = world.new_hold(600);
  EXPECT_EQ(world.refusal_of(PostHold{kMerchant, id, 601, {}}), "amount_exceeds_hold");
  EXPECT_EQ(world.hold(id).state, HoldState::held);
}

// Ends a hold by post, void or expiry, and then tries each of the three on the ended hold.
TEST(Hold, EndsOnce) {
  const auto post = [](HoldId id) -> Command { return PostHold{kMerchant, id, {}, {}}; };
  const auto release = [](HoldId id) -> Command { return VoidHold{kMerchant, id}; };
  const auto expire = [](HoldId id) -> Command { return ExpireHold{kMerchant, id}; };
  struct End {
    Command (*command)(HoldId);
    HoldState state;
  };
  const End ends[] = {{post, HoldState::posted}, {release, HoldState::voided}, {expire, HoldState::expired}};
  for (const End& first : ends) {
    Accounts world;
    const HoldId id = world.new_hold(600);
    if (first.state == HoldState::expired) world.now = world.hold(id).expires_at;
    ASSERT_TRUE(world.run(first.command(id)));
    const MinorUnits balance = world.balance_of(world.payer);
    for (const End& second : ends) {
      const std::string answer = world.refusal_of(second.command(id));
      EXPECT_EQ(answer, second.state == HoldState::expired ? "ok" : "hold_not_open");
      EXPECT_EQ(world.hold(id).state, first.state);
      EXPECT_EQ(world.balance_of(world.payer), balance);
      EXPECT_EQ(world.account(world.payer).held, 0);
    }
  }
}

TEST(Hold, CannotBePostedFromTheInstantOfItsExpiry) {
  for (const bool in_time : {true, false}) {
    Accounts world;
    const HoldId id = world.new_hold(600);
    world.now = world.hold(id).expires_at + (in_time ? -1ms : 0ms);
    const Decision answer = world.run(PostHold{kMerchant, id, {}, {}});
    EXPECT_EQ(answer.has_value(), in_time);
    EXPECT_EQ(world.hold(id).state, in_time ? HoldState::posted : HoldState::expired)
        << "the refused post records the expiry";
    EXPECT_EQ(world.account(world.payer).held, 0);
    EXPECT_EQ(world.balance_of(world.payee), in_time ? 600 : 0);
    if (!in_time) EXPECT_EQ(answer.error().state, "expired");
    ASSERT_TRUE(world.run(ExpireHold{kMerchant, id}));
    EXPECT_EQ(world.hold(id).state, in_time ? HoldState::posted : HoldState::expired);
  }
}

TEST(ExpireHold, HasNoEffectBeforeTheExpiry) {
  Accounts world;
  const HoldId id = world.new_hold(600);
  ASSERT_TRUE(world.run(ExpireHold{kMerchant, id}));
  EXPECT_EQ(world.hold(id).state, HoldState::held);
}

TEST(Hold, OfAFrozenAccountStaysOpenAndCanBeVoided) {
  Accounts world;
  const HoldId kept = world.new_hold(300);
  const HoldId voided = world.new_hold(300);
  const HoldId expired = world.new_hold(300);
  world.change(world.payer, AccountEvent::freeze);
  EXPECT_EQ(world.refusal_of(PostHold{kMerchant, kept, {}, {}}), "account_frozen");
  EXPECT_EQ(world.refusal_of(VoidHold{kMerchant, voided}), "ok");
  world.change(world.payer, AccountEvent::unfreeze);
  EXPECT_EQ(world.refusal_of(PostHold{kMerchant, kept, {}, {}}), "ok");
  world.change(world.payer, AccountEvent::freeze);
  world.now = world.hold(expired).expires_at;
  EXPECT_EQ(world.refusal_of(ExpireHold{kMerchant, expired}), "ok");
  EXPECT_EQ(world.account(world.payer).held, 0);
}

TEST(Hold, IsNotPostedToAClosedAccountOrWithoutTheLockToken) {
  Accounts world;
  const HoldId id = world.new_hold(300);
  const std::string token = world.lock(world.payer);
  EXPECT_EQ(world.refusal_of(PostHold{kMerchant, id, {}, {}}), "account_locked");
  EXPECT_EQ(world.refusal_of(PostHold{kMerchant, id, {}, "0-stale"}), "account_locked");
  world.change(world.payee, AccountEvent::close);
  EXPECT_EQ(world.refusal_of(PostHold{kMerchant, id, {}, token}), "account_closed");
  EXPECT_EQ(world.refusal_of(VoidHold{kMerchant, id}), "ok") << "no money leaves the account, so no token is required";
}

TEST(Hold, OfAnotherMerchantIsNotFound) {
  Accounts world;
  const HoldId id = world.new_hold(300);
  EXPECT_EQ(world.refusal_of(PostHold{kOtherMerchant, id, {}, {}}), "not_found");
  EXPECT_EQ(world.refusal_of(VoidHold{kOtherMerchant, id}), "not_found");
}

}  // namespace
}  // namespace finality::test
