// What merchant, clock and channel do to an authorization. authorization_console_test.cpp has what employees do in the
// channel's console. tests/e2e/orders/test_authorizations.py runs the sandbox's scenarios over HTTP.
#include "decide/testing/authorization_scenario.h"

namespace finality::test {
namespace {

using Kind = AuthorizationEvidenceKind;

CreateOrder captures_at_deadline(CreateOrder request) {
  request.on_capture_deadline = CaptureDeadlineAction::capture;
  return request;
}
CreateOrder closes_locally(CreateOrder request) {
  request.close_policy = ClosePolicy::local;
  return request;
}

const std::vector<ScenarioRow> kRows = {
    // ---- Captures and releases
    {"captured in full",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       EXPECT_EQ(scenario.delivery_types(), "order.authorized");
       scenario.asks_to_capture({}, true);
       scenario.captures(paid());
       EXPECT_EQ(scenario.delivery_types(), "capture.succeeded order.succeeded");
     }},
    {"captured in part: the rest is released with the capture",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.is_captured(kPart, true);
     },
     {.payable = kPart, .released = kRest}},
    {"captured in part where a capture cannot release the rest",
     [](Scenario& scenario) {
       scenario.terms().has_final_flag = false;
       scenario.says(Scenario::holds());
       scenario.is_captured(kPart, true);
       EXPECT_EQ(scenario.requests(), std::vector{AuthorizationCallKind::release_authorization});
       scenario.says(Scenario::totals(Kind::released, kPart, kRest));
     },
     {.payable = kPart, .released = kRest}},
    {"captured in several parts: one receipt each, one order.succeeded",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.is_captured(kPart, false);
       EXPECT_EQ(scenario.delivery_types(), "capture.succeeded");
       scenario.is_captured(300, false);
       scenario.is_captured(kAmount - kPart - 300, false);
       EXPECT_EQ(scenario.delivery_types(), "capture.succeeded order.succeeded");
     },
     {.captures = {CaptureState::succeeded, CaptureState::succeeded, CaptureState::succeeded}}},
    {"released by the merchant",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.asks_to_release();
       scenario.says(Scenario::totals(Kind::released, 0, kAmount));
       EXPECT_EQ(scenario.delivery_types(), "order.closed authorization.released");
     },
     ended(EndReason::requested)},
    {"released after a partial capture",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.is_captured(kPart, false);
       scenario.asks_to_release();
       scenario.says(Scenario::totals(Kind::released, kPart, kRest));
       EXPECT_EQ(scenario.delivery_types(), "order.succeeded");
     },
     {.reason = EndReason::requested, .payable = kPart, .released = kRest}},
    {"approved for less: captures are limited by it",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds(kPart));
       EXPECT_EQ(scenario.refusal_of(scenario.capture_request(scenario.order_id, kAmount)),
                 "capture_exceeds_authorized");
       scenario.asks_to_capture({}, true);
       scenario.captures(paid("T1", kPart));
     },
     {.payable = kPart}},
    {"raised at the channel",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.says(Scenario::holds(kAmount + 100));
       scenario.asks_to_capture({}, true);
       scenario.captures(paid("T1", kAmount + 100));
     },
     {.payable = kAmount + 100}},

    // ---- Numbers of the channel
    {"authorized twice under one number: the second hold changes nothing but opens a case",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       AuthorizationEvidence second = Scenario::holds();
       second.channel_trade_no = "AUTH-2";
       scenario.says(second);
       EXPECT_EQ(scenario.row().channel_trade_no, "AUTH-1") << "captures and releases name the first hold";
       second.kind = Kind::expired;
       second.released = kAmount;
       scenario.says(second);
       EXPECT_EQ(scenario.row().state, AuthorizationState::authorized);
       EXPECT_EQ(scenario.row().released_amount, 0);
       scenario.is_captured(kPart, true);
     },
     {.payable = kPart, .released = kRest, .cases = {CaseKind::conflicting_result}}},
    {"authorized again under one number after the end",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.is_captured(kPart, true);
       AuthorizationEvidence second = Scenario::holds();
       second.channel_trade_no = "AUTH-2";
       scenario.says(second);
       EXPECT_TRUE(scenario.requests().empty()) << "a release would name the first hold";
       EXPECT_FALSE(scenario.row().close_pending);
     },
     {.payable = kPart, .released = kRest, .cases = {CaseKind::conflicting_result}}},
    {"captured of a second hold that is over: only its case shows it",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.is_captured(kPart, true);
       AuthorizationEvidence second = Scenario::totals(Kind::released, kAmount, 0);
       second.channel_trade_no = "AUTH-2";
       scenario.says(second);
     },
     {.payable = kPart, .released = kRest, .cases = {CaseKind::conflicting_result}}},
    {"the hold has another number than the page of the payer",
     [](Scenario& scenario) {
       scenario.says({.kind = Kind::waiting, .channel_trade_no = "PAGE-1"});
       scenario.says(Scenario::holds());
       EXPECT_EQ(scenario.row().channel_trade_no, "AUTH-1");
       scenario.is_captured(kAmount, true);
     }},
    {"a late hold has another number than the page of the payer: its own is released",
     [](Scenario& scenario) {
       scenario.says({.kind = Kind::waiting, .channel_trade_no = "PAGE-1"});
       scenario.closes();
       scenario.is_queried(Scenario::holds());
       EXPECT_EQ(scenario.row().channel_trade_no, "AUTH-1");
       EXPECT_EQ(scenario.requests(), std::vector{AuthorizationCallKind::release_authorization});
       scenario.says(Scenario::totals(Kind::released, 0, kAmount));
     },
     ended(EndReason::late)},

    // ---- The deadline of captures
    {"the deadline releases the hold",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.reaches_deadline();
       EXPECT_EQ(scenario.requests(), std::vector{AuthorizationCallKind::release_authorization});
       scenario.says(Scenario::totals(Kind::released, 0, kAmount));
       EXPECT_EQ(scenario.order_now().order.close_reason, ClosedReason::expired);
     },
     ended(EndReason::expired)},
    {"the deadline captures the rest",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.is_captured(kPart, false);
       scenario.reaches_deadline();
       EXPECT_EQ(scenario.last_capture(scenario.order_id).origin, CaptureOrigin::deadline);
       scenario.captures(paid("T-deadline", kRest));
     },
     {.captures = {CaptureState::succeeded, CaptureState::succeeded}},
     captures_at_deadline},
    {"the capture at the deadline is refused: the hold is released",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.reaches_deadline();
       scenario.captures(failed());
       EXPECT_EQ(scenario.requests(), std::vector{AuthorizationCallKind::release_authorization});
       scenario.says(Scenario::totals(Kind::released, 0, kAmount));
     },
     {OrderState::closed, AuthorizationState::released, EndReason::expired, 0, kAmount, {CaptureState::failed}},
     captures_at_deadline},
    {"a capture is open at the deadline: its result comes first",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.now = scenario.row().capture_before.value() - 1min;
       scenario.asks_to_capture(kPart, false);
       scenario.reaches_deadline();
       EXPECT_EQ(scenario.row().state, AuthorizationState::authorized);
       scenario.captures(paid("T1", kPart));
       scenario.reaches_deadline();
       EXPECT_EQ(scenario.requests(), std::vector{AuthorizationCallKind::release_authorization});
       scenario.says(Scenario::totals(Kind::released, kPart, kRest));
     },
     {.reason = EndReason::expired, .payable = kPart, .released = kRest}},
    {"the hold lapses",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.says(Scenario::totals(Kind::expired, 0, kAmount));
       EXPECT_EQ(scenario.order_now().order.close_reason, ClosedReason::expired);
     },
     ended(EndReason::expired)},
    {"the hold lapses, and the channel does not name the reason",
     [](Scenario& scenario) {
       AuthorizationEvidence evidence = Scenario::holds();
       evidence.capture_before = scenario.now + 24h;
       scenario.says(evidence);
       EXPECT_EQ(scenario.row().capture_before, *evidence.capture_before - scenario.policy.capture_margin);
       scenario.now = scenario.now + 24h;
       scenario.says(Scenario::totals(Kind::released, 0, kAmount));
     },
     ended(EndReason::expired)},
    {"the hold lapses, and the channel reports neither its end nor the reason",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       const Time ends_at = scenario.now + scenario.terms().capture_within_max;
       EXPECT_EQ(scenario.row().capture_before, ends_at - scenario.policy.capture_margin)
           << "a capture at the deadline comes before the lapse";
       scenario.now = ends_at;
       scenario.says(Scenario::totals(Kind::released, 0, kAmount));
       EXPECT_EQ(scenario.order_now().order.close_reason, ClosedReason::expired);
     },
     ended(EndReason::expired)},
    {"the hold lapses after a partial capture",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.is_captured(kPart, false);
       scenario.says(Scenario::totals(Kind::expired, kPart, kRest));
     },
     {.reason = EndReason::expired, .payable = kPart, .released = kRest}},
    {"the hold lapses while a capture is open, which is then refused",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.asks_to_capture(kPart, false);
       scenario.says(Scenario::totals(Kind::expired, 0, kAmount));
       EXPECT_EQ(scenario.row().state, AuthorizationState::authorized) << "the result of the capture comes first";
       scenario.captures(failed());
       scenario.is_due();
       EXPECT_EQ(scenario.requests(), std::vector{AuthorizationCallKind::query_authorization});
       scenario.is_queried(Scenario::totals(Kind::expired, 0, kAmount));
     },
     {OrderState::closed, AuthorizationState::released, EndReason::expired, 0, kAmount, {CaptureState::failed}}},

    // ---- Late holds
    {"held while the order is closing",
     [](Scenario& scenario) {
       scenario.says(Kind::waiting);
       scenario.closes();
       scenario.is_queried(Scenario::holds());
       EXPECT_EQ(scenario.requests(), std::vector{AuthorizationCallKind::release_authorization});
       EXPECT_EQ(scenario.delivery_types(), "");
       scenario.says(Scenario::totals(Kind::released, 0, kAmount));
     },
     ended(EndReason::late)},
    {"held after the order was closed",
     [](Scenario& scenario) {
       scenario.says(Kind::waiting);
       scenario.closes();
       scenario.is_queried({.kind = Kind::closed});
       scenario.says(Scenario::holds());
       EXPECT_EQ(scenario.requests(), std::vector{AuthorizationCallKind::release_authorization});
       scenario.says(Scenario::totals(Kind::released, 0, kAmount));
       EXPECT_EQ(scenario.delivery_types(), "authorization.released");
     },
     {OrderState::closed, AuthorizationState::closed, std::nullopt, 0, kAmount, {}}},
    {"held after it was declined",
     [](Scenario& scenario) {
       scenario.says(Kind::failed);
       scenario.says(Scenario::holds());
       scenario.says(Scenario::totals(Kind::released, 0, kAmount));
       EXPECT_EQ(scenario.delivery_types(), "authorization.released");
     },
     {OrderState::pending,
      AuthorizationState::failed,
      std::nullopt,
      0,
      kAmount,
      {},
      0,
      {CaseKind::paid_after_failure}}},
    {"held in another currency: released in it until the channel holds nothing, and not booked",
     [](Scenario& scenario) {
       scenario.says(Scenario::in_dollars(Scenario::holds(kPart)));
       EXPECT_EQ(scenario.requests(), std::vector{AuthorizationCallKind::release_authorization});
       scenario.says(Kind::unknown);
       scenario.is_queried_early(Scenario::in_dollars(Scenario::holds(kPart)));
       EXPECT_TRUE(scenario.requests().empty()) << "the request can still arrive";
       scenario.is_queried(Scenario::in_dollars(Scenario::holds(kPart)));
       EXPECT_EQ(scenario.requests(), std::vector{AuthorizationCallKind::release_authorization});
       EXPECT_EQ(scenario.row().release_attempts, 1);
       EXPECT_EQ(scenario.row().release_amount, kPart);
       EXPECT_EQ(scenario.row().authorized_amount, 0);
       scenario.says(Scenario::in_dollars(Scenario::totals(Kind::released, 0, kPart, kPart)));
       EXPECT_FALSE(scenario.row().close_pending);
       EXPECT_FALSE(scenario.row().due_at);
     },
     {OrderState::pending, AuthorizationState::failed, std::nullopt, 0, 0, {}, 0, {CaseKind::amount_mismatch}}},
    {"held in another currency: a report from before the release changes nothing",
     [](Scenario& scenario) {
       AuthorizationEvidence old = Scenario::in_dollars(Scenario::holds());
       old.asked_at = scenario.now;
       scenario.says(Scenario::in_dollars(Scenario::holds()));
       scenario.says(Scenario::in_dollars(Scenario::totals(Kind::released, 0, kAmount)));
       EXPECT_EQ(scenario.delivery_types(), "authorization.released");
       scenario.says(old);
       EXPECT_TRUE(scenario.requests().empty());
       EXPECT_EQ(scenario.delivery_types(), "");
     },
     {OrderState::pending, AuthorizationState::failed, std::nullopt, 0, 0, {}, 0, {CaseKind::amount_mismatch}}},
    {"held in another currency: a newer report is released again",
     [](Scenario& scenario) {
       scenario.says(Scenario::in_dollars(Scenario::holds()));
       scenario.says(Scenario::in_dollars(Scenario::totals(Kind::released, 0, kAmount)));
       scenario.says(Scenario::in_dollars(Scenario::holds()));
       EXPECT_EQ(scenario.requests(), std::vector{AuthorizationCallKind::release_authorization});
       scenario.says(Scenario::in_dollars(Scenario::totals(Kind::released, 0, kAmount)));
     },
     {OrderState::pending, AuthorizationState::failed, std::nullopt, 0, 0, {}, 0, {CaseKind::amount_mismatch}}},
    {"held in another currency: a refused number is followed by another one, with what is held then",
     [](Scenario& scenario) {
       scenario.says(Scenario::in_dollars(Scenario::holds()));
       scenario.says(AuthorizationEvidence{.kind = Kind::release_again, .code = "again"});
       scenario.is_due();
       EXPECT_EQ(scenario.requests(), std::vector{AuthorizationCallKind::query_authorization});
       scenario.is_queried_early(Scenario::in_dollars(Scenario::totals(Kind::authorized, 0, kPart)));
       EXPECT_EQ(scenario.row().release_attempts, 2);
       EXPECT_EQ(scenario.row().release_amount, kRest);
       scenario.says(Scenario::in_dollars(Scenario::totals(Kind::released, 0, kAmount)));
       EXPECT_FALSE(scenario.row().close_pending);
     },
     {OrderState::pending, AuthorizationState::failed, std::nullopt, 0, 0, {}, 0, {CaseKind::amount_mismatch}}},

    // ---- Closes
    {"closed: what is held is released first",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.closes();
       EXPECT_EQ(scenario.order_now().order.state, OrderState::authorized);
       scenario.says(Scenario::totals(Kind::released, 0, kAmount));
       EXPECT_EQ(scenario.order_now().order.close_reason, ClosedReason::cancelled);
     },
     ended(EndReason::order_closed)},
    {"closed while a captured total waits for a query: the total comes first",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.asks_to_capture(kAmount, false);
       scenario.says(Scenario::totals(Kind::authorized, kAmount, 0));
       scenario.captures(paid("T1", kAmount));
       scenario.closes();
       EXPECT_EQ(scenario.row().state, AuthorizationState::authorized);
       scenario.is_due();
       EXPECT_EQ(scenario.requests(), std::vector{AuthorizationCallKind::query_authorization});
       scenario.is_queried(Scenario::totals(Kind::released, kAmount, 0));
       EXPECT_FALSE(scenario.row().is_total_waiting);
     }},
    {"closed and then captured in full, while the captured total waits: another reason has another version",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.asks_to_capture(kAmount, false);
       scenario.says(Scenario::totals(Kind::authorized, kAmount, 0));
       scenario.closes();
       const auto version = scenario.row().version;
       EXPECT_EQ(scenario.row().end_reason, EndReason::order_closed);
       scenario.captures(paid("T1", kAmount));
       EXPECT_EQ(scenario.row().state, AuthorizationState::authorized);
       EXPECT_EQ(scenario.row().version, version + 1);
       scenario.is_due();
       scenario.is_queried(Scenario::totals(Kind::released, kAmount, 0));
     }},
    {"closed locally: the release follows",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.closes();
       EXPECT_EQ(scenario.order_now().order.state, OrderState::closed);
       EXPECT_EQ(scenario.requests(), std::vector{AuthorizationCallKind::release_authorization});
       scenario.says(Scenario::totals(Kind::released, 0, kAmount));
       EXPECT_EQ(scenario.delivery_types(), "authorization.released");
       EXPECT_FALSE(scenario.row().due_at);
     },
     ended(EndReason::order_closed), closes_locally},
    {"closed while a capture is open: its success comes first",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.asks_to_capture(kPart, false);
       scenario.closes();
       EXPECT_TRUE(scenario.requests().empty());
       scenario.captures(paid("T1", kPart));
       EXPECT_EQ(scenario.requests(), std::vector{AuthorizationCallKind::release_authorization});
       scenario.says(Scenario::totals(Kind::released, kPart, kRest));
     },
     {.reason = EndReason::order_closed, .payable = kPart, .released = kRest}},
    {"closed locally while a capture is open: its failure comes first",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.asks_to_capture(kPart, false);
       scenario.closes();
       scenario.captures(failed());
       EXPECT_EQ(scenario.requests(), std::vector{AuthorizationCallKind::release_authorization});
       scenario.says(Scenario::totals(Kind::released, 0, kAmount));
     },
     {OrderState::closed, AuthorizationState::released, EndReason::order_closed, 0, kAmount, {CaptureState::failed}},
     closes_locally},

    // ---- Requests without an answer
    {"a capture without an answer is sent again with its number",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.asks_to_capture({}, true);
       const std::string number = scenario.last_capture(scenario.order_id).out_trade_no;
       scenario.captures(unknown());
       scenario.capture_is_due();
       scenario.now = scenario.now + 1min;
       scenario.captures(not_found());
       scenario.capture_is_due();
       ASSERT_EQ(scenario.effects.size(), 1u);
       EXPECT_EQ(std::get<CaptureCall>(scenario.effects[0]).kind, CaptureCallKind::send_capture);
       EXPECT_EQ(std::get<CaptureCall>(scenario.effects[0]).capture.out_trade_no, number);
       scenario.captures(paid());
     }},
    {"a release without an answer is sent again with its number",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.asks_to_release();
       scenario.says(Kind::unknown);
       scenario.is_queried(Scenario::holds());
       EXPECT_EQ(scenario.requests(), std::vector{AuthorizationCallKind::release_authorization});
       EXPECT_EQ(scenario.row().release_attempts, 1);
       scenario.says(Scenario::totals(Kind::released, 0, kAmount));
     },
     ended(EndReason::requested)},
    {"a release that is refused is tried again after a pause, with another number",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.asks_to_release();
       scenario.says(AuthorizationEvidence{.kind = Kind::release_refused, .code = "no"});
       EXPECT_EQ(scenario.row().due_at, scenario.now + scenario.policy.release_blocked_pause);
       scenario.is_due();
       scenario.is_queried(Scenario::holds());
       EXPECT_EQ(scenario.row().release_attempts, 2);
       scenario.says(Scenario::totals(Kind::released, 0, kAmount));
       EXPECT_EQ(scenario.order_now().cases.at(0).state, CaseState::resolved);
     },
     {OrderState::closed,
      AuthorizationState::released,
      EndReason::requested,
      0,
      kAmount,
      {},
      0,
      {CaseKind::release_blocked}}},
    {"a release whose number is used up has another number and the amount that is held then",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.asks_to_release();
       scenario.says(AuthorizationEvidence{.kind = Kind::release_again, .code = "again"});
       scenario.is_due();
       ASSERT_LT(scenario.now + 1s, scenario.row().send_deadline) << "the dead number cannot arrive any more";
       scenario.is_queried_early(Scenario::with_capture(Scenario::totals(Kind::authorized, kPart, 0), kPart));
       EXPECT_EQ(scenario.row().release_attempts, 2);
       EXPECT_EQ(scenario.row().release_amount, kRest);
       scenario.says(Scenario::totals(Kind::released, kPart, kRest));
     },
     {.reason = EndReason::requested, .payable = kPart, .released = kRest}},
};

