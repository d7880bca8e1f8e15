// What employees do to an authorization in the channel's console: they capture and release without a request of ours.
#include "decide/testing/authorization_scenario.h"

namespace finality::test {
namespace {

using Kind = AuthorizationEvidenceKind;

const std::vector<ScenarioRow> kRows = {
    {"captured in the console",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       for (int i = 0; i < 2; ++i)
         scenario.says(Scenario::with_capture(Scenario::totals(Kind::authorized, kPart, 0), kPart));
       EXPECT_EQ(scenario.last_capture(scenario.order_id).origin, CaptureOrigin::channel);
     },
     held(kPart)},
    {"captured in the console above the hold",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.says(Scenario::with_capture(Scenario::totals(Kind::released, kAmount + 1, 0), kAmount + 1));
     },
     {.payable = kAmount + 1, .cases = {CaseKind::over_captured}}},
    {"captured in the console above the hold, and reported as a raise of it",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       AuthorizationEvidence evidence = Scenario::totals(Kind::released, kAmount + 1, 0, kAmount + 1);
       scenario.says(Scenario::with_capture(evidence, kAmount + 1));
     },
     {.payable = kAmount + 1, .cases = {CaseKind::over_captured}}},
    {"captured in the console above what was left of the hold",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.says(Scenario::totals(Kind::authorized, 0, kPart));
       scenario.says(Scenario::with_capture(Scenario::totals(Kind::released, kRest + 1, kPart), kRest + 1));
     },
     {.reason = EndReason::requested, .payable = kRest + 1, .released = kPart, .cases = {CaseKind::over_captured}}},
    {"captured, and a release that was not known: together more than the hold",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.is_captured(kPart, false);
       scenario.says(Scenario::totals(Kind::released, kPart, kRest + 1));
     },
     {.reason = EndReason::requested, .payable = kPart, .released = kRest + 1, .cases = {CaseKind::over_captured}}},
    {"captured, and a later report of a smaller hold: its rest is released",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.is_captured(kPart, true);
       scenario.says(Scenario::totals(Kind::authorized, kPart, 0, kPart + 1));
       EXPECT_EQ(scenario.row().authorized_amount, kAmount);
       EXPECT_EQ(scenario.row().release_amount, 1);
     },
     {.payable = kPart, .released = kRest - 1}},
    {"captured, and a later report of a hold that is smaller than the capture",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.is_captured(kPart, true);
       scenario.says(Scenario::totals(Kind::authorized, kPart, 0, kPart - 1));
       EXPECT_EQ(scenario.row().authorized_amount, kAmount);
     },
     {.payable = kPart, .released = kRest + 1, .cases = {CaseKind::over_captured}}},
    {"captured in the console, reported as a total and later with its number",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.says(Scenario::totals(Kind::authorized, kPart, 0));
       EXPECT_EQ(scenario.last_capture(scenario.order_id).channel_trade_no, std::nullopt);
       for (int i = 0; i < 2; ++i)
         scenario.says(Scenario::with_capture(Scenario::totals(Kind::authorized, kPart, 0), kPart));
       EXPECT_EQ(scenario.last_capture(scenario.order_id).channel_trade_no, "T-console");
       EXPECT_EQ(scenario.order_now().cases.at(0).state, CaseState::resolved);
     },
     {OrderState::authorized,
      AuthorizationState::authorized,
      std::nullopt,
      kPart,
      0,
      {CaptureState::succeeded},
      0,
      {CaseKind::external_capture}}},
    {"a captured total that can contain the open capture is not booked",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.asks_to_capture(kPart, false);
       scenario.says(Scenario::totals(Kind::authorized, kPart, 0));
       scenario.captures(paid("T1", kPart));
       scenario.is_due();
       EXPECT_EQ(scenario.requests(), std::vector{AuthorizationCallKind::query_authorization});
       scenario.is_queried(Scenario::totals(Kind::authorized, kPart, 0));
     },
     held(kPart)},
    {"captured in the console while an own capture takes the rest",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.asks_to_capture(kRest, true);
       AuthorizationEvidence evidence = Scenario::with_capture(Scenario::totals(Kind::released, kAmount, 0), kPart);
       evidence.captures.push_back({scenario.last_capture(scenario.order_id).out_trade_no, "T-own", kRest, kCny, kNow});
       std::ranges::reverse(evidence.captures);
       scenario.says(evidence);
     },
     {.captures = {CaptureState::succeeded, CaptureState::succeeded}}},
    {"captured in the console after the end: returned to the payer",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.asks_to_release();
       scenario.says(Scenario::totals(Kind::released, 0, kAmount));
       scenario.says(Scenario::with_capture(Scenario::totals(Kind::released, kPart, kRest), kPart));
       EXPECT_EQ(scenario.order_now().reversals.size(), 1u);
     },
     {OrderState::closed,
      AuthorizationState::released,
      EndReason::requested,
      0,
      kAmount,
      {CaptureState::failed},
      kPart}},
    {"released in part in the console",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.says(Scenario::totals(Kind::authorized, 0, kRest));
       scenario.asks_to_capture({}, true);
       scenario.captures(paid("T1", kPart));
     },
     {.payable = kPart, .released = kRest}},
    {"released in the console",
     [](Scenario& scenario) {
       scenario.says(Scenario::holds());
       scenario.says(Scenario::totals(Kind::released, 0, kAmount));
     },
     ended(EndReason::requested)},
};

