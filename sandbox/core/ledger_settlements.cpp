// Settlements of the ledger in another currency.
#include <boost/json/serialize.hpp>

#include "sandbox/core/ledger.h"
#include "sandbox/core/ledger_rows.h"
#include "sandbox/core/scenario.h"
#include "sandbox/core/time_scale.h"

namespace finality::sandbox {

// Plans the next settlement of the trade's payment and refunds. If another event is planned, act() plans the settlement
// after that event.
void Ledger::plan_settlement(Trade& trade) {
  if (trade.act != Act::none) return;
  const std::optional<Time> next = next_settlement(trade);
  if (!next) return;
  trade.act = Act::settle;
  trade.act_at = next;
  save(trade);
}

std::optional<Duration> Ledger::settlement_delay(const Trade& trade) const {
  const std::optional<Duration>& after = scenario_of(trade).settlement.after;
  return trade.reports_settlement && after ? std::optional(scaled(*after, time_scale_)) : std::nullopt;
}

std::optional<Time> Ledger::next_settlement(const Trade& trade) {
  const std::optional<Duration> delay = settlement_delay(trade);
  if (!delay) return std::nullopt;
  std::optional<Time> first = trade.settlement.empty() ? trade.paid_at : std::nullopt;
  for (const Refund& refund : unsettled_refunds(trade)) first = earlier(first, refund.settles_at);
  return first ? std::optional(*first + *delay) : std::nullopt;
}

std::vector<Refund> Ledger::unsettled_refunds(const Trade& trade) {
  std::vector<Refund> refunds;
  for (Rows rows = unsettled_refunds_.rows(trade.trade_no); rows.next();) refunds.push_back(read_refund(rows));
  return refunds;
}

void Ledger::settle(Trade& trade) {
  const std::optional<Duration> delay = settlement_delay(trade);
  if (!delay) return;
  const Time due = now_ - *delay;  // payments and refunds that succeeded later are settled later
  if (trade.settlement.empty() && trade.paid_at && *trade.paid_at <= due) settle_payment(trade);
  for (Refund& refund : unsettled_refunds(trade))
    if (refund.settles_at <= due) settle_refund(trade, refund);
}

void Ledger::settle_payment(Trade& trade) {
  trade.settlement = settlement_text(trade.paid, trade.currency, kPaymentTerms);
  save(trade);
  notify(trade, "trade.settled");
}

void Ledger::settle_refund(const Trade& trade, Refund& refund) {
  refund.settlement = settlement_text(refund.amount, refund.currency, kRefundTerms);
  save(refund);
  notify(trade, "refund.settled", &refund);
}

std::string Ledger::settlement_text(MinorUnits amount, const std::string& currency, const SettlementTerms& terms) {
  return boost::json::serialize(settlement_of(
      amount, terms,
      {.currency = another_currency(currency), .transaction_no = numbers_.make("sbt", now_), .settled_at = now_}));
}

}  // namespace finality::sandbox
