#include "worker/in_flight/under_way.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace finality {
namespace {

constexpr std::size_t kCallsMax = limits::kChannelCallsUnderWayMax;
constexpr std::size_t kFew = limits::kEffectsWaitingFew;

SlotKey call_on(std::int64_t account, std::int64_t merchant = 7) {
  return {EffectKind::channel_call, ChannelAccountId{account}, MerchantId{merchant}};
}
SlotKey delivery_to(std::int64_t merchant = 7) { return {EffectKind::delivery, {}, MerchantId{merchant}}; }

/// Takes all slots that the key gets.
std::vector<Ticket> fill_for(UnderWay& under_way, const SlotKey& key) {
  std::vector<Ticket> tickets;
  while (Ticket ticket = under_way.admit(key)) tickets.push_back(std::move(ticket));
  return tickets;
}

/// Takes all slots that many merchants get on the account.
std::vector<Ticket> flood(UnderWay& under_way, std::int64_t account) {
  std::vector<Ticket> tickets;
  for (std::int64_t merchant = 1000; Ticket ticket = under_way.admit(call_on(account, merchant)); ++merchant)
    tickets.push_back(std::move(ticket));
  return tickets;
}

/// Takes all slots of the kind, for many accounts and merchants.
std::vector<Ticket> fill(UnderWay& under_way, EffectKind kind) {
  std::vector<Ticket> tickets;
  for (std::int64_t i = 1000;; ++i) {
    Ticket ticket = under_way.admit(kind == EffectKind::delivery ? delivery_to(i) : call_on(i, i));
    if (!ticket) return tickets;
    tickets.push_back(std::move(ticket));
  }
}

/// Lines up for the key until its line is full.
std::size_t fill_line(UnderWay& under_way, const SlotKey& key) {
  std::size_t waiting = 0;
  while (under_way.admit_or_wait(key, [](const Ticket&) { FAIL(); })) ++waiting;
  return waiting;
}

bool starts_at_once(UnderWay& under_way, const SlotKey& key) {
  const auto started = std::make_shared<bool>(false);
  under_way.admit_or_wait(key, [started](const Ticket&) { *started = true; });
  return *started;
}

TEST(UnderWay, AdmitsUntilItIsFullAndAgainWhenOneEnds) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets = fill(*under_way, EffectKind::channel_call);
  EXPECT_EQ(tickets.size(), kCallsMax);
  EXPECT_FALSE(under_way->admit(call_on(1)));
  tickets.pop_back();
  EXPECT_TRUE(under_way->admit(call_on(1)));
}

TEST(UnderWay, ASlowAccountLeavesSlotsAndPlacesForTheOthers) {
  const auto under_way = UnderWay::create();
  const std::vector<Ticket> hanging = fill_for(*under_way, call_on(1));
  fill_line(*under_way, call_on(1));
  EXPECT_TRUE(starts_at_once(*under_way, call_on(2))) << "of the same merchant";
  EXPECT_TRUE(starts_at_once(*under_way, call_on(2, 8)));
  under_way->close();
}

TEST(UnderWay, AnAccountHasAsManyCallsAsItLeavesFreeForTheOthers) {
  const auto under_way = UnderWay::create();
  std::vector<std::vector<Ticket>> hanging;
  for (std::size_t account = 1; account <= 5; ++account) {
    hanging.push_back(flood(*under_way, static_cast<std::int64_t>(account)));
    EXPECT_EQ(hanging.back().size(), kCallsMax >> account) << account << " accounts hang";
    EXPECT_TRUE(starts_at_once(*under_way, call_on(1000)));
  }
}