TEST(AuthorizationConsole, HasTheExpectedEndState) {
  for (const ScenarioRow& row : kRows) expect_end(row);
}

// The statement lists the trade of a console capture under numbers of the channel.
class ConsoleTrade : public Scenario, public testing::Test {
 protected:
  static constexpr const char* kTrade = "T-console";

  ConsoleTrade() { says(holds()); }
  void is_captured_in_console() { says(with_capture(totals(Kind::authorized, kPart, 0), kPart)); }
  Decision is_listed() { return run(listed()); }
  static RecordUnknownReceipt listed() { return {"sandbox", "CONSOLE-1", paid(kTrade, kPart)}; }
  const Key* key() const {
    const auto at = store.keys.find(key_at_platform("sandbox", kTrade));
    return at == store.keys.end() ? nullptr : &at->second;
  }
};

TEST_F(ConsoleTrade, IsReservedForItsOrder) {
  is_captured_in_console();
  ASSERT_NE(key(), nullptr);
  EXPECT_EQ(key()->merchant_id, kPlatform);
  EXPECT_EQ(key()->id, order_id.value);
  EXPECT_EQ(refusal_of(listed()), "not_found") << "it is booked for the order";
  EXPECT_TRUE(store.unknown_receipts.empty());
}

TEST_F(ConsoleTrade, OfACaptureOfOursIsNotReserved) {
  asks_to_capture(kPart, false);
  AuthorizationEvidence evidence = totals(Kind::authorized, kPart, 0);
  evidence.captures.push_back({last_capture(order_id).out_trade_no, kTrade, kPart, kCny, kNow});
  says(evidence);
  EXPECT_EQ(order_now().order.paid_amount, kPart);
  EXPECT_EQ(key(), nullptr) << "its line names the order";
}

TEST_F(ConsoleTrade, ThatCapturesShareIsReservedOnce) {
  terms().shares_trade_no = true;
  AuthorizationEvidence evidence = with_capture(totals(Kind::authorized, kAmount, 0), kPart);
  evidence.captures.push_back({"CONSOLE-2", kTrade, kRest, kCny, kNow});
  says(evidence);
  EXPECT_EQ(order_now().receipts.size(), 2u);
  EXPECT_EQ(key()->id, order_id.value);
}

TEST_F(ConsoleTrade, ThatWasListedFirstCannotBeAssigned) {
  const UnknownReceiptId id{is_listed()->object.value};
  is_captured_in_console();
  EXPECT_EQ(order_now().order.paid_amount, kPart) << "evidence about money is always booked";
  const UnknownReceiptAggregate& unknown = store.unknown_receipts.at(id);
  EXPECT_TRUE(unknown.unknown_receipt.is_contradicted);
  EXPECT_EQ(unknown.cases.size(), 1u) << "the report is added to the open case";
  EXPECT_EQ(key()->id, id.value);
  is_captured_in_console();
  EXPECT_EQ(store.unknown_receipts.at(id).unknown_receipt.version, 2) << "the same report again changes nothing";
}

}  // namespace
}  // namespace finality::test
