// Holds in the ledger: amounts, ends, captures and releases, without HTTP.
#include "sandbox/holds/hold.h"

#include <boost/json/parse.hpp>

#include "sandbox/core/scenario.h"
#include "sandbox/statements/trade_lines.h"
#include "sandbox/testing/test_ledger.h"

namespace finality::sandbox {
namespace {

using Types = std::vector<std::string>;

constexpr MinorUnits kAmount = 1000;

class HoldTest : public TestLedger {
 protected:
  Hold order(const std::string& scenario, bool shares_trade_no = false) {
    Hold hold;
    hold.channel = shares_trade_no ? "sandbox2" : "sandbox";
    hold.out_order_no = "order-1";
    hold.amount = kAmount;
    hold.currency = "CNY";
    hold.subject = "tea";
    hold.notify_url = "http://merchant.example/notify";
    hold.scenario = scenario;
    hold.shares_trade_no = shares_trade_no;
    return hold;
  }

  // Creates a hold and lets the payer authorize it, at the current time.
  Hold authorize(const std::string& scenario = "manual", bool shares_trade_no = false) {
    Hold hold = *enter(ledger_, order(scenario, shares_trade_no)).hold;
    EXPECT_TRUE(ledger_.authorize(hold));
    return hold;
  }

  Hold current() { return ledger_.find_hold("sandbox", "order-1").value_or(Hold()); }

  std::expected<void, ReleaseRefusal> release(Hold& hold, const std::string& number, MinorUnits amount) {
    return ledger_.release(
        hold, {.channel = hold.channel, .out_request_no = number, .hold_no = hold.hold_no, .amount = amount});
  }

  static void expect_amounts(const Hold& hold, MinorUnits captured, MinorUnits released, MinorUnits held) {
    EXPECT_EQ(hold.captured, captured);
    EXPECT_EQ(hold.released, released);
    EXPECT_EQ(hold.held(), held);
  }

  static void expect_end(const Hold& hold, HoldEnd by, MinorUnits captured, MinorUnits released) {
    EXPECT_EQ(hold.state, HoldState::ended);
    EXPECT_EQ(hold.ended_by, by);
    expect_amounts(hold, captured, released, 0);
    EXPECT_EQ(hold.authorized, captured + released) << "a hold ends exactly";
  }