TEST(UnderWay, AMerchantHasAsManyCallsAsItLeavesFreeForTheOthersOnTheAccount) {
  const auto under_way = UnderWay::create();
  const std::vector<Ticket> one = fill_for(*under_way, call_on(1, 7));
  EXPECT_EQ(one.size(), kCallsMax / 4);
  EXPECT_FALSE(starts_at_once(*under_way, call_on(1, 7)));
  EXPECT_TRUE(starts_at_once(*under_way, call_on(1, 8)));
  EXPECT_EQ(fill_for(*under_way, call_on(1, 8)).size(), kCallsMax / 8);
  under_way->close();
}

TEST(UnderWay, AMerchantHasAsManyDeliveriesAsItLeavesFreeForTheOthers) {
  const auto under_way = UnderWay::create();
  constexpr std::size_t kAll = limits::kDeliveriesUnderWayMax;
  const std::vector<Ticket> one = fill_for(*under_way, delivery_to(1));
  EXPECT_EQ(one.size(), kAll / 2);
  EXPECT_EQ(under_way->room_for_claims(delivery_to(1)), kFew);
  EXPECT_EQ(under_way->room_for_claims(delivery_to(2)), kAll / 4 + kFew);
  const std::vector<Ticket> two = fill_for(*under_way, delivery_to(2));
  EXPECT_EQ(two.size(), kAll / 4);
  const std::vector<Ticket> three = fill_for(*under_way, delivery_to(3));
  EXPECT_EQ(three.size(), kAll / 8);
}

TEST(UnderWay, AMerchantThatHasToWaitHoldsUpNoOther) {
  const auto under_way = UnderWay::create();
  for (const auto& [slow, other] :
       {std::pair(delivery_to(1), delivery_to(2)), std::pair(call_on(1, 1), call_on(1, 2))}) {
    const std::vector<Ticket> hanging = fill_for(*under_way, slow);
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(starts_at_once(*under_way, slow));
    EXPECT_TRUE(starts_at_once(*under_way, other));
  }
  under_way->close();
}

TEST(UnderWay, MerchantsWhoseDeliveriesWaitTakeTurns) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets = fill(*under_way, EffectKind::delivery);
  std::string started;
  for (const std::int64_t merchant : {1, 1, 1, 2, 3, 3})
    under_way->admit_or_wait(delivery_to(merchant),
                             [&, merchant](const Ticket&) { started += std::to_string(merchant); });
  EXPECT_EQ(under_way->waiting(), 6u);
  tickets.pop_back();
  EXPECT_EQ(started, "123131") << "each that ends at once makes room for the next";
  EXPECT_EQ(under_way->waiting(), 0u);
}

TEST(UnderWay, AccountsTakeTurnsAndSoDoTheMerchantsOfAnAccount) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets = fill(*under_way, EffectKind::channel_call);
  std::string started;
  for (const auto& [account, merchant] : {std::pair(1, 1), {1, 1}, {1, 1}, {1, 2}, {1, 2}, {2, 1}, {2, 3}})
    under_way->admit_or_wait(call_on(account, merchant), [&, account, merchant](const Ticket&) {
      started += std::to_string(account) + std::to_string(merchant) + " ";
    });
  EXPECT_EQ(under_way->waiting(), 7u);
  tickets.pop_back();
  EXPECT_EQ(started, "11 21 12 23 11 12 11 ");
  EXPECT_EQ(under_way->waiting(), 0u);
}

TEST(UnderWay, DeliveriesAndChannelCallsTakeNoSlotsOfEachOther) {
  const auto under_way = UnderWay::create();
  const std::vector<Ticket> deliveries = fill(*under_way, EffectKind::delivery);
  EXPECT_EQ(deliveries.size(), limits::kDeliveriesUnderWayMax);
  const std::vector<Ticket> calls = fill(*under_way, EffectKind::channel_call);
  EXPECT_EQ(calls.size(), kCallsMax);
  EXPECT_EQ(under_way->count(), kCallsMax + limits::kDeliveriesUnderWayMax);
}

