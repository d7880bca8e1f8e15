#include "decide/testing/account_world.h"

namespace finality::test {
namespace {

TEST(OpenAccount, CreatesAnEmptyAccountWithAnEvent) {
  Accounts world;
  const AccountId id = world.open("Wang", 500);
  const Account& account = world.account(id);
  EXPECT_EQ(account.kind, AccountKind::user);
  EXPECT_EQ(account.balance, 0);
  EXPECT_EQ(account.available(), 500);
  EXPECT_EQ(account.version, 1);
  ASSERT_NE(world.event_of(id), nullptr);
  EXPECT_EQ(world.event_of(id)->to_state, "open");
}

TEST(ChangeAccount, FollowsItsTable) {
  using enum AccountEvent;
  struct Row {
    std::vector<AccountEvent> before;
    AccountEvent event;
    std::string_view refusal;
    AccountState state;
  };
  for (const Row& row : {
           Row{{}, freeze, "ok", AccountState::frozen},
           Row{{freeze}, freeze, "ok", AccountState::frozen},
           Row{{}, unfreeze, "ok", AccountState::open},
           Row{{freeze}, unfreeze, "ok", AccountState::open},
           Row{{}, close, "ok", AccountState::closed},
           Row{{freeze}, close, "ok", AccountState::closed},
           Row{{close}, close, "ok", AccountState::closed},
           Row{{close}, freeze, "account_closed", AccountState::closed},
           Row{{close}, unfreeze, "account_closed", AccountState::closed},
       }) {
    Accounts world;
    const AccountId id = world.open("Wang");
    for (const AccountEvent event : row.before) world.change(id, event);
    EXPECT_EQ(world.refusal_of(ChangeAccount{kMerchant, id, row.event}), row.refusal);
    EXPECT_EQ(world.account(id).state, row.state);
  }
}

TEST(ChangeAccount, ClosesOnlyAnEmptyAccount) {
  Accounts world;
  const ChangeAccount close{kMerchant, world.payer, AccountEvent::close};
  EXPECT_EQ(world.refusal_of(close), "illegal_transition") << "it has 1000";
  const HoldId hold = world.new_hold(400);
  ASSERT_TRUE(world.run(world.transfer_request(600)));
  ASSERT_TRUE(world.run(PostHold{kMerchant, hold, 400, {}}));
  EXPECT_EQ(world.refusal_of(close), "ok");
}

TEST(ChangeAccount, OfAnotherMerchantIsNotFound) {
  Accounts world;
  EXPECT_EQ(world.refusal_of(ChangeAccount{kOtherMerchant, world.payer, AccountEvent::freeze}), "not_found");
  EXPECT_EQ(world.refusal_of(ChangeAccount{kMerchant, AccountId{1}, AccountEvent::freeze}), "not_found");
}

TEST(ChangeAccount, OfALedgerAccountIsNotFound) {
  Accounts world;
  const OrderId order = world.new_order();
  world.record_evidence(world.start(order), paid());
  for (const auto& [id, account] : world.store.accounts) {
    if (account.kind == AccountKind::user) continue;
    EXPECT_EQ(world.refusal_of(ChangeAccount{kMerchant, id, AccountEvent::freeze}), "not_found");
    EXPECT_EQ(world.refusal_of(world.transfer_request(1, "", world.payer, id)), "not_found");
    EXPECT_EQ(world.refusal_of(world.transfer_request(1, "", id, world.payer)), "not_found");
  }
}

// ---- account lock ----

TEST(LockAccount, RefusesDebitsWithoutTheToken) {
  Accounts world;
  const std::string token = world.lock(world.payer);
  PostTransfer transfer = world.transfer_request(10);
  CreateHold hold = world.hold_request(10);
  EXPECT_EQ(world.refusal_of(transfer), "account_locked");
  EXPECT_EQ(world.refusal_of(hold), "account_locked");
  EXPECT_TRUE(world.store.transfers.size() == 1) << "only the funding: a transfer refused by the lock is not stored";
  EXPECT_EQ(world.lock(world.payer), "account_locked");
  world.fund(world.payer, 5);
  transfer.lock_token = hold.lock_token = token;
  EXPECT_EQ(world.refusal_of(transfer), "ok");
  EXPECT_EQ(world.refusal_of(hold), "ok");
}

TEST(LockAccount, ExpiresTogetherWithItsToken) {
  Accounts world;
  PostTransfer late = world.transfer_request(10);
  late.lock_token = world.lock(world.payer, 30s);
  world.now = world.now + 30s;
  EXPECT_EQ(world.refusal_of(late), "account_locked") << "a stale token is refused even on an unlocked account";
  EXPECT_EQ(world.refusal_of(world.transfer_request(10)), "ok") << "an expired lock needs no cleanup";
  const std::string second = world.lock(world.payer);
  EXPECT_NE(second, *late.lock_token);
  EXPECT_EQ(world.refusal_of(late), "account_locked");
  EXPECT_EQ(world.refusal_of(UnlockAccount{kMerchant, world.payer, *late.lock_token}), "account_locked")
      << "the first owner cannot release the second owner's lock";
  EXPECT_EQ(world.account(world.payer).lock_token, second);
}

TEST(LockAccount, TokensAreUniqueWhenTheNonceRepeats) {
  Accounts world;
  const std::string first = world.lock(world.payer, 1s, "same");
  world.now = world.now + 1s;
  EXPECT_NE(world.lock(world.payer, 1s, "same"), first);
  EXPECT_EQ(world.account(world.payer).lock_number, 2);
}

TEST(LockAccount, IsRenewedByItsToken) {
  Accounts world;
  const std::string token = world.lock(world.payer, 30s);
  world.now = world.now + 20s;
  ASSERT_TRUE(world.run(LockAccount{kMerchant, world.payer, "night shift", 30s, "x", token}));
  world.now = world.now + 20s;
  EXPECT_EQ(world.account(world.payer).lock_token, token);
  EXPECT_EQ(world.refusal_of(world.transfer_request(1)), "account_locked");
  world.now = world.now + 10s;
  EXPECT_EQ(world.refusal_of(LockAccount{kMerchant, world.payer, "night shift", 30s, "x", token}), "account_locked")
      << "the lock has expired";
}

TEST(UnlockAccount, ReleasesTheLockOnce) {
  Accounts world;
  const std::string token = world.lock(world.payer);
  EXPECT_EQ(world.refusal_of(UnlockAccount{kMerchant, world.payer, "1-guess"}), "account_locked");
  EXPECT_EQ(world.refusal_of(UnlockAccount{kMerchant, world.payer, token}), "ok");
  EXPECT_EQ(world.refusal_of(UnlockAccount{kMerchant, world.payer, token}), "ok") << "it is already unlocked";
  EXPECT_EQ(world.refusal_of(world.transfer_request(1)), "ok");
}

TEST(LockAccount, IsRefusedForClosedAccounts) {
  Accounts world;
  world.change(world.payee, AccountEvent::close);
  EXPECT_EQ(world.lock(world.payee), "account_closed");
}

}  // namespace
}  // namespace finality::test
