#include "model/machines.h"

#include <gtest/gtest.h>

#include <set>

#include "model/objects/authorization.h"
#include "model/objects/capture.h"
#include "model/payer_data.h"

namespace finality {
namespace {

TEST(Machines, PassAllChecksAndHaveUniqueNames) {
  std::set<std::string_view> names;
  for (const fsm::View& machine : all_machines()) {
    EXPECT_EQ(machine.finding, "");
    EXPECT_FALSE(machine.title.empty()) << machine.name;
    EXPECT_TRUE(names.insert(machine.name).second) << machine.name;
  }
  for (const std::string_view name :
       {"order", "payment", "authorization", "capture", "refund", "reversal", "delivery", "case"})
    EXPECT_TRUE(names.contains(name)) << name;
}

// After a timeout or an unknown result, an object keeps its state or moves to `processing`; it never fails.
TEST(Machines, NoTimeoutFailsAnObject) {
  for (const fsm::View& machine : all_machines())
    for (std::size_t e = 0; e < machine.events.size(); ++e)
      for (std::size_t s = 0; machine.events[e] == "unknown" && s < machine.states.size(); ++s) {
        const auto& cell = machine.cells[s][e];
        if (cell.kind == fsm::CellKind::move) EXPECT_EQ(cell.to, "processing") << machine.name;
      }
}

// What a channel holds must be given back: no reachable event that finds a hold on an authorization that has ended, or
// that the order does not need, only keeps it.
TEST(Machines, AHoldThatNobodyNeedsIsReleased) {
  using E = AuthorizationEvent;
  for (const E event : {E::authorized_unexpectedly, E::authorized_after_failure})
    for (std::size_t s = 0; s < kCount<AuthorizationState>; ++s) {
      const auto state = static_cast<AuthorizationState>(s);
      const auto cell = authorization_machine.at(state, event);
      if (cell.kind != fsm::CellKind::impossible)
        EXPECT_TRUE(has(cell.actions, fsm::Actions::release)) << name_of(state) << " " << name_of(event);
    }
}

// The payer's data is erased in every state after which the request is never sent, and in no other state.
TEST(Machines, OnlyABeginningPaymentOrAuthorizationNeedsItsPayer) {
  Payment payment;
  for (std::size_t s = 0; s < kCount<PaymentState>; ++s) {
    payment.state = static_cast<PaymentState>(s);
    payment.payer = "{}";
    erase_unneeded_payer(payment);
    const bool is_paid_or_over = payment_machine.is_final(payment.state) || is_under_review(payment);
    EXPECT_EQ(payment.payer.empty(), is_paid_or_over) << name_of(payment.state);
  }
  using enum AuthorizationState;
  Authorization authorization;
  for (std::size_t s = 0; s < kCount<AuthorizationState>; ++s) {
    const auto state = authorization.state = static_cast<AuthorizationState>(s);
    authorization.payer = "{}";
    erase_unneeded_payer(authorization);
    EXPECT_EQ(!authorization.payer.empty(), state == created || state == processing || state == pending)
        << name_of(state);
  }
}

// Only evidence that the channel collected nothing fails a capture: a lost reply leaves it open.
TEST(Machines, ACaptureFailsOnlyByARefusalOrWithItsMoneyInSuspense) {
  using E = CaptureEvent;
  for (std::size_t e = 0; e < kCount<CaptureEvent>; ++e)
    for (const CaptureState state : {CaptureState::pending, CaptureState::processing}) {
      const auto event = static_cast<CaptureEvent>(e);
      const auto cell = capture_machine.at(state, event);
      const bool is_failed = cell.kind == fsm::CellKind::move && cell.to == CaptureState::failed;
      const bool may_fail = event == E::refused || event == E::captured_unexpectedly || event == E::captured_mismatch;
      EXPECT_EQ(is_failed, may_fail) << name_of(state) << " " << name_of(event);
    }
}

// The effect that is due in each state. A final authorization stays due while the channel still holds something.
TEST(Machines, EachStateOfAnAuthorizationHasItsDueEffect) {
  using enum AuthorizationState;
  using Effect = AuthorizationEffect;
  const std::pair<AuthorizationState, Effect> rows[] = {{created, Effect::send},
                                                        {processing, Effect::query},
                                                        {pending, Effect::query_or_close},
                                                        {authorized, Effect::watch},
                                                        {releasing, Effect::query_or_release},
                                                        {captured, Effect::chase},
                                                        {released, Effect::chase},
                                                        {failed, Effect::chase},
                                                        {closed, Effect::chase}};
  static_assert(std::size(rows) == kCount<AuthorizationState>);
  for (const auto& [state, effect] : rows) {
    EXPECT_EQ(authorization_machine.due_effect(state), effect) << name_of(state);
    EXPECT_EQ(authorization_machine.is_final(state), effect == Effect::chase) << name_of(state);
  }
}

}  // namespace
}  // namespace finality
