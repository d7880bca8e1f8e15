#include "decide/account/post_transfer.h"

#include "decide/testing/account_world.h"

namespace finality::test {
namespace {

TEST(PostTransfer, MovesMoneyOnceWhenRepeated) {
  Accounts world;
  const PostTransfer request = world.transfer_request(300, "R1");
  const Decision first = world.run(request);
  ASSERT_TRUE(first && first->created);
  for (int again = 0; again < 3; ++again) {
    const Decision same = world.run(request);
    ASSERT_TRUE(same && !same->created);
    EXPECT_EQ(same->object, first->object);
  }
  EXPECT_EQ(world.balance_of(world.payer), 700);
  EXPECT_EQ(world.balance_of(world.payee), 300);
  EXPECT_EQ(world.entries_of(world.payee), 1u);
}

TEST(PostTransfer, WithOtherFieldsUnderTheSameReferenceIsAConflict) {
  Accounts world;
  ASSERT_TRUE(world.run(world.transfer_request(300, "R1")));
  EXPECT_EQ(world.refusal_of(world.transfer_request(301, "R1")), "reference_conflict");
  PostTransfer elsewhere = world.transfer_request(301, "R1");
  elsewhere.source = "shop";
  EXPECT_EQ(world.refusal_of(elsewhere), "ok") << "references are unique per source";
}

TEST(PostTransfer, StoresARefusalAndRepeatsIt) {
  struct Row {
    std::string_view code;
    std::function<void(Accounts&, PostTransfer&)> spoil;
  };
  const Row rows[] = {
      {"insufficient_balance", [](Accounts&, PostTransfer& request) { request.amount = 1001; }},
      {"account_frozen", [](Accounts& world, PostTransfer&) { world.change(world.payer, AccountEvent::freeze); }},
      {"account_closed", [](Accounts& world, PostTransfer&) { world.change(world.payee, AccountEvent::close); }},
      {"currency_mismatch", [](Accounts&, PostTransfer& request) { request.currency = kUsd; }},
      {"currency_mismatch",
       [](Accounts& world, PostTransfer& request) { request.credit_account_id = world.open("dollars", 0, kUsd); }},
      {"price_not_found",
       [](Accounts&, PostTransfer& request) {
         request.amount.reset();
         request.price = "no such thing";
       }},
      {"currency_mismatch",
       [](Accounts& world, PostTransfer& request) {
         ASSERT_TRUE(world.run(SetPrice{kMerchant, "sms", 5, kUsd, {}}));
         request.amount.reset();
         request.price = "sms";
       }},
  };
  for (const Row& row : rows) {
    Accounts world;
    PostTransfer request = world.transfer_request(300, "R1");
    row.spoil(world, request);
    EXPECT_EQ(world.refusal_of(request), row.code);
    ASSERT_EQ(world.store.transfers.size(), 2u) << "the funding and " << row.code;
    const Transfer& kept = world.store.transfers.rbegin()->second;
    EXPECT_EQ(kept.state, TransferState::refused);
    EXPECT_EQ(kept.refusal, row.code);
    EXPECT_EQ(world.entries_of(world.payer), 1u) << "no money was moved";
    // Removes the reason of the refusal. The repeated request is still refused, because a stored refusal is final.
    if (world.account(world.payer).state == AccountState::frozen) world.change(world.payer, AccountEvent::unfreeze);
    world.fund(world.payer, 5000);
    EXPECT_EQ(world.refusal_of(request), row.code);
    EXPECT_EQ(world.refusal_of(world.reverse("R1")), "ok") << "no money has to be moved back";
    EXPECT_EQ(world.transfer(kept.id).state, TransferState::refused);
  }
}

TEST(PostTransfer, DoesNotStoreInvalidRequests) {
  Accounts world;
  PostTransfer to_itself = world.transfer_request(1, "R1", world.payer, world.payer);
  EXPECT_EQ(world.refusal_of(to_itself), "invalid_request");
  PostTransfer unknown_account = world.transfer_request(1, "R1", AccountId{5});
  EXPECT_EQ(world.refusal_of(unknown_account), "not_found");
  ASSERT_TRUE(world.run(SetPrice{kMerchant, "gold", limits::kAmountMax, kCny, {}}));
  PostTransfer too_much = world.transfer_request(1, "R1");
  too_much.amount.reset();
  too_much.price = "gold";
  too_much.quantity = 2;
  EXPECT_EQ(world.refusal_of(too_much), "invalid_request");
  EXPECT_EQ(world.refusal_of(world.transfer_request(1, "R1")), "ok") << "the reference is still unused";
}

TEST(PostTransfer, ChargesTheCurrentPrice) {
  Accounts world;
  ASSERT_TRUE(world.run(SetPrice{kMerchant, "sms", 5, kCny, "one text"}));
  PostTransfer request = world.transfer_request(0, "R1");
  request.amount.reset();
  request.price = "sms";
  request.quantity = 20;
  const TransferId id{world.run(request)->object.value};
  ASSERT_TRUE(world.run(SetPrice{kMerchant, "sms", 7, kCny, {}}));
  EXPECT_EQ(world.transfer(id).amount, 100);
  EXPECT_EQ(world.run(request)->object.value, id.value) << "a repeated request is charged once, at the first price";
  EXPECT_EQ(world.balance_of(world.payer), 900);
  EXPECT_EQ(world.store.prices.size(), 1u);
  EXPECT_EQ(world.store.prices.begin()->second.version, 2);
}

TEST(PostTransfer, DebitsDownToTheOverdraftLimit) {
  Accounts world;
  const AccountId account = world.open("with credit", 200);
  EXPECT_EQ(world.refusal_of(world.transfer_request(201, "", account)), "insufficient_balance");
  EXPECT_EQ(world.refusal_of(world.transfer_request(200, "", account)), "ok");
  EXPECT_EQ(world.balance_of(account), -200);
  EXPECT_EQ(world.refusal_of(world.transfer_request(1, "", account)), "insufficient_balance");
}

TEST(ReverseTransfer, MovesTheMoneyBackOnce) {
  Accounts world;
  const TransferId id{world.run(world.transfer_request(300, "R1"))->object.value};
  for (int time = 0; time < 3; ++time) {
    const Decision reversed = world.run(world.reverse("R1"));
    ASSERT_TRUE(reversed);
    EXPECT_EQ(reversed->object, ObjectRef(id));
  }
  EXPECT_EQ(world.transfer(id).state, TransferState::reversed);
  EXPECT_EQ(world.balance_of(world.payer), 1000);
  EXPECT_EQ(world.entries_of(world.payee), 2u);
  EXPECT_EQ(world.run(world.transfer_request(300, "R1"))->object, ObjectRef(id)) << "it is not posted again";
  EXPECT_EQ(world.balance_of(world.payer), 1000);
}

TEST(ReverseTransfer, BeforeTheTransferCreatesATombstone) {
  Accounts world;
  ASSERT_TRUE(world.run(world.reverse("R1")));
  ASSERT_TRUE(world.run(world.reverse("R1")));
  EXPECT_EQ(world.refusal_of(world.transfer_request(300, "R1")), "already_reversed");
  EXPECT_EQ(world.balance_of(world.payer), 1000);
}

TEST(ReverseTransfer, IsRefusedWhileTheMoneyCannotBeDebited) {
  struct Row {
    std::string_view code;
    std::function<void(Accounts&)> spoil;
    std::function<void(Accounts&)> mend;
  };
  const Row rows[] = {
      {"insufficient_balance",
       [](Accounts& world) { ASSERT_TRUE(world.run(world.transfer_request(1, "", world.payee, world.source))); },
       [](Accounts& world) { world.fund(world.payee, 1); }},
      {"insufficient_balance",
       [](Accounts& world) {
         CreateHold hold = world.hold_request(1, "H1");
         std::swap(hold.account_id, hold.credit_account_id);
         ASSERT_TRUE(world.run(hold));
       },
       [](Accounts& world) { ASSERT_TRUE(world.run(VoidHold{kMerchant, world.store.holds.begin()->first})); }},
      {"account_frozen", [](Accounts& world) { world.change(world.payee, AccountEvent::freeze); },
       [](Accounts& world) { world.change(world.payee, AccountEvent::unfreeze); }},
  };
  for (const Row& row : rows) {
    Accounts world;
    const TransferId id{world.run(world.transfer_request(300, "R1"))->object.value};
    row.spoil(world);
    EXPECT_EQ(world.refusal_of(world.reverse("R1")), row.code);
    EXPECT_EQ(world.transfer(id).state, TransferState::posted);
    row.mend(world);
    EXPECT_EQ(world.refusal_of(world.reverse("R1")), "ok") << "repeated once the debit is possible";
    EXPECT_EQ(world.transfer(id).state, TransferState::reversed);
  }
}

TEST(ReverseTransfer, OfALockedAccountRequiresTheToken) {
  Accounts world;
  ASSERT_TRUE(world.run(world.transfer_request(300, "R1")));
  ReverseTransfer reverse = world.reverse("R1");
  const std::string token = world.lock(world.payee);
  EXPECT_EQ(world.refusal_of(reverse), "account_locked");
  reverse.lock_token = token;
  EXPECT_EQ(world.refusal_of(reverse), "ok");
}

TEST(ReverseTransfer, CreditsAFrozenAccountButNotAClosedOne) {
  Accounts world;
  ASSERT_TRUE(world.run(world.transfer_request(400, "R1")));
  ASSERT_TRUE(world.run(world.transfer_request(600, "R2")));
  world.change(world.payer, AccountEvent::freeze);
  EXPECT_EQ(world.refusal_of(world.reverse("R1")), "ok");
  world.change(world.payer, AccountEvent::unfreeze);
  ASSERT_TRUE(world.run(world.transfer_request(400)));
  world.change(world.payer, AccountEvent::close);
  EXPECT_EQ(world.refusal_of(world.reverse("R2")), "account_closed");
}

}  // namespace
}  // namespace finality::test
