#include "worker/under_way.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace finality {
namespace {

/// Takes all the room that there is for the kind.
std::vector<Ticket> fill(UnderWay& under_way, EffectKind kind) {
  std::vector<Ticket> tickets;
  while (Ticket ticket = under_way.admit(kind)) tickets.push_back(std::move(ticket));
  return tickets;
}

TEST(UnderWay, AdmitsUntilItIsFullAndAgainWhenOneEnds) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets;
  for (std::size_t i = 0; i < limits::kEffectsUnderWayMax; ++i)
    tickets.push_back(under_way->admit(EffectKind::channel_call));
  EXPECT_TRUE(tickets.back());
  EXPECT_FALSE(under_way->admit(EffectKind::channel_call));
  tickets.pop_back();
  EXPECT_TRUE(under_way->admit(EffectKind::channel_call));
}

TEST(UnderWay, DeliveriesLeaveRoomForChannelCalls) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets;
  for (std::size_t i = 0; i < limits::kDeliveriesUnderWayMax; ++i)
    tickets.push_back(under_way->admit(EffectKind::delivery));
  EXPECT_TRUE(tickets.back());
  EXPECT_FALSE(under_way->admit(EffectKind::delivery));
  EXPECT_TRUE(under_way->admit(EffectKind::channel_call));
}

TEST(UnderWay, AdmitsNothingOnceClosed) {
  const auto under_way = UnderWay::create();
  const Ticket ticket = under_way->admit(EffectKind::delivery);
  under_way->close();
  EXPECT_FALSE(under_way->admit(EffectKind::channel_call));
  EXPECT_EQ(under_way->count(), 1u);
}

TEST(UnderWay, WhatWaitsIsStartedInItsTurn) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets = fill(*under_way, EffectKind::delivery);
  std::vector<int> started;
  std::vector<Ticket> later;
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(under_way->admit_or_wait(EffectKind::delivery, [&, i](Ticket ticket) {
      started.push_back(i);
      later.push_back(std::move(ticket));
    }));
  EXPECT_EQ(under_way->waiting(), 3u);
  tickets.erase(tickets.begin());
  EXPECT_EQ(started, std::vector({0}));
  tickets.erase(tickets.begin());
  EXPECT_EQ(started, std::vector({0, 1}));
  EXPECT_FALSE(under_way->admit(EffectKind::delivery));
  EXPECT_EQ(under_way->close(), 1u);
}

TEST(UnderWay, ADeliveryThatWaitsHoldsUpNoChannelCall) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets = fill(*under_way, EffectKind::delivery);
  EXPECT_TRUE(under_way->admit_or_wait(EffectKind::delivery, [](const Ticket&) { FAIL(); }));
  bool called = false;
  EXPECT_TRUE(under_way->admit_or_wait(EffectKind::channel_call, [&](const Ticket&) { called = true; }));
  EXPECT_TRUE(called);
  under_way->close();
}

TEST(UnderWay, TheEndOfADeliveryMakesRoomForAChannelCallFirst) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> deliveries = fill(*under_way, EffectKind::delivery);
  std::vector<Ticket> calls = fill(*under_way, EffectKind::channel_call);
  ASSERT_GT(deliveries.size(), limits::kDeliveriesUnderWayMin);
  std::string started;
  EXPECT_TRUE(under_way->admit_or_wait(EffectKind::delivery, [&](const Ticket&) { started += "delivery "; }));
  EXPECT_TRUE(under_way->admit_or_wait(EffectKind::channel_call, [&](Ticket ticket) {
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
    under_way->admit_or_wait(EffectKind::channel_call, [&](Ticket ticket) { later.push_back(std::move(ticket)); });
    under_way->admit_or_wait(EffectKind::delivery, [&](Ticket ticket) { deliveries.push_back(std::move(ticket)); });
  }
  for (std::size_t i = 0; i < each; ++i) calls.pop_back();
  EXPECT_EQ(deliveries.size(), limits::kDeliveriesUnderWayMin);
  EXPECT_EQ(later.size(), 1u);
  under_way->close();
}

TEST(UnderWay, RowsThatComeDueMayJoinAShortLine) {
  const auto under_way = UnderWay::create();
  EXPECT_EQ(under_way->room_for_claims(EffectKind::delivery),
            limits::kDeliveriesUnderWayMax + limits::kEffectsWaitingFew);
  std::vector<Ticket> tickets = fill(*under_way, EffectKind::delivery);
  for (std::size_t i = 0; i <= limits::kEffectsWaitingFew; ++i) {
    EXPECT_EQ(under_way->room_for_claims(EffectKind::delivery), limits::kEffectsWaitingFew - i);
    under_way->admit_or_wait(EffectKind::delivery, [](const Ticket&) {});
  }
  EXPECT_EQ(under_way->room_for_claims(EffectKind::delivery), 0u);
  under_way->close();
  EXPECT_EQ(under_way->room_for_claims(EffectKind::channel_call), 0u);
}

TEST(UnderWay, TheLineHasAnEnd) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets = fill(*under_way, EffectKind::channel_call);
  for (std::size_t i = 0; i < limits::kEffectsWaitingMax; ++i)
    ASSERT_TRUE(under_way->admit_or_wait(EffectKind::channel_call, [](const Ticket&) {}));
  EXPECT_FALSE(under_way->admit_or_wait(EffectKind::channel_call, [](const Ticket&) { FAIL(); }));
  EXPECT_EQ(under_way->close(), limits::kEffectsWaitingMax);
}

TEST(UnderWay, NothingThatWaitedIsStartedOnceClosed) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets = fill(*under_way, EffectKind::delivery);
  EXPECT_TRUE(under_way->admit_or_wait(EffectKind::delivery, [](const Ticket&) { FAIL(); }));
  EXPECT_EQ(under_way->close(), 1u);
  EXPECT_FALSE(under_way->admit_or_wait(EffectKind::delivery, [](const Ticket&) { FAIL(); }));
  tickets.clear();
  EXPECT_EQ(under_way->count(), 0u);
}

TEST(UnderWay, SaysWhetherAllHaveEnded) {
  const auto under_way = UnderWay::create();
  Ticket ticket = under_way->admit(EffectKind::delivery);
  EXPECT_FALSE(under_way->wait_until_none(Duration{0}));
  ticket.reset();
  EXPECT_TRUE(under_way->wait_until_none(Duration{0}));
}

TEST(UnderWay, ATicketMayOutliveItsOwner) {
  auto under_way = UnderWay::create();
  Ticket ticket = under_way->admit(EffectKind::delivery);
  under_way.reset();
  ticket.reset();
}

}  // namespace
}  // namespace finality