TEST(AuthorizationScenarios, HaveTheExpectedEndState) {
  for (const ScenarioRow& row : kRows) expect_end(row);
}

// Records evidence about an authorization of the order that is not the newest.
void report_first(Scenario& scenario, AuthorizationEvidence evidence) {
  const Authorization& first = scenario.order_now().authorizations.front();
  evidence.asked_at = scenario.now;
  scenario.run(
      RecordAuthorization{kMerchant, scenario.order_id, first.channel, first.out_trade_no, std::move(evidence)});
}

TEST(AuthorizationScenarios, OfTwoHoldsTheSecondIsReleased) {
  Scenario scenario;
  scenario.says(Kind::waiting);
  scenario.authorize(scenario.order_id);
  scenario.says(Kind::waiting);
  report_first(scenario, Scenario::holds());
  scenario.says(Scenario::holds());
  EXPECT_EQ(scenario.row().state, AuthorizationState::releasing);
  EXPECT_EQ(scenario.row().end_reason, EndReason::late);
  EXPECT_EQ(scenario.order_now().order.state, OrderState::authorized);
  scenario.says(Scenario::totals(Kind::released, 0, kAmount));
  EXPECT_EQ(scenario.row().state, AuthorizationState::released);
  EXPECT_EQ(scenario.order_now().order.state, OrderState::authorized);
}