  // Returns the states of the hold's notifications that are due, earliest first; trade notifications by their type.
  Types reported() {
    Types reports;
    for (const Notification& notification : ledger_.due_notifications(100, [](const std::string&) { return false; })) {
      const boost::json::object body = boost::json::parse(notification.body).as_object();
      reports.emplace_back(notification.hold ? body.at("authorization").at("state").as_string()
                                             : body.at("type").as_string());
    }
    return reports;
  }
};

TEST_F(HoldTest, AFinalCaptureReleasesTheRest) {
  Hold hold = authorize();
  const auto capture = ledger_.capture(hold, {.out_trade_no = "capture-1", .amount = 400, .is_final = true});
  ASSERT_TRUE(capture);
  EXPECT_EQ(capture->paid, 400);
  EXPECT_EQ(capture->state, TradeState::paid);
  EXPECT_EQ(capture->payer, hold.payer);
  expect_end(hold, HoldEnd::captured, 400, 600);
  expect_end(current(), HoldEnd::captured, 400, 600);
  EXPECT_EQ(reported(), (Types{"held", "trade.paid", "ended"}));
}

TEST_F(HoldTest, CapturesUpToTheWholeAmountEndTheHold) {
  Hold hold = authorize();
  ASSERT_TRUE(ledger_.capture(hold, {.out_trade_no = "capture-1", .amount = 400}));
  expect_amounts(hold, 400, 0, 600);
  EXPECT_EQ(ledger_.capture(hold, {.out_trade_no = "capture-2", .amount = 601}).error(),
            CaptureRefusal::capture_exceeds_held);
  ASSERT_TRUE(ledger_.capture(hold, {.out_trade_no = "capture-2", .amount = 600}));
  expect_end(hold, HoldEnd::captured, 1000, 0);
  EXPECT_EQ(ledger_.capture(hold, {.out_trade_no = "capture-3", .amount = 1}).error(), CaptureRefusal::not_held);
  EXPECT_EQ(ledger_.captures_of(hold).size(), 2u);
}

TEST_F(HoldTest, ARepeatedCaptureReturnsTheSameTrade) {
  Hold hold = authorize();
  const CaptureRequest request{.out_trade_no = "capture-1", .amount = 400, .is_final = true};
  const auto first = ledger_.capture(hold, request);
  const auto second = ledger_.capture(hold, request);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->trade_no, second->trade_no);
  expect_end(hold, HoldEnd::captured, 400, 600);
  for (const CaptureRequest& other : {CaptureRequest{"capture-1", 401, true}, CaptureRequest{"capture-1", 400, false}})
    EXPECT_EQ(ledger_.capture(hold, other).error(), CaptureRefusal::context_inconsistent);
}

TEST_F(HoldTest, AReleaseOfTheRestEndsTheHold) {
  Hold hold = authorize();
  ASSERT_TRUE(ledger_.capture(hold, {.out_trade_no = "capture-1", .amount = 400}));
  ASSERT_TRUE(release(hold, "release-1", 100));
  expect_amounts(hold, 400, 100, 500);
  EXPECT_EQ(release(hold, "release-2", 501).error(), ReleaseRefusal::release_exceeds_held);
  ASSERT_TRUE(release(hold, "release-2", 500)) << "the refused number was not used";
  expect_end(hold, HoldEnd::released, 400, 600);
  EXPECT_EQ(release(hold, "release-3", 1).error(), ReleaseRefusal::not_held);
}

TEST_F(HoldTest, ARepeatedReleaseHasNoEffect) {
  Hold hold = authorize();
  ASSERT_TRUE(release(hold, "release-1", 100));
  ASSERT_TRUE(release(hold, "release-1", 100));
  expect_amounts(hold, 0, 100, 900);
  EXPECT_EQ(release(hold, "release-1", 101).error(), ReleaseRefusal::context_inconsistent);
}

TEST_F(HoldTest, LapsesAfterSevenDays) {
  Hold hold = authorize();
  ASSERT_TRUE(ledger_.capture(hold, {.out_trade_no = "capture-1", .amount = 400}));
  EXPECT_EQ(ledger_.next_event_due(), at_china("2026-03-09 00:00:00"));
  jump_to("2026-03-08 23:59:59");
  expect_amounts(current(), 400, 0, 600);
  advance_to("2026-03-09 00:00:00");
  expect_end(current(), HoldEnd::lapsed, 400, 600);
  EXPECT_EQ(ledger_.next_event_due(), std::nullopt);
  EXPECT_EQ(reported(), (Types{"held", "trade.paid", "ended"}));
}

TEST_F(HoldTest, AWaitingHoldIsClosedWhenItExpires) {
  Hold waiting = order("manual");
  waiting.expires_at = at_china("2026-03-02 00:01:00");
  Hold hold = *enter(ledger_, waiting).hold;
  advance_to("2026-03-02 00:01:00");
  hold = current();
  EXPECT_EQ(hold.state, HoldState::closed);
  EXPECT_FALSE(ledger_.authorize(hold));
  EXPECT_EQ(hold.authorized, 0);
  EXPECT_EQ(reported(), Types{"closed"});
}

TEST_F(HoldTest, ACaptureIsInTheStatementAndCanBeRefunded) {
  Hold hold = authorize();
  const auto capture = ledger_.capture(hold, {.out_trade_no = "capture-1", .amount = 400, .is_final = true});
  ASSERT_TRUE(capture);
  EXPECT_EQ(capture->number(), capture->trade_no);
  refund(*capture, "refund-1", 400);
  const auto lines = trade_lines(ledger_, "sandbox", day("2026-03-02"), FileState::final);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].amount, 400);
  EXPECT_EQ(lines[0].trade.out_trade_no, "capture-1");
}

