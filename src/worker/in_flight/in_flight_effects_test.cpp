#include "worker/in_flight/in_flight_effects.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace finality {
namespace {

constexpr std::size_t kCallsMax = limits::kChannelCallsInFlightMax;
constexpr std::size_t kFew = limits::kEffectQueueLowWater;

SlotKey call_on(std::int64_t account, std::int64_t merchant = 7) {
  return {EffectKind::channel_call, ChannelAccountId{account}, MerchantId{merchant}};
}
SlotKey delivery_to(std::int64_t merchant = 7) { return {EffectKind::delivery, {}, MerchantId{merchant}}; }

/// Acquires all slots available to the key.
std::vector<Permit> fill_for(InFlightEffects& in_flight, const SlotKey& key) {
  std::vector<Permit> permits;
  while (Permit permit = in_flight.admit(key)) permits.push_back(std::move(permit));
  return permits;
}

/// Acquires all slots available to the account, with many merchants.
std::vector<Permit> flood(InFlightEffects& in_flight, std::int64_t account) {
  std::vector<Permit> permits;
  for (std::int64_t merchant = 1000; Permit permit = in_flight.admit(call_on(account, merchant)); ++merchant)
    permits.push_back(std::move(permit));
  return permits;
}

/// Acquires all slots of the kind, with many accounts and merchants.
std::vector<Permit> fill(InFlightEffects& in_flight, EffectKind kind) {
  std::vector<Permit> permits;
  for (std::int64_t i = 1000;; ++i) {
    Permit permit = in_flight.admit(kind == EffectKind::delivery ? delivery_to(i) : call_on(i, i));
    if (!permit) return permits;
    permits.push_back(std::move(permit));
  }
}

/// Queues effects until the key's share of the queue is full. Returns the number of queued effects.
std::size_t fill_line(InFlightEffects& in_flight, const SlotKey& key) {
  std::size_t waiting = 0;
  while (in_flight.admit_or_wait(key, [](const Permit&) { FAIL(); })) ++waiting;
  return waiting;
}

bool starts_at_once(InFlightEffects& in_flight, const SlotKey& key) {
  const auto started = std::make_shared<bool>(false);
  in_flight.admit_or_wait(key, [started](const Permit&) { *started = true; });
  return *started;
}

TEST(InFlightEffects, AdmitsUntilItIsFullAndAgainAfterARelease) {
  const auto in_flight = InFlightEffects::create();
  std::vector<Permit> permits = fill(*in_flight, EffectKind::channel_call);
  EXPECT_EQ(permits.size(), kCallsMax);
  EXPECT_FALSE(in_flight->admit(call_on(1)));
  permits.pop_back();
  EXPECT_TRUE(in_flight->admit(call_on(1)));
}

TEST(InFlightEffects, ASlowAccountLeavesSlotsAndQueueEntriesForTheOthers) {
  const auto in_flight = InFlightEffects::create();
  const std::vector<Permit> hanging = fill_for(*in_flight, call_on(1));
  fill_line(*in_flight, call_on(1));
  EXPECT_TRUE(starts_at_once(*in_flight, call_on(2))) << "same merchant, another account";
  EXPECT_TRUE(starts_at_once(*in_flight, call_on(2, 8)));
  in_flight->close();
}

TEST(InFlightEffects, AnAccountHasAsManyCallsAsItLeavesFreeForTheOthers) {
  const auto in_flight = InFlightEffects::create();
  std::vector<std::vector<Permit>> hanging;
  for (std::size_t account = 1; account <= 5; ++account) {
    hanging.push_back(flood(*in_flight, static_cast<std::int64_t>(account)));
    EXPECT_EQ(hanging.back().size(), kCallsMax >> account) << account << " accounts hang";
    EXPECT_TRUE(starts_at_once(*in_flight, call_on(1000)));
  }
}

TEST(InFlightEffects, AMerchantHasAsManyCallsAsItLeavesFreeForTheOthersOnTheAccount) {
  const auto in_flight = InFlightEffects::create();
  const std::vector<Permit> one = fill_for(*in_flight, call_on(1, 7));
  EXPECT_EQ(one.size(), kCallsMax / 4);
  EXPECT_FALSE(starts_at_once(*in_flight, call_on(1, 7)));
  EXPECT_TRUE(starts_at_once(*in_flight, call_on(1, 8)));
  EXPECT_EQ(fill_for(*in_flight, call_on(1, 8)).size(), kCallsMax / 8);
  in_flight->close();
}

TEST(InFlightEffects, AMerchantHasAsManyDeliveriesAsItLeavesFreeForTheOthers) {
  const auto in_flight = InFlightEffects::create();
  constexpr std::size_t kAll = limits::kDeliveriesInFlightMax;
  const std::vector<Permit> one = fill_for(*in_flight, delivery_to(1));
  EXPECT_EQ(one.size(), kAll / 2);
  EXPECT_EQ(in_flight->room_for_claims(delivery_to(1)), kFew);
  EXPECT_EQ(in_flight->room_for_claims(delivery_to(2)), kAll / 4 + kFew);
  const std::vector<Permit> two = fill_for(*in_flight, delivery_to(2));
  EXPECT_EQ(two.size(), kAll / 4);
  const std::vector<Permit> three = fill_for(*in_flight, delivery_to(3));
  EXPECT_EQ(three.size(), kAll / 8);
}

TEST(InFlightEffects, AWaitingMerchantDelaysNoOther) {
  const auto in_flight = InFlightEffects::create();
  for (const auto& [slow, other] :
       {std::pair(delivery_to(1), delivery_to(2)), std::pair(call_on(1, 1), call_on(1, 2))}) {
    const std::vector<Permit> hanging = fill_for(*in_flight, slow);
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(starts_at_once(*in_flight, slow));
    EXPECT_TRUE(starts_at_once(*in_flight, other));
  }
  in_flight->close();
}

TEST(InFlightEffects, MerchantsWhoseDeliveriesWaitTakeTurns) {
  const auto in_flight = InFlightEffects::create();
  std::vector<Permit> permits = fill(*in_flight, EffectKind::delivery);
  std::string started;
  for (const std::int64_t merchant : {1, 1, 1, 2, 3, 3})
    in_flight->admit_or_wait(delivery_to(merchant),
                             [&, merchant](const Permit&) { started += std::to_string(merchant); });
  EXPECT_EQ(in_flight->waiting(), 6u);
  permits.pop_back();
  EXPECT_EQ(started, "123131") << "each effect that ends immediately frees a slot for the next";
  EXPECT_EQ(in_flight->waiting(), 0u);
}

TEST(InFlightEffects, AccountsTakeTurnsAndSoDoTheMerchantsOfAnAccount) {
  const auto in_flight = InFlightEffects::create();
  std::vector<Permit> permits = fill(*in_flight, EffectKind::channel_call);
  std::string started;
  for (const auto& [account, merchant] : {std::pair(1, 1), {1, 1}, {1, 1}, {1, 2}, {1, 2}, {2, 1}, {2, 3}})
    in_flight->admit_or_wait(call_on(account, merchant), [&, account, merchant](const Permit&) {
      started += std::to_string(account) + std::to_string(merchant) + " ";
    });
  EXPECT_EQ(in_flight->waiting(), 7u);
  permits.pop_back();
  EXPECT_EQ(started, "11 21 12 23 11 12 11 ");
  EXPECT_EQ(in_flight->waiting(), 0u);
}

TEST(InFlightEffects, DeliveriesAndChannelCallsHaveSeparateSlots) {
  const auto in_flight = InFlightEffects::create();
  const std::vector<Permit> deliveries = fill(*in_flight, EffectKind::delivery);
  EXPECT_EQ(deliveries.size(), limits::kDeliveriesInFlightMax);
  const std::vector<Permit> calls = fill(*in_flight, EffectKind::channel_call);
  EXPECT_EQ(calls.size(), kCallsMax);
  EXPECT_EQ(in_flight->count(), kCallsMax + limits::kDeliveriesInFlightMax);
}

TEST(InFlightEffects, TheEndOfADeliveryStartsNoChannelCall) {
  const auto in_flight = InFlightEffects::create();
  std::vector<Permit> deliveries = fill(*in_flight, EffectKind::delivery);
  const std::vector<Permit> calls = fill(*in_flight, EffectKind::channel_call);
  EXPECT_FALSE(starts_at_once(*in_flight, call_on(1)));
  deliveries.clear();
  EXPECT_EQ(in_flight->waiting(), 1u);
  in_flight->close();
}

TEST(InFlightEffects, AdmitsNothingOnceClosed) {
  const auto in_flight = InFlightEffects::create();
  const Permit permit = in_flight->admit(delivery_to());
  in_flight->close();
  EXPECT_FALSE(in_flight->admit(call_on(1)));
  EXPECT_EQ(in_flight->count(), 1u);
}

TEST(InFlightEffects, QueuedEffectsStartInTurn) {
  const auto in_flight = InFlightEffects::create();
  std::vector<Permit> permits = fill_for(*in_flight, call_on(1));
  std::vector<int> started;
  std::vector<Permit> later;
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(in_flight->admit_or_wait(call_on(1), [&, i](Permit permit) {
      started.push_back(i);
      later.push_back(std::move(permit));
    }));
  EXPECT_EQ(in_flight->waiting(), 3u);
  permits.erase(permits.begin());
  EXPECT_EQ(started, std::vector({0}));
  permits.erase(permits.begin());
  EXPECT_EQ(started, std::vector({0, 1}));
  EXPECT_FALSE(in_flight->admit(call_on(1)));
  EXPECT_EQ(in_flight->close(), 1u);
}

// When calls of one account complete, the shares of all other accounts increase.
TEST(InFlightEffects, CompletedCallsOfOneAccountStartQueuedEffectsOfOthers) {
  const auto in_flight = InFlightEffects::create();
  std::vector<Permit> first = flood(*in_flight, 1);
  std::vector<Permit> second = fill_for(*in_flight, call_on(2));
  const std::size_t before = second.size();
  for (std::size_t i = 0; i < kCallsMax; ++i)
    in_flight->admit_or_wait(call_on(2), [&](Permit permit) { second.push_back(std::move(permit)); });
  EXPECT_EQ(second.size(), before);
  first.clear();
  EXPECT_EQ(second.size(), kCallsMax / 4) << "as many as with no other account";
  in_flight->close();
}

TEST(InFlightEffects, DueRowsMayJoinAShortQueue) {
  for (const SlotKey& key : {delivery_to(), call_on(1)}) {
    const auto in_flight = InFlightEffects::create();
    const std::vector<Permit> permits = fill_for(*in_flight, key);
    EXPECT_FALSE(permits.empty());
    for (std::size_t i = 0; i <= kFew; ++i) {
      EXPECT_EQ(in_flight->room_for_claims(key), kFew - i);
      in_flight->admit_or_wait(key, [](const Permit&) {});
    }
    EXPECT_EQ(in_flight->room_for_claims(key), 0u);
    in_flight->close();
    EXPECT_EQ(in_flight->room_for_claims(key), 0u);
    EXPECT_EQ(in_flight->room_for_claims(call_on(2)), 0u);
  }
}

// Effects of due rows would wait too long in a slow queue, be dropped, and be claimed again.
TEST(InFlightEffects, DueRowsDoNotJoinASlowQueue) {
  const auto in_flight = InFlightEffects::create();
  std::vector<Permit> permits = fill_for(*in_flight, call_on(1));
  EXPECT_EQ(in_flight->room_for_claims(call_on(1)), kFew);
  in_flight->count_dropped(call_on(1));
  EXPECT_EQ(in_flight->room_for_claims(call_on(1)), 0u);
  EXPECT_EQ(in_flight->room_for_claims(call_on(2)), kCallsMax * 3 / 16 + kFew) << "other accounts are not affected";
  permits.pop_back();
  EXPECT_EQ(in_flight->room_for_claims(call_on(1)), 1u) << "a slot is free";

  permits.push_back(in_flight->admit(call_on(1)));
  Permit later;
  in_flight->admit_or_wait(call_on(1), [&](Permit permit) { later = std::move(permit); });
  permits.pop_back();
  EXPECT_TRUE(later) << "an effect has left the queue";
  EXPECT_EQ(in_flight->room_for_claims(call_on(1)), kFew);
}

TEST(InFlightEffects, TheQueueIsDividedLikeTheSlots) {
  const auto in_flight = InFlightEffects::create();
  constexpr std::size_t kAll = limits::kEffectsQueuedMax;
  const std::vector<Permit> calls = fill(*in_flight, EffectKind::channel_call);
  EXPECT_EQ(fill_line(*in_flight, call_on(1, 1)), kAll / 4);
  EXPECT_EQ(fill_line(*in_flight, call_on(1, 2)), kAll / 8) << "another merchant of the account";
  EXPECT_EQ(fill_line(*in_flight, call_on(2, 1)), kAll * 5 / 32) << "another account";
  const std::vector<Permit> deliveries = fill(*in_flight, EffectKind::delivery);
  EXPECT_EQ(fill_line(*in_flight, delivery_to(1)), kAll / 2);
  EXPECT_EQ(fill_line(*in_flight, delivery_to(2)), kAll / 4);
  EXPECT_EQ(in_flight->close(), kAll * 41 / 32);
}

TEST(InFlightEffects, ReportsTheResourceUseOfAnAccount) {
  const auto in_flight = InFlightEffects::create();
  const std::vector<Permit> one = fill_for(*in_flight, call_on(1, 7));
  const Permit other = in_flight->admit(call_on(1, 8));
  const std::vector<Permit> deliveries = fill_for(*in_flight, delivery_to(7));
  in_flight->admit_or_wait(call_on(1, 7), [](const Permit&) {});
  in_flight->count_dropped(call_on(1, 7));
  in_flight->count_dropped(delivery_to(7));
  const ChannelUse use = in_flight->use_of(ChannelAccountId{1});
  EXPECT_EQ(use.in_flight, one.size() + 1);
  EXPECT_EQ(use.waiting, 1u);
  EXPECT_EQ(use.dropped, 1u);
  EXPECT_EQ(in_flight->use_of(ChannelAccountId{2}).in_flight, 0u);
  EXPECT_EQ(in_flight->use_of({}).dropped, 0u);
  in_flight->close();
}

TEST(InFlightEffects, QueuedEffectsAreNotStartedAfterClose) {
  const auto in_flight = InFlightEffects::create();
  std::vector<Permit> permits = fill(*in_flight, EffectKind::delivery);
  EXPECT_TRUE(in_flight->admit_or_wait(delivery_to(), [](const Permit&) { FAIL(); }));
  EXPECT_EQ(in_flight->close(), 1u);
  EXPECT_FALSE(in_flight->admit_or_wait(delivery_to(), [](const Permit&) { FAIL(); }));
  permits.clear();
  EXPECT_EQ(in_flight->count(), 0u);
}

TEST(InFlightEffects, ReportsWhetherAllHaveEnded) {
  const auto in_flight = InFlightEffects::create();
  Permit permit = in_flight->admit(delivery_to());
  EXPECT_FALSE(in_flight->wait_until_none(Duration{0}));
  permit.reset();
  EXPECT_TRUE(in_flight->wait_until_none(Duration{0}));
}

TEST(InFlightEffects, APermitMayOutliveItsOwner) {
  auto in_flight = InFlightEffects::create();
  Permit permit = in_flight->admit(delivery_to());
  in_flight.reset();
  permit.reset();
}

TEST(SlotKey, IdentifiesTheAccountAndTheMerchantOfAnEffect) {
  ChannelCall call;
  call.payment.channel_account_id = ChannelAccountId{3};
  call.payment.merchant_id = MerchantId{7};
  RefundCall refund;
  refund.channel_account_id = ChannelAccountId{4};
  refund.merchant_id = MerchantId{8};
  AuthorizationCall authorization;
  authorization.authorization.channel_account_id = ChannelAccountId{5};
  authorization.authorization.merchant_id = MerchantId{6};
  CaptureCall capture;
  capture.capture.channel_account_id = ChannelAccountId{2};
  capture.capture.merchant_id = MerchantId{1};
  DeliveryAttempt attempt;
  attempt.delivery.merchant_id = MerchantId{9};
  EXPECT_EQ(slot_key_of(call), call_on(3, 7));
  EXPECT_EQ(slot_key_of(authorization), call_on(5, 6));
  EXPECT_EQ(slot_key_of(capture), call_on(2, 1));
  EXPECT_EQ(slot_key_of(refund), call_on(4, 8));
  EXPECT_EQ(slot_key_of(attempt), delivery_to(9));
}

}  // namespace
}  // namespace finality
