#include "decide/adjustment/decide_adjustment.h"
#include "decide/adjustment/propose_adjustment.h"
#include "decide/testing/test_world.h"

namespace finality {
namespace {

using namespace test;
using enum AccountKind;
using Type = AdjustmentType;

constexpr ChannelAccountId kPlatformAccount{21};
constexpr ChannelAccountId kOwnAccount{22};
constexpr ChannelAccountId kBankAccount{23};

/// A world with a channel of the platform (`sandbox`), one of the merchant's own (`by_payer`), and a bank account
/// (`icbc`).
class Adjustments : public World {
 public:
  Adjustments() {
    policy.accounts["sandbox"] = {.id = kPlatformAccount, .channel = "sandbox", .kind = "sandbox"};
    policy.accounts["by_payer"] = {
        .id = kOwnAccount, .channel = "by_payer", .kind = "sandbox", .funds = Funds::merchant};
    policy.accounts["icbc"] = {.id = kBankAccount, .channel = "icbc", .kind = std::string(kBankKind)};
    policy.bank_accounts["icbc"] = kCny;
  }

  static ProposeAdjustment proposal(Type type, AccountKind account, MinorUnits amount,
                                    std::string channel = "sandbox") {
    if (account != channel_receivable && account != bank) channel.clear();
    return {kMerchant, type, account, std::move(channel), kCny, amount, "from the old system", "key_a"};
  }
  AdjustmentId propose(const ProposeAdjustment& command) { return AdjustmentId{run(command)->object.value}; }
  DecideAdjustment decision(AdjustmentId id, AdjustmentEvent event, std::string key = "key_b",
                            MerchantId merchant = kMerchant) const {
    const auto at = store.adjustments.find(id);
    const bool exists = at != store.adjustments.end();
    return decision_about(exists ? &at->second : nullptr, merchant, event, std::move(key),
                          exists ? at->second.version : 0);
  }
  DecideAdjustment approval(AdjustmentId id, std::string key = "key_b") const {
    return decision(id, AdjustmentEvent::approve, std::move(key));
  }
  DecideAdjustment rejection(AdjustmentId id, std::string key = "key_b") const {
    return decision(id, AdjustmentEvent::reject, std::move(key));
  }
  const Adjustment& adjustment(AdjustmentId id) const { return store.adjustments.at(id); }
};

TEST(ProposeAdjustment, PostsNothing) {
  Adjustments world;
  const Decision made = world.run(Adjustments::proposal(Type::penalty, channel_receivable, 500));
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->created);
  const Adjustment& row = world.adjustment(AdjustmentId{made->object.value});
  EXPECT_EQ(row.state, AdjustmentState::proposed);
  EXPECT_EQ(row.merchant_id, kMerchant);
  EXPECT_EQ(row.channel_account_id, kPlatformAccount);
  EXPECT_EQ(row.proposed_by, "key_a");
  EXPECT_FALSE(row.decided_by);
  EXPECT_TRUE(world.store.entries.empty());
  ASSERT_EQ(world.events.size(), 1u);
  EXPECT_EQ(world.events.front().event, "created");
}

TEST(ProposeAdjustment, RequiresAChannelThatSettles) {
  Adjustments world;
  for (const char* channel : {"nowhere", "wallet", "icbc", ""}) {
    const Decision refused = world.run(Adjustments::proposal(Type::penalty, channel_receivable, 5, channel));
    ASSERT_FALSE(refused) << channel;
    EXPECT_EQ(refused.error().code, RefusalCode::invalid_request);
    EXPECT_EQ(refused.error().param, "channel");
    EXPECT_TRUE(refused.error().detail.contains("by_payer, sandbox.")) << refused.error().detail;
  }
  world.policy.channels.erase("sandbox");
  EXPECT_EQ(world.refusal_of(Adjustments::proposal(Type::penalty, channel_receivable, 5)), "ok")
      << "the store still has the account of a channel that is no longer configured";
}

TEST(ProposeAdjustment, OfBankNamesABankAccountOfItsCurrency) {
  Adjustments world;
  for (const char* channel : {"nowhere", "sandbox", ""}) {
    const Decision refused = world.run(Adjustments::proposal(Type::opening_balance, bank, -5, channel));
    ASSERT_FALSE(refused) << channel;
    EXPECT_EQ(refused.error().code, RefusalCode::invalid_request);
    EXPECT_EQ(refused.error().param, "channel");
    EXPECT_EQ(refused.error().detail, "channel must be the name of a bank account: icbc.");
  }
  ProposeAdjustment in_dollars = Adjustments::proposal(Type::opening_balance, bank, -5, "icbc");
  in_dollars.currency = kUsd;
  const Decision refused = world.run(in_dollars);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().param, "currency");
  EXPECT_EQ(refused.error().detail, "currency must be CNY, the currency of the bank account icbc.");
}