TEST_F(HoldTest, RefundsOfASharedNumberAreLimitedByTheSumOfTheCaptures) {
  Hold hold = authorize("manual", true);
  const auto first = ledger_.capture(hold, {.out_trade_no = "capture-1", .amount = 300});
  const auto second = ledger_.capture(hold, {.out_trade_no = "capture-2", .amount = 200});
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->trade_no, second->trade_no);
  EXPECT_EQ(first->number(), hold.hold_no);
  EXPECT_EQ(second->number(), hold.hold_no);
  Refund request{
      .channel = "sandbox2", .out_refund_no = "refund-1", .trade_no = hold.hold_no, .amount = 450, .currency = "CNY"};
  const auto refunded = ledger_.refund(request);
  ASSERT_TRUE(refunded);
  EXPECT_EQ(refunded->trade_no, first->trade_no);
  EXPECT_EQ(ledger_.refund(request)->refund_no, refunded->refund_no) << "the same number is the same refund";
  EXPECT_EQ(ledger_.trade_of(first->trade_no).refunded, 450);
  EXPECT_EQ(ledger_.trade_of(second->trade_no).refunded, 0);
  request.out_refund_no = "refund-2";
  request.amount = 51;
  EXPECT_EQ(ledger_.refund(request).error(), RefundRefusal::refund_exceeds_paid);
  request.amount = 50;
  EXPECT_TRUE(ledger_.refund(request));
  EXPECT_EQ(to_json(*refunded, ledger_.trade_of(first->trade_no)).at("trade_no").as_string(), hold.hold_no);
}

TEST_F(HoldTest, TheConsoleCapturesMoreThanIsHeldAndAlsoAfterTheEnd) {
  Hold hold = authorize();
  EXPECT_TRUE(ledger_.capture_in_console(hold, 1100));
  EXPECT_EQ(hold.state, HoldState::ended);
  EXPECT_EQ(hold.captured, 1100);
  EXPECT_EQ(hold.released, 0);
  EXPECT_FALSE(ledger_.release_in_console(hold, 1));
  EXPECT_FALSE(ledger_.lapse(hold));
  EXPECT_TRUE(ledger_.capture_in_console(hold, 5));
  EXPECT_EQ(hold.captured, 1105);
  EXPECT_EQ(reported(), (Types{"held", "ended", "ended"})) << "the merchant does not know the trades";
}

TEST_F(HoldTest, NothingIsCapturedFromAHoldThatWasNeverHeld) {
  Hold hold = *enter(ledger_, order("manual")).hold;
  EXPECT_FALSE(ledger_.capture_in_console(hold, 5));
  EXPECT_EQ(ledger_.capture(hold, {.out_trade_no = "capture-1", .amount = 5}).error(), CaptureRefusal::not_held);
  EXPECT_EQ(release(hold, "release-1", 5).error(), ReleaseRefusal::not_held);
}

// What a scenario leads to without a request of the merchant, three seconds after the creation.
struct Outcome {
  const char* scenario;
  HoldState state;
  HoldEnd ended_by;
  MinorUnits authorized;
  MinorUnits captured;
  MinorUnits released;
  Types reports;
};