TEST(UnderWay, TheEndOfADeliveryStartsNoChannelCall) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> deliveries = fill(*under_way, EffectKind::delivery);
  const std::vector<Ticket> calls = fill(*under_way, EffectKind::channel_call);
  EXPECT_FALSE(starts_at_once(*under_way, call_on(1)));
  deliveries.clear();
  EXPECT_EQ(under_way->waiting(), 1u);
  under_way->close();
}

TEST(UnderWay, AdmitsNothingOnceClosed) {
  const auto under_way = UnderWay::create();
  const Ticket ticket = under_way->admit(delivery_to());
  under_way->close();
  EXPECT_FALSE(under_way->admit(call_on(1)));
  EXPECT_EQ(under_way->count(), 1u);
}

TEST(UnderWay, WhatWaitsIsStartedInItsTurn) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets = fill_for(*under_way, call_on(1));
  std::vector<int> started;
  std::vector<Ticket> later;
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(under_way->admit_or_wait(call_on(1), [&, i](Ticket ticket) {
      started.push_back(i);
      later.push_back(std::move(ticket));
    }));
  EXPECT_EQ(under_way->waiting(), 3u);
  tickets.erase(tickets.begin());
  EXPECT_EQ(started, std::vector({0}));
  tickets.erase(tickets.begin());
  EXPECT_EQ(started, std::vector({0, 1}));
  EXPECT_FALSE(under_way->admit(call_on(1)));
  EXPECT_EQ(under_way->close(), 1u);
}

// The ends of one account's calls widen the shares of all others.
TEST(UnderWay, TheEndsOfOneAccountsCallsStartWhatWaitsOnOthers) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> first = flood(*under_way, 1);
  std::vector<Ticket> second = fill_for(*under_way, call_on(2));
  const std::size_t before = second.size();
  for (std::size_t i = 0; i < kCallsMax; ++i)
    under_way->admit_or_wait(call_on(2), [&](Ticket ticket) { second.push_back(std::move(ticket)); });
  EXPECT_EQ(second.size(), before);
  first.clear();
  EXPECT_EQ(second.size(), kCallsMax / 4) << "as many as with no other account";
  under_way->close();
}

TEST(UnderWay, RowsThatComeDueMayJoinAShortLine) {
  for (const SlotKey& key : {delivery_to(), call_on(1)}) {
    const auto under_way = UnderWay::create();
    const std::vector<Ticket> tickets = fill_for(*under_way, key);
    EXPECT_FALSE(tickets.empty());
    for (std::size_t i = 0; i <= kFew; ++i) {
      EXPECT_EQ(under_way->room_for_claims(key), kFew - i);
      under_way->admit_or_wait(key, [](const Ticket&) {});
    }
    EXPECT_EQ(under_way->room_for_claims(key), 0u);
    under_way->close();
    EXPECT_EQ(under_way->room_for_claims(key), 0u);
    EXPECT_EQ(under_way->room_for_claims(call_on(2)), 0u);
  }
}

// They would be dropped there, and claimed again.
TEST(UnderWay, RowsThatComeDueDoNotJoinALineThatIsTooSlow) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets = fill_for(*under_way, call_on(1));
  EXPECT_EQ(under_way->room_for_claims(call_on(1)), kFew);
  under_way->count_dropped(call_on(1));
  EXPECT_EQ(under_way->room_for_claims(call_on(1)), 0u);
  EXPECT_EQ(under_way->room_for_claims(call_on(2)), kCallsMax * 3 / 16 + kFew) << "other accounts are not concerned";
  tickets.pop_back();
  EXPECT_EQ(under_way->room_for_claims(call_on(1)), 1u) << "a slot is free";

  tickets.push_back(under_way->admit(call_on(1)));
  Ticket later;
  under_way->admit_or_wait(call_on(1), [&](Ticket ticket) { later = std::move(ticket); });
  tickets.pop_back();
  EXPECT_TRUE(later) << "an effect has left the line";
  EXPECT_EQ(under_way->room_for_claims(call_on(1)), kFew);
}

