#include "worker/under_way.h"

#include <gtest/gtest.h>

namespace finality {
namespace {

TEST(UnderWay, AdmitsUntilItIsFullAndAgainWhenOneEnds) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets;
  for (std::size_t i = 0; i < UnderWay::kMax; ++i) tickets.push_back(under_way->admit(EffectKind::channel_call));
  EXPECT_TRUE(tickets.back());
  EXPECT_EQ(under_way->room(EffectKind::channel_call), 0u);
  EXPECT_FALSE(under_way->admit(EffectKind::channel_call));
  tickets.pop_back();
  EXPECT_EQ(under_way->room(EffectKind::channel_call), 1u);
  EXPECT_TRUE(under_way->admit(EffectKind::channel_call));
}

TEST(UnderWay, DeliveriesLeaveRoomForChannelCalls) {
  const auto under_way = UnderWay::create();
  std::vector<Ticket> tickets;
  for (std::size_t i = 0; i < UnderWay::kDeliveriesMax; ++i) tickets.push_back(under_way->admit(EffectKind::delivery));
  EXPECT_TRUE(tickets.back());
  EXPECT_FALSE(under_way->admit(EffectKind::delivery));
  EXPECT_TRUE(under_way->admit(EffectKind::channel_call));
}

TEST(UnderWay, AdmitsNothingOnceClosed) {
  const auto under_way = UnderWay::create();
  const Ticket ticket = under_way->admit(EffectKind::delivery);
  under_way->close();
  EXPECT_FALSE(under_way->admit(EffectKind::channel_call));
  EXPECT_EQ(under_way->room(EffectKind::channel_call), 0u);
  EXPECT_EQ(under_way->count(), 1u);
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