const Outcome kOutcomes[] = {
    {"authorizes", HoldState::held, HoldEnd::none, 1000, 0, 0, {"held"}},
    {"authorizes_late", HoldState::held, HoldEnd::none, 1000, 0, 0, {"held"}},
    {"pays", HoldState::held, HoldEnd::none, 1000, 0, 0, {"held"}},
    {"manual", HoldState::waiting, HoldEnd::none, 0, 0, 0, {}},
    {"never_pays", HoldState::waiting, HoldEnd::none, 0, 0, 0, {}},
    {"declines", HoldState::failed, HoldEnd::none, 0, 0, 0, {"failed"}},
    {"authorization_declined_then_held", HoldState::held, HoldEnd::none, 1000, 0, 0, {"failed", "held"}},
    {"authorizes_less", HoldState::held, HoldEnd::none, 500, 0, 0, {"held"}},
    {"authorizes_more", HoldState::held, HoldEnd::none, 1200, 0, 0, {"held"}},
    {"lapses", HoldState::ended, HoldEnd::lapsed, 1000, 0, 1000, {"held", "ended"}},
    {"lapses_unnotified", HoldState::ended, HoldEnd::lapsed, 1000, 0, 1000, {"held"}},
    {"captured_by_channel", HoldState::ended, HoldEnd::captured, 1000, 1000, 0, {"held", "ended"}},
    {"capture_partially_elsewhere", HoldState::held, HoldEnd::none, 1000, 500, 0, {"held", "held"}},
    {"capture_above_hold", HoldState::ended, HoldEnd::captured, 1000, 1200, 0, {"held", "ended"}},
    {"released_by_channel", HoldState::ended, HoldEnd::released, 1000, 0, 1000, {"held", "ended"}},
    {"partly_released_by_channel", HoldState::held, HoldEnd::none, 1000, 0, 500, {"held", "held"}},
    {"notification_lost", HoldState::held, HoldEnd::none, 1000, 0, 0, {}},
};

TEST_F(HoldTest, EveryScenarioLeadsToItsOutcome) {
  for (const Outcome& outcome : kOutcomes) {
    SCOPED_TRACE(outcome.scenario);
    Ledger ledger(directory_ / (std::string(outcome.scenario) + ".db"));
    const Time start = at_china("2026-03-02 00:00:00");
    ledger.begin(start);
    enter(ledger, order(outcome.scenario));
    for (int tenths = 1; tenths <= 30; ++tenths) {
      ledger.commit();
      ledger.begin(start + Duration{100 * tenths});
      send_all(ledger);
      for (Hold& hold : ledger.due_holds(100)) ledger.act(hold);
    }
    const Hold hold = ledger.find_hold("sandbox", "order-1").value_or(Hold());
    EXPECT_EQ(hold.state, outcome.state);
    EXPECT_EQ(hold.ended_by, outcome.ended_by);
    EXPECT_EQ(hold.authorized, outcome.authorized);
    EXPECT_EQ(hold.captured, outcome.captured);
    EXPECT_EQ(hold.released, outcome.released);
    Types reports;
    for (const Notification& notification : ledger.due_notifications(100, [](const std::string&) { return false; }))
      reports.emplace_back(boost::json::parse(notification.body).at("authorization").at("state").as_string());
    EXPECT_EQ(reports, outcome.reports);
    ledger.commit();
  }
}

TEST_F(HoldTest, APayerAuthorizesASecondHoldOfTheNumber) {
  Hold hold = authorize("authorizes_twice");
  advance_to("2026-03-02 00:00:01");
  std::vector<Hold> holds;
  ledger_.for_each_hold([&](const Hold& each) { holds.push_back(each); });
  ASSERT_EQ(holds.size(), 2u);
  EXPECT_EQ(holds[1].out_order_no, "order-1");
  EXPECT_EQ(holds[1].state, HoldState::held);
  EXPECT_EQ(current().hold_no, hold.hold_no);
  advance_to("2026-03-02 00:00:03");
  EXPECT_EQ(ledger_.find_hold(holds[1].hold_no)->ended_by, HoldEnd::lapsed);
  EXPECT_EQ(current().state, HoldState::held);
  EXPECT_EQ(reported(), (Types{"held", "held"}));
}

TEST_F(HoldTest, LapsesAfterAPartialCapture) {
  Hold hold = authorize("lapses_after_capture");
  ASSERT_TRUE(ledger_.capture(hold, {.out_trade_no = "capture-1", .amount = 400}));
  advance_to("2026-03-02 00:00:01");
  expect_end(current(), HoldEnd::lapsed, 400, 600);
}