TEST(UnderWay, TheLineIsDividedAsTheSlotsAre) {
  const auto under_way = UnderWay::create();
  constexpr std::size_t kAll = limits::kEffectsWaitingMax;
  const std::vector<Ticket> calls = fill(*under_way, EffectKind::channel_call);
  EXPECT_EQ(fill_line(*under_way, call_on(1, 1)), kAll / 4);
  EXPECT_EQ(fill_line(*under_way, call_on(1, 2)), kAll / 8) << "another merchant of the account";
  EXPECT_EQ(fill_line(*under_way, call_on(2, 1)), kAll * 5 / 32) << "another account";
  const std::vector<Ticket> deliveries = fill(*under_way, EffectKind::delivery);
  EXPECT_EQ(fill_line(*under_way, delivery_to(1)), kAll / 2);
  EXPECT_EQ(fill_line(*under_way, delivery_to(2)), kAll / 4);
  EXPECT_EQ(under_way->close(), kAll * 41 / 32);
}

TEST(UnderWay, ReportsWhatAnAccountUses) {
  const auto under_way = UnderWay::create();
  const std::vector<Ticket> one = fill_for(*under_way, call_on(1, 7));
  const Ticket other = under_way->admit(call_on(1, 8));
  const std::vector<Ticket> deliveries = fill_for(*under_way, delivery_to(7));
  under_way->admit_or_wait(call_on(1, 7), [](const Ticket&) {});
  under_way->count_dropped(call_on(1, 7));
  under_way->count_dropped(delivery_to(7));
  const ChannelUse use = under_way->use_of(ChannelAccountId{1});
  EXPECT_EQ(use.under_way, one.size() + 1);
  EXPECT_EQ(use.waiting, 1u);
  EXPECT_EQ(use.dropped, 1u);
  EXPECT_EQ(under_way->use_of(ChannelAccountId{2}).under_way, 0u);
  EXPECT_EQ(under_way->use_of({}).dropped, 0u);
  under_way->close();
}

TEST(UnderWay, NothingThatWaitedIsStartedOnceClosed) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets = fill(*under_way, EffectKind::delivery);
  EXPECT_TRUE(under_way->admit_or_wait(delivery_to(), [](const Ticket&) { FAIL(); }));
  EXPECT_EQ(under_way->close(), 1u);
  EXPECT_FALSE(under_way->admit_or_wait(delivery_to(), [](const Ticket&) { FAIL(); }));
  tickets.clear();
  EXPECT_EQ(under_way->count(), 0u);
}

TEST(UnderWay, SaysWhetherAllHaveEnded) {
  const auto under_way = UnderWay::create();
  Ticket ticket = under_way->admit(delivery_to());
  EXPECT_FALSE(under_way->wait_until_none(Duration{0}));
  ticket.reset();
  EXPECT_TRUE(under_way->wait_until_none(Duration{0}));
}

TEST(UnderWay, ATicketMayOutliveItsOwner) {
  auto under_way = UnderWay::create();
  Ticket ticket = under_way->admit(delivery_to());
  under_way.reset();
  ticket.reset();
}

TEST(SlotKey, NamesTheAccountAndTheMerchantOfAnEffect) {
  ChannelCall call;
  call.payment.channel_account_id = ChannelAccountId{3};
  call.payment.merchant_id = MerchantId{7};
  RefundCall refund;
  refund.channel_account_id = ChannelAccountId{4};
  refund.merchant_id = MerchantId{8};
  Deliver attempt;
  attempt.delivery.merchant_id = MerchantId{9};
  EXPECT_EQ(slot_key_of(call), call_on(3, 7));
  EXPECT_EQ(slot_key_of(refund), call_on(4, 8));
  EXPECT_EQ(slot_key_of(attempt), delivery_to(9));
}

}  // namespace
}  // namespace finality