TEST(AuthorizationScenarios, AReleasedHoldClosesTheOrderAlthoughAnotherAuthorizationIsOpen) {
  Scenario scenario;
  scenario.says(Kind::waiting);
  scenario.authorize(scenario.order_id);
  scenario.says(Kind::waiting);
  report_first(scenario, Scenario::holds());
  scenario.now = scenario.now + 1s;
  report_first(scenario, Scenario::totals(Kind::expired, 0, kAmount));
  EXPECT_EQ(scenario.order_now().order.state, OrderState::closed);
  EXPECT_EQ(scenario.row().state, AuthorizationState::closed);
  EXPECT_TRUE(scenario.row().close_pending) << "the channel can still hold the amount of the other one";
  EXPECT_TRUE(scenario.row().due_at);
}

TEST(AuthorizationScenarios, TheMerchantIsNotifiedOnceBeforeTheDeadline) {
  Scenario scenario;
  scenario.says(Scenario::holds());
  const Time notice = scenario.row().capture_before.value() - scenario.policy.expiring_notice;
  int notified = 0;
  while (scenario.now < *scenario.row().capture_before - 1h) {
    scenario.is_due();
    notified += scenario.delivery_types() == "authorization.expiring" ? 1 : 0;
    EXPECT_EQ(notified > 0, scenario.now >= notice);
    if (scenario.requests().empty()) continue;
    scenario.is_queried(Scenario::holds());
  }
  EXPECT_EQ(notified, 1);
}