TEST_F(HoldTest, IsCapturedInTheConsoleAfterItsEnd) {
  Hold hold = authorize("capture_after_end");
  ASSERT_TRUE(release(hold, "release-1", 1000));
  advance_to("2026-03-02 00:00:01");
  EXPECT_EQ(current().captured, 500);
  EXPECT_EQ(current().released, 1000);
  EXPECT_EQ(reported(), (Types{"held", "ended", "ended"}));
}

TEST_F(HoldTest, IsAuthorizedAfterItWasClosed) {
  Hold hold = *enter(ledger_, order("authorizes_after_close")).hold;
  close_for_merchant(ledger_, hold);
  EXPECT_EQ(hold.state, HoldState::closed);
  advance_to("2026-03-02 00:00:01");
  EXPECT_EQ(current().state, HoldState::held);
  EXPECT_EQ(current().authorized, 1000);
}

TEST_F(HoldTest, ThePayerIsFasterThanTheClose) {
  Hold hold = *enter(ledger_, order("authorizes_on_close")).hold;
  close_for_merchant(ledger_, hold);
  EXPECT_EQ(hold.state, HoldState::held);
}

TEST_F(HoldTest, HoldsCapturesAndReleasesAnotherCurrency) {
  Hold hold = authorize("authorizes_in_other_currency");
  EXPECT_EQ(hold.currency, "USD");
  EXPECT_EQ(ledger_.capture(hold, {.out_trade_no = "capture-1", .amount = 5})->currency, "USD");
  ASSERT_TRUE(release(hold, "release-1", 995));
  expect_end(current(), HoldEnd::released, 5, 995);
}

TEST_F(HoldTest, ACreditHoldsNoMoneyAndRefusesCaptures) {
  Hold hold = authorize("authorizes_credit");
  EXPECT_TRUE(hold.is_unfunded);
  EXPECT_EQ(ledger_.capture(hold, {.out_trade_no = "capture-1", .amount = 5}).error(), CaptureRefusal::capture_refused);
  EXPECT_TRUE(release(hold, "release-1", 1000));
}

TEST_F(HoldTest, ARefusedCaptureIsCarriedOutLater) {
  Hold hold = authorize("capture_refused_then_captured");
  const CaptureRequest request{.out_trade_no = "capture-1", .amount = 400, .is_final = true};
  EXPECT_EQ(ledger_.capture(hold, request).error(), CaptureRefusal::capture_refused);
  EXPECT_EQ(ledger_.capture(hold, request).error(), CaptureRefusal::capture_refused);
  expect_amounts(current(), 0, 0, 1000);
  advance_to("2026-03-02 00:00:01");
  expect_end(current(), HoldEnd::captured, 400, 600);
  EXPECT_EQ(ledger_.capture(hold, request)->paid, 400);
  EXPECT_EQ(reported(), (Types{"held", "trade.paid", "ended"}));
}

TEST_F(HoldTest, CapturesFailWithoutAnEffectBeforeTheySucceed) {
  struct Case {
    const char* scenario;
    CaptureRefusal refusal;
    int refusals;
  };
  for (const Case& c : {Case{"capture_lost", CaptureRefusal::capture_lost, 1},
                        Case{"capture_not_now", CaptureRefusal::capture_not_now, 2}}) {
    Hold order_of_case = order(c.scenario);
    order_of_case.out_order_no = c.scenario;
    Hold hold = *enter(ledger_, order_of_case).hold;
    ledger_.authorize(hold);
    const CaptureRequest request{.out_trade_no = std::string("of-") + c.scenario, .amount = 400};
    for (int i = 0; i < c.refusals; ++i) EXPECT_EQ(ledger_.capture(hold, request).error(), c.refusal);
    expect_amounts(hold, 0, 0, 1000);
    EXPECT_TRUE(ledger_.capture(hold, request)) << c.scenario;
    expect_amounts(hold, 400, 0, 600);
  }
}

