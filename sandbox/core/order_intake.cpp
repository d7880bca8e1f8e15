#include "sandbox/core/order_intake.h"

#include <utility>

#include "sandbox/core/scenario.h"

namespace finality::sandbox {
namespace {

// Returns whether the scenario loses the request to create the trade or hold with the number. The first lost request
// begins its outage.
bool is_lost(Ledger& ledger, const std::string& channel, const std::string& number, const Scenario& scenario) {
  if (!scenario.create.lost_for) return false;
  const std::optional<Time> outage_end = ledger.outage_end(channel, number);
  if (outage_end) return *outage_end > ledger.now();
  ledger.begin_outage(channel, number, ledger.now() + *scenario.create.lost_for);
  return true;
}

// Returns `taken` if the order with a new number is to be created, and otherwise the result of the request. `Order`:
// Trade or Hold.
template <class Order>
IntakeResult admit(Ledger& ledger, const Order& order, const std::string& number) {
  if (order.expires_at && *order.expires_at <= ledger.now()) return IntakeResult::too_late;
  const Scenario& scenario = scenario_of(order);
  if (scenario.create.refused) return IntakeResult::refused;
  return is_lost(ledger, order.channel, number, scenario) ? IntakeResult::lost : IntakeResult::taken;
}

IntakeResult result_of_creation(const Scenario& scenario) {
  return scenario.create.answered ? IntakeResult::taken : IntakeResult::lost;
}

}  // namespace

// Sets no delay for a repeated request, because the scenario's delay applies only to the creation.
Entry enter(Ledger& ledger, const Trade& order, std::string_view number_prefix) {
  if (auto existing = ledger.find_trade(order.channel, order.out_trade_no)) {
    const bool same = existing->amount == order.amount && existing->currency == order.currency;
    return same ? Entry{.result = IntakeResult::taken, .trade = std::move(existing)}
                : Entry{.result = IntakeResult::inconsistent};
  }
  const IntakeResult result = admit(ledger, order, order.out_trade_no);
  if (result != IntakeResult::taken) return {.result = result};
  const Scenario& scenario = scenario_of(order);
  Trade trade = order;
  trade.act = scenario.payer.act;
  if (scenario.payer.act != Act::none) trade.act_at = ledger.now() + scenario.payer.after;
  return {.result = result_of_creation(scenario),
          .trade = ledger.create_trade(std::move(trade), number_prefix),
          .is_new = true,
          .answer_after = scenario.create.answer_after};
}

HoldEntry enter(Ledger& ledger, const Hold& order, std::string_view number_prefix) {
  if (auto existing = ledger.find_hold(order.channel, order.out_order_no)) {
    const bool same = existing->amount == order.amount && existing->currency == order.currency;
    return same ? HoldEntry{.result = IntakeResult::taken, .hold = std::move(existing)}
                : HoldEntry{.result = IntakeResult::inconsistent};
  }
  const IntakeResult result = admit(ledger, order, order.out_order_no);
  if (result != IntakeResult::taken) return {.result = result};
  const Scenario& scenario = scenario_of(order);
  Hold hold = order;
  hold.act = payer_act_of(order);
  if (hold.act != HoldAct::none) hold.act_at = ledger.now() + scenario.payer.after;
  return {.result = result_of_creation(scenario),
          .hold = ledger.create_hold(std::move(hold), number_prefix),
          .is_new = true,
          .answer_after = scenario.create.answer_after};
}

bool is_cut_off(Ledger& ledger, std::string_view channel, std::string_view out_trade_no) {
  const std::optional<Time> outage_end = ledger.outage_end(channel, out_trade_no);
  return outage_end && *outage_end > ledger.now();
}

void close_for_merchant(Ledger& ledger, Trade& trade) {
  if (scenario_of(trade).close.payer_is_faster) ledger.pay(trade);
  ledger.close(trade);
}

void close_for_merchant(Ledger& ledger, Hold& hold) {
  if (scenario_of(hold).close.payer_is_faster) ledger.authorize(hold);
  ledger.close(hold);
}

bool is_refund_answered(const Trade& trade) { return scenario_of(trade).refund.answered; }

bool is_capture_answered(const Hold& hold) { return scenario_of(hold).capture.is_answered; }

bool is_release_answered(const Hold& hold) { return scenario_of(hold).release.is_answered; }

}  // namespace finality::sandbox
