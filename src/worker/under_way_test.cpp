#include "worker/under_way.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace finality {
namespace {

constexpr MerchantId kMerchant{7};

/// Takes all the room that the merchant gets for the kind.
std::vector<Ticket> fill_for(UnderWay& under_way, EffectKind kind, MerchantId merchant) {
  std::vector<Ticket> tickets;
  while (Ticket ticket = under_way.admit(kind, merchant)) tickets.push_back(std::move(ticket));
  return tickets;
}

/// Takes all the room that there is for the kind, for many merchants.
std::vector<Ticket> fill(UnderWay& under_way, EffectKind kind) {
  std::vector<Ticket> tickets;
  for (std::int64_t merchant = 1000; Ticket ticket = under_way.admit(kind, MerchantId{merchant}); ++merchant)
    tickets.push_back(std::move(ticket));
  return tickets;
}

TEST(UnderWay, AdmitsUntilItIsFullAndAgainWhenOneEnds) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets;
  for (std::size_t i = 0; i < limits::kEffectsUnderWayMax; ++i)
    tickets.push_back(under_way->admit(EffectKind::channel_call, kMerchant));
  EXPECT_TRUE(tickets.back());
  EXPECT_FALSE(under_way->admit(EffectKind::channel_call, kMerchant));
  tickets.pop_back();
  EXPECT_TRUE(under_way->admit(EffectKind::channel_call, kMerchant));
}

TEST(UnderWay, DeliveriesLeaveRoomForChannelCalls) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets;
  for (std::size_t i = 0; i < limits::kDeliveriesUnderWayMax; ++i)
    tickets.push_back(under_way->admit(EffectKind::delivery, MerchantId{static_cast<std::int64_t>(i)}));
  EXPECT_TRUE(tickets.back());
  EXPECT_FALSE(under_way->admit(EffectKind::delivery, MerchantId{-1}));
  EXPECT_TRUE(under_way->admit(EffectKind::channel_call, kMerchant));
}

TEST(UnderWay, AMerchantHasAsManyDeliveriesAsThereIsRoomForMore) {
  const auto under_way = UnderWay::create();
  constexpr std::size_t kAll = limits::kDeliveriesUnderWayMax;
  const std::vector<Ticket> one = fill_for(*under_way, EffectKind::delivery, MerchantId{1});
  EXPECT_EQ(one.size(), kAll / 2);
  EXPECT_EQ(under_way->room_for_claims(EffectKind::delivery, MerchantId{1}), limits::kEffectsWaitingFew);
  EXPECT_EQ(under_way->room_for_claims(EffectKind::delivery, MerchantId{2}), kAll / 4 + limits::kEffectsWaitingFew);
  const std::vector<Ticket> two = fill_for(*under_way, EffectKind::delivery, MerchantId{2});
  EXPECT_EQ(two.size(), kAll / 4);
  const std::vector<Ticket> three = fill_for(*under_way, EffectKind::delivery, MerchantId{3});
  EXPECT_EQ(three.size(), kAll / 8);
}

TEST(UnderWay, AMerchantWhoHasToWaitHoldsUpNoOther) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> hanging = fill_for(*under_way, EffectKind::delivery, MerchantId{1});
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(under_way->admit_or_wait(EffectKind::delivery, MerchantId{1}, [](const Ticket&) { FAIL(); }));
  bool started = false;
  EXPECT_TRUE(under_way->admit_or_wait(EffectKind::delivery, MerchantId{2}, [&](const Ticket&) { started = true; }));
  EXPECT_TRUE(started);
  EXPECT_EQ(under_way->close(), 5u);
}

TEST(UnderWay, MerchantsWhoseDeliveriesWaitTakeTurns) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets = fill(*under_way, EffectKind::delivery);
  std::string started;
  for (const std::int64_t merchant : {1, 1, 1, 2, 3, 3})
    under_way->admit_or_wait(EffectKind::delivery, MerchantId{merchant},
                             [&, merchant](const Ticket&) { started += std::to_string(merchant); });
  EXPECT_EQ(under_way->waiting(), 6u);
  tickets.pop_back();
  EXPECT_EQ(started, "123131") << "each that ends at once makes room for the next";
  EXPECT_EQ(under_way->waiting(), 0u);
}

TEST(UnderWay, AdmitsNothingOnceClosed) {
  const auto under_way = UnderWay::create();
  const Ticket ticket = under_way->admit(EffectKind::delivery, kMerchant);
  under_way->close();
  EXPECT_FALSE(under_way->admit(EffectKind::channel_call, kMerchant));
  EXPECT_EQ(under_way->count(), 1u);
}

TEST(UnderWay, WhatWaitsIsStartedInItsTurn) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets = fill(*under_way, EffectKind::channel_call);
  std::vector<int> started;
  std::vector<Ticket> later;
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(under_way->admit_or_wait(EffectKind::channel_call, kMerchant, [&, i](Ticket ticket) {
      started.push_back(i);
      later.push_back(std::move(ticket));
    }));
  EXPECT_EQ(under_way->waiting(), 3u);
  tickets.erase(tickets.begin());
  EXPECT_EQ(started, std::vector({0}));
  tickets.erase(tickets.begin());
  EXPECT_EQ(started, std::vector({0, 1}));
  EXPECT_FALSE(under_way->admit(EffectKind::channel_call, kMerchant));
  EXPECT_EQ(under_way->close(), 1u);
}