TEST(ProposeAdjustment, OfBankNamesNoneIfTheConfigurationHasNone) {
  Adjustments world;
  world.policy.bank_accounts.clear();
  const Decision refused = world.run(Adjustments::proposal(Type::opening_balance, bank, -5, "icbc"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().param, "channel");
  EXPECT_EQ(refused.error().detail, "channel is not allowed, because the configuration has no bank accounts.");
  const AdjustmentId id = world.propose(Adjustments::proposal(Type::opening_balance, bank, -5, ""));
  EXPECT_FALSE(world.adjustment(id).channel_account_id);
  world.policy.bank_accounts["icbc"] = kCny;
  ASSERT_TRUE(world.run(world.approval(id))) << "proposed before the bank account was configured";
  EXPECT_EQ(world.balance(bank), -5);
}

struct Posted {
  ProposeAdjustment proposal;
  EntryType type;
  AccountKind counterpart;
};

const Posted kPosted[] = {
    {Adjustments::proposal(Type::opening_balance, merchant_payable, 700), EntryType::opening_balance_credited, equity},
    {Adjustments::proposal(Type::opening_balance, merchant_payable, -700), EntryType::opening_balance_debited, equity},
    {Adjustments::proposal(Type::opening_balance, merchant_direct, 5), EntryType::opening_balance_credited, equity},
    {Adjustments::proposal(Type::opening_balance, bank, -9, "icbc"), EntryType::opening_balance_debited, equity},
    {Adjustments::proposal(Type::opening_balance, bank, 9, "icbc"), EntryType::opening_balance_credited, equity},
    {Adjustments::proposal(Type::opening_balance, channel_receivable, -9), EntryType::opening_balance_debited, equity},
    {Adjustments::proposal(Type::opening_balance, channel_receivable, -9, "by_payer"),
     EntryType::opening_balance_debited, equity},
    {Adjustments::proposal(Type::penalty, channel_receivable, 500), EntryType::penalty, loss},
    {Adjustments::proposal(Type::penalty, channel_receivable, 500, "by_payer"), EntryType::penalty, merchant_direct},
    {Adjustments::proposal(Type::rounding, channel_receivable, 1), EntryType::rounding_loss, loss},
    {Adjustments::proposal(Type::rounding, channel_receivable, 1, "by_payer"), EntryType::rounding_loss,
     merchant_direct},
    {Adjustments::proposal(Type::rounding, channel_receivable, -1), EntryType::rounding_gain, loss},
    {Adjustments::proposal(Type::rounding, channel_receivable, -1, "by_payer"), EntryType::rounding_gain,
     merchant_direct},
};

std::optional<ChannelAccountId> id_of(std::string_view channel) {
  return channel == "icbc" ? kBankAccount : channel == "sandbox" ? kPlatformAccount : kOwnAccount;
}

TEST(DecideAdjustment, PostsTheAmountToTheAdjustedAccountOnce) {
  for (const Posted& row : kPosted) {
    SCOPED_TRACE(fmt::format("{} of {} on {} {}", name_of(row.proposal.type), row.proposal.amount,
                             name_of(row.proposal.account), row.proposal.channel));
    Adjustments world;
    const AdjustmentId id = world.propose(row.proposal);
    ASSERT_TRUE(world.run(world.approval(id)));
    EXPECT_EQ(world.adjustment(id).state, AdjustmentState::posted);
    EXPECT_EQ(world.adjustment(id).decided_by, "key_b");
    ASSERT_EQ(world.store.entries.size(), 2u);
    for (const Entry& entry : world.store.entries) {
      const Account& account = world.account(entry.account_id);
      const bool is_adjusted = entry.amount == row.proposal.amount;
      EXPECT_EQ(entry.type, row.type);
      EXPECT_EQ(ObjectRef(entry.document_type, entry.document_id), ObjectRef(id));
      EXPECT_EQ(account.kind, is_adjusted ? row.proposal.account : row.counterpart);
      EXPECT_EQ(account.channel, is_adjusted ? row.proposal.channel : "");
      EXPECT_EQ(account.channel_account_id, account.channel.empty() ? std::nullopt : id_of(account.channel));
      EXPECT_EQ(entry.amount, is_adjusted ? row.proposal.amount : -row.proposal.amount);
    }
    ASSERT_EQ(world.events.size(), 1u);
    EXPECT_EQ(world.events.front().event, "approve");
    EXPECT_EQ(world.events.front().journal_id, world.store.entries.front().journal_id);

    EXPECT_EQ(world.refusal_of(world.approval(id)), "ok") << "approving again has no effect";
    EXPECT_EQ(world.refusal_of(world.approval(id, "key_a")), "forbidden");
    EXPECT_EQ(world.refusal_of(world.rejection(id)), "illegal_transition");
    EXPECT_EQ(world.store.entries.size(), 2u);
    EXPECT_EQ(world.adjustment(id).version, 2);
  }
}

TEST(DecideAdjustment, RequiresAnotherKeyForTheApproval) {
  Adjustments world;
  const AdjustmentId id = world.propose(Adjustments::proposal(Type::opening_balance, merchant_payable, 700));
  const Decision refused = world.run(world.approval(id, "key_a"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, RefusalCode::forbidden);
  EXPECT_EQ(world.adjustment(id).state, AdjustmentState::proposed);
  EXPECT_TRUE(world.store.entries.empty());
  EXPECT_EQ(world.refusal_of(world.approval(id)), "ok");
}

TEST(DecideAdjustment, RejectsForEveryKey) {
  for (const char* key : {"key_a", "key_b"}) {
    Adjustments world;
    const AdjustmentId id = world.propose(Adjustments::proposal(Type::penalty, channel_receivable, 500));
    ASSERT_TRUE(world.run(world.rejection(id, key)));
    EXPECT_EQ(world.adjustment(id).state, AdjustmentState::rejected);
    EXPECT_EQ(world.adjustment(id).decided_by, key);
    EXPECT_FALSE(world.events.front().journal_id);
    EXPECT_EQ(world.refusal_of(world.rejection(id)), "ok") << "rejecting again has no effect";
    const Decision refused = world.run(world.approval(id));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, RefusalCode::illegal_transition);
    EXPECT_EQ(refused.error().state, "rejected");
    EXPECT_TRUE(world.store.entries.empty());
    EXPECT_EQ(world.adjustment(id).version, 2);
  }
}

TEST(DecideAdjustment, OfAnotherMerchantIsNotFound) {
  Adjustments world;
  const AdjustmentId id = world.propose(Adjustments::proposal(Type::penalty, channel_receivable, 500));
  EXPECT_EQ(world.refusal_of(world.decision(id, AdjustmentEvent::approve, "key_b", kOtherMerchant)), "not_found");
  EXPECT_EQ(world.refusal_of(world.approval(AdjustmentId{99})), "not_found");
}

TEST(DecideAdjustment, KeepsTheFundsOfTheTimeOfTheProposal) {
  Adjustments world;
  const AdjustmentId id = world.propose(Adjustments::proposal(Type::penalty, channel_receivable, 500, "by_payer"));
  world.policy.accounts.erase("by_payer");
  ASSERT_TRUE(world.run(world.approval(id)));
  EXPECT_EQ(world.balance(merchant_direct), -500);
  EXPECT_EQ(world.balance(loss), 0);
}

}  // namespace
}  // namespace finality