TEST(AuthorizationScenarios, AnAuthorizedOrderDoesNotExpire) {
  Scenario scenario;
  const Time due_at = scenario.order_now().order.due_at.value();
  scenario.says(Scenario::holds());
  EXPECT_FALSE(scenario.order_now().order.due_at);
  scenario.now = due_at;
  scenario.run(ExpireOrder{kMerchant, scenario.order_id, due_at});
  EXPECT_EQ(scenario.order_now().order.state, OrderState::authorized);
}

TEST(AuthorizationScenarios, CapturesOfOneTradeNumberHaveTheirOrdinalInTheReceipt) {
  Scenario scenario;
  scenario.terms().shares_trade_no = true;
  scenario.says(Scenario::holds());
  for (const MinorUnits amount : {kPart, MinorUnits{300}}) {
    scenario.asks_to_capture(amount, false);
    scenario.captures(paid("AUTH-1", amount));
  }
  const std::vector<Receipt>& receipts = scenario.order_now().receipts;
  ASSERT_EQ(receipts.size(), 2u);
  EXPECT_EQ(receipts[0].ordinal, 1);
  EXPECT_EQ(receipts[1].ordinal, 2);
  EXPECT_EQ(receipts[0].channel_trade_no, receipts[1].channel_trade_no);
}

TEST(AuthorizationScenarios, ACaptureThatIsRefusedForNowIsSentAgainAfterAPause) {
  Scenario scenario;
  scenario.says(Scenario::holds());
  scenario.asks_to_capture({}, true);
  Evidence evidence = unknown();
  evidence.is_not_now = true;
  scenario.captures(evidence);
  const Capture& capture = scenario.last_capture(scenario.order_id);
  EXPECT_EQ(capture.state, CaptureState::pending);
  EXPECT_GE(*capture.due_at, scenario.now + scenario.policy.not_now_first);
}

}  // namespace
}  // namespace finality::test
