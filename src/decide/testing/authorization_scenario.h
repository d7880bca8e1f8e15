// Test fixture: what can happen to an authorization, as commands. A row has the steps of merchant, clock and channel,
// and the expected end state.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decide/testing/authorization_world.h"

namespace finality::test {

inline constexpr MinorUnits kPart = 700;
inline constexpr MinorUnits kRest = kAmount - kPart;

// One order with manual capture and an authorization that has been sent.
class Scenario : public Authorizations {
 public:
  using Kind = AuthorizationEvidenceKind;

  explicit Scenario(CreateOrder (*change)(CreateOrder) = nullptr) {
    CreateOrder request = manual_request();
    order_id = new_order(change == nullptr ? request : change(request));
    authorize(order_id);
  }

  const OrderAggregate& order_now() { return aggregate(order_id); }
  const Authorization& row() { return authorization(order_id); }

  // ---- The channel
  void says(AuthorizationEvidence evidence) {
    now = now + 1s;
    report(order_id, std::move(evidence));
  }
  void says(Kind kind) { says(AuthorizationEvidence{.kind = kind}); }
  // The result of a query after the deadline of the last request.
  void is_queried(AuthorizationEvidence evidence) {
    now = std::max(now, row().send_deadline.value_or(now));
    is_queried_early(std::move(evidence));
  }
  // The result of a query that the last request can still follow.
  void is_queried_early(AuthorizationEvidence evidence) {
    now = now + 1s;
    evidence.source = CauseKind::query;
    report(order_id, std::move(evidence));
  }
  static AuthorizationEvidence totals(Kind kind, MinorUnits captured, MinorUnits released,
                                      MinorUnits authorized = kAmount) {
    AuthorizationEvidence evidence = holds(authorized);
    evidence.kind = kind;
    evidence.captured = captured;
    evidence.released = released;
    return evidence;
  }
  static AuthorizationEvidence in_dollars(AuthorizationEvidence evidence) {
    evidence.currency = kUsd;
    return evidence;
  }
  static AuthorizationEvidence with_capture(AuthorizationEvidence evidence, MinorUnits amount) {
    evidence.captures.push_back({"CONSOLE-1", "T-console", amount, kCny, kNow});
    return evidence;
  }
  void captures(Evidence evidence) {
    now = now + 1s;
    report_capture(order_id, std::move(evidence));
  }

  // ---- The merchant and the clock
  void asks_to_capture(std::optional<MinorUnits> amount, bool is_final) {
    now = now + 1s;
    run(capture_request(order_id, amount, is_final));
  }
  void is_captured(MinorUnits amount, bool is_final) {
    asks_to_capture(amount, is_final);
    captures(paid("T" + std::to_string(order_now().captures.size()), amount));
  }
  void asks_to_release() { run(ReleaseAuthorization{kMerchant, order_id, row().id}); }
  void closes() { run(CloseOrder{kMerchant, order_id}); }
  void is_due() {
    if (!row().due_at) return;
    now = std::max(now, *row().due_at);
    run(ClaimRequest{kMerchant, order_id, row().id, *row().due_at});
  }
  void reaches_deadline() {
    now = std::max(now, row().capture_before.value());
    is_due();
  }
  void capture_is_due() {
    const Capture& capture = last_capture(order_id);
    now = std::max(now, capture.due_at.value());
    run(ClaimRequest{kMerchant, order_id, capture.id, *capture.due_at});
  }

  std::vector<AuthorizationCallKind> requests() const {
    std::vector<AuthorizationCallKind> kinds;
    for (const Effect& effect : effects)
      if (const auto* call = std::get_if<AuthorizationCall>(&effect)) kinds.push_back(call->kind);
    return kinds;
  }

  OrderId order_id;
};

// The expected end state. The defaults are those of an order that was captured in full.
struct ScenarioEnd {
  OrderState order = OrderState::succeeded;
  AuthorizationState authorization = AuthorizationState::captured;
  std::optional<EndReason> reason = EndReason::captured;
  MinorUnits payable = kAmount;  // balance of merchant_payable
  MinorUnits released = 0;       // Authorization::released_amount
  std::vector<CaptureState> captures = {CaptureState::succeeded};
  MinorUnits suspense = 0;           // balance of suspense
  std::vector<CaseKind> cases = {};  // kinds of all cases
};

// A hold of which nothing was captured, and that ended for `reason`.
inline ScenarioEnd ended(EndReason reason, OrderState order = OrderState::closed) {
  return {order, AuthorizationState::released, reason, 0, kAmount, {}};
}

// An order that is still authorized after a part was captured.
inline ScenarioEnd held(MinorUnits captured) {
  return {OrderState::authorized, AuthorizationState::authorized, std::nullopt, captured, 0};
}

struct ScenarioRow {
  std::string what;
  std::function<void(Scenario&)> happens;
  ScenarioEnd end = {};
  CreateOrder (*order)(CreateOrder) = nullptr;
};

// Runs the steps of the row, and compares the end state.
inline void expect_end(const ScenarioRow& row) {
  SCOPED_TRACE(row.what);
  Scenario scenario(row.order);
  row.happens(scenario);
  const OrderAggregate& now = scenario.order_now();
  EXPECT_EQ(now.order.state, row.end.order);
  EXPECT_EQ(now.order.paid_amount, row.end.payable);
  EXPECT_EQ(scenario.row().state, row.end.authorization);
  EXPECT_EQ(scenario.row().end_reason, row.end.reason);
  if (row.end.order == OrderState::closed) {
    const bool has_expired = row.end.reason == EndReason::expired;
    EXPECT_EQ(now.order.close_reason, has_expired ? ClosedReason::expired : ClosedReason::cancelled);
  }
  EXPECT_EQ(scenario.row().released_amount, row.end.released);
  EXPECT_EQ(scenario.balance(AccountKind::merchant_payable), row.end.payable);
  EXPECT_EQ(scenario.balance(AccountKind::suspense), row.end.suspense);
  std::vector<CaptureState> captures;
  for (const Capture& one : now.captures) captures.push_back(one.state);
  EXPECT_EQ(captures, row.end.captures);
  std::vector<CaseKind> cases;
  for (const Case& one : now.cases) cases.push_back(one.kind);
  EXPECT_EQ(cases, row.end.cases);
}

}  // namespace finality::test