TEST(UnderWay, ADeliveryThatWaitsHoldsUpNoChannelCall) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets = fill(*under_way, EffectKind::delivery);
  EXPECT_TRUE(under_way->admit_or_wait(EffectKind::delivery, kMerchant, [](const Ticket&) { FAIL(); }));
  bool called = false;
  EXPECT_TRUE(under_way->admit_or_wait(EffectKind::channel_call, kMerchant, [&](const Ticket&) { called = true; }));
  EXPECT_TRUE(called);
  under_way->close();
}

TEST(UnderWay, TheEndOfADeliveryMakesRoomForAChannelCallFirst) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> deliveries = fill(*under_way, EffectKind::delivery);
  std::vector<Ticket> calls = fill(*under_way, EffectKind::channel_call);
  ASSERT_GT(deliveries.size(), limits::kDeliveriesUnderWayMin);
  std::string started;
  EXPECT_TRUE(
      under_way->admit_or_wait(EffectKind::delivery, kMerchant, [&](const Ticket&) { started += "delivery "; }));
  EXPECT_TRUE(under_way->admit_or_wait(EffectKind::channel_call, kMerchant, [&](Ticket ticket) {
    started += "call ";
    calls.push_back(std::move(ticket));
  }));
  deliveries.pop_back();
  EXPECT_EQ(started, "call ");
  calls.pop_back();
  EXPECT_EQ(started, "call delivery ");
}

TEST(UnderWay, ChannelCallsThatWaitLeaveDeliveriesTheirShare) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> calls = fill(*under_way, EffectKind::channel_call);
  std::vector<Ticket> deliveries;
  const std::size_t each = limits::kDeliveriesUnderWayMin + 1;
  std::vector<Ticket> later;
  for (std::size_t i = 0; i < each; ++i) {
    under_way->admit_or_wait(EffectKind::channel_call, kMerchant,
                             [&](Ticket ticket) { later.push_back(std::move(ticket)); });
    under_way->admit_or_wait(EffectKind::delivery, kMerchant,
                             [&](Ticket ticket) { deliveries.push_back(std::move(ticket)); });
  }
  for (std::size_t i = 0; i < each; ++i) calls.pop_back();
  EXPECT_EQ(deliveries.size(), limits::kDeliveriesUnderWayMin);
  EXPECT_EQ(later.size(), 1u);
  under_way->close();
}

TEST(UnderWay, RowsThatComeDueMayJoinAShortLine) {
  const auto under_way = UnderWay::create();
  EXPECT_EQ(under_way->room_for_claims(EffectKind::delivery, kMerchant),
            limits::kDeliveriesUnderWayMax / 2 + limits::kEffectsWaitingFew);
  std::vector<Ticket> tickets = fill(*under_way, EffectKind::delivery);
  for (std::size_t i = 0; i <= limits::kEffectsWaitingFew; ++i) {
    EXPECT_EQ(under_way->room_for_claims(EffectKind::delivery, kMerchant), limits::kEffectsWaitingFew - i);
    under_way->admit_or_wait(EffectKind::delivery, kMerchant, [](const Ticket&) {});
  }
  EXPECT_EQ(under_way->room_for_claims(EffectKind::delivery, kMerchant), 0u);
  under_way->close();
  EXPECT_EQ(under_way->room_for_claims(EffectKind::channel_call, kMerchant), 0u);
}

TEST(UnderWay, TheLineHasAnEnd) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets = fill(*under_way, EffectKind::channel_call);
  for (std::size_t i = 0; i < limits::kEffectsWaitingMax; ++i)
    ASSERT_TRUE(under_way->admit_or_wait(EffectKind::channel_call, kMerchant, [](const Ticket&) {}));
  EXPECT_FALSE(under_way->admit_or_wait(EffectKind::channel_call, kMerchant, [](const Ticket&) { FAIL(); }));
  EXPECT_EQ(under_way->close(), limits::kEffectsWaitingMax);
}

TEST(UnderWay, NothingThatWaitedIsStartedOnceClosed) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets = fill(*under_way, EffectKind::delivery);
  EXPECT_TRUE(under_way->admit_or_wait(EffectKind::delivery, kMerchant, [](const Ticket&) { FAIL(); }));
  EXPECT_EQ(under_way->close(), 1u);
  EXPECT_FALSE(under_way->admit_or_wait(EffectKind::delivery, kMerchant, [](const Ticket&) { FAIL(); }));
  tickets.clear();
  EXPECT_EQ(under_way->count(), 0u);
}

TEST(UnderWay, SaysWhetherAllHaveEnded) {
  const auto under_way = UnderWay::create();
  Ticket ticket = under_way->admit(EffectKind::delivery, kMerchant);
  EXPECT_FALSE(under_way->wait_until_none(Duration{0}));
  ticket.reset();
  EXPECT_TRUE(under_way->wait_until_none(Duration{0}));
}

TEST(UnderWay, ATicketMayOutliveItsOwner) {
  auto under_way = UnderWay::create();
  Ticket ticket = under_way->admit(EffectKind::delivery, kMerchant);
  under_way.reset();
  ticket.reset();
}

}  // namespace
}  // namespace finality