TEST_F(HoldTest, ReleasesFailWithoutAnEffectBeforeTheySucceed) {
  Hold lost = authorize("release_lost");
  EXPECT_EQ(release(lost, "release-1", 1000).error(), ReleaseRefusal::release_lost);
  EXPECT_TRUE(release(lost, "release-1", 1000));
  Hold second = order("release_refused_for_now");
  second.out_order_no = "order-2";
  Hold hold = *enter(ledger_, second).hold;
  ledger_.authorize(hold);
  EXPECT_EQ(release(hold, "release-2", 1000).error(), ReleaseRefusal::release_refused_for_now);
  EXPECT_EQ(release(hold, "release-2", 1000).error(), ReleaseRefusal::release_refused_for_now);
  EXPECT_EQ(release(hold, "release-3", 1000).error(), ReleaseRefusal::release_refused_for_now);
  EXPECT_EQ(release(hold, "release-2", 1000).error(), ReleaseRefusal::release_refused_for_now) << "the number is used";
  expect_amounts(hold, 0, 0, 1000);
  EXPECT_TRUE(release(hold, "release-4", 1000));
  Hold third = order("release_refused");
  third.out_order_no = "order-3";
  hold = *enter(ledger_, third).hold;
  ledger_.authorize(hold);
  EXPECT_EQ(release(hold, "release-5", 1000).error(), ReleaseRefusal::release_refused);
}

TEST_F(HoldTest, ANotificationStatesTheChange) {
  Hold hold = authorize();
  ASSERT_TRUE(release(hold, "release-1", 100));
  ASSERT_TRUE(ledger_.capture(hold, {.out_trade_no = "capture-1", .amount = 300}));
  ASSERT_TRUE(ledger_.capture_in_console(hold, 50));
  ASSERT_TRUE(ledger_.release_in_console(hold, 20));
  ASSERT_TRUE(ledger_.capture(hold, {.out_trade_no = "capture-2", .amount = 400, .is_final = true}));
  std::vector<HoldReport> reports;
  for (const Notification& notification : ledger_.due_notifications(100, [](const std::string&) { return false; }))
    if (notification.hold) reports.push_back(hold_report_of(notification));
  struct Expected {
    HoldChangeKind kind;
    MinorUnits amount;
    MinorUnits rest;
    const char* number;
    MinorUnits captured;
    MinorUnits released;
  };
  const Expected expected[] = {{HoldChangeKind::authorized, 1000, 0, "", 0, 0},
                               {HoldChangeKind::released, 100, 0, "release-1", 0, 100},
                               {HoldChangeKind::captured_in_console, 50, 0, "", 350, 100},
                               {HoldChangeKind::released_in_console, 20, 0, "", 350, 120},
                               {HoldChangeKind::captured, 400, 130, "capture-2", 750, 250}};
  ASSERT_EQ(reports.size(), std::size(expected));
  for (std::size_t i = 0; i < reports.size(); ++i) {
    SCOPED_TRACE(name_of(expected[i].kind));
    EXPECT_EQ(reports[i].change.kind, expected[i].kind);
    EXPECT_EQ(reports[i].change.amount, expected[i].amount);
    EXPECT_EQ(reports[i].change.rest, expected[i].rest);
    if (expected[i].kind != HoldChangeKind::captured_in_console) {
      EXPECT_EQ(reports[i].change.number, expected[i].number);
    }
    EXPECT_EQ(reports[i].hold.captured, expected[i].captured);
    EXPECT_EQ(reports[i].hold.released, expected[i].released);
  }
  ASSERT_EQ(ledger_.releases_of(hold).size(), 1u) << "only those that were requested";
  EXPECT_EQ(ledger_.releases_of(hold)[0].amount, 100);
}

TEST_F(HoldTest, ForgedNotificationsReportAHold) {
  enter(ledger_, order("notification_forged"));
  jump_to("2026-03-02 00:00:01");
  EXPECT_EQ(reported(), (Types{"held", "held", "held"}));
  EXPECT_EQ(current().state, HoldState::waiting);
}

}  // namespace
}  // namespace finality::sandbox
