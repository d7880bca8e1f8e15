#include "sandbox/core/order_intake.h"

#include <utility>

#include "sandbox/core/scenario.h"

namespace finality::sandbox {
namespace {

// Returns whether the scenario loses the request to create the trade. The first lost request begins the trade's outage.
bool is_lost(Ledger& ledger, const Trade& order, const Scenario& scenario) {
  if (!scenario.create.lost_for) return false;
  const std::optional<Time> outage_end = ledger.outage_end(order.channel, order.out_trade_no);
  if (outage_end) return *outage_end > ledger.now();
  ledger.begin_outage(order.channel, order.out_trade_no, ledger.now() + *scenario.create.lost_for);
  return true;
}

}  // namespace

// Sets no delay for a repeated request, because the scenario's delay applies only to the creation.
Entry enter(Ledger& ledger, const Trade& order, std::string_view number_prefix) {
  if (auto existing = ledger.find_trade(order.channel, order.out_trade_no)) {
    const bool same = existing->amount == order.amount && existing->currency == order.currency;
    return same ? Entry{.result = IntakeResult::taken, .trade = std::move(existing)}
                : Entry{.result = IntakeResult::inconsistent};
  }
  if (order.expires_at && *order.expires_at <= ledger.now()) return {.result = IntakeResult::too_late};

  const Scenario& scenario = scenario_of(order);
  if (scenario.create.refused) return {.result = IntakeResult::refused};
  if (is_lost(ledger, order, scenario)) return {.result = IntakeResult::lost};
  Trade trade = order;
  trade.act = scenario.payer.act;
  if (scenario.payer.act != Act::none) trade.act_at = ledger.now() + scenario.payer.after;
  return {.result = scenario.create.answered ? IntakeResult::taken : IntakeResult::lost,
          .trade = ledger.create_trade(std::move(trade), number_prefix),
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

bool is_refund_answered(const Trade& trade) { return scenario_of(trade).refund.answered; }

}  // namespace finality::sandbox
