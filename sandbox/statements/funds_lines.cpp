#include "sandbox/statements/funds_lines.h"

#include <algorithm>
#include <utility>

#include "sandbox/core/scenario.h"
#include "sandbox/statements/statement_rules.h"
#include "sandbox/statements/withdrawals.h"

namespace finality::sandbox {
namespace {

constexpr MinorUnits kBreak = 100;  // error of the balances of a day with balance_break

using Visit = std::function<void(FundsLine&&)>;

// Suffixes of the numbers of trades and refunds, which make the identifiers of their lines unique.
constexpr std::string_view kPaymentLine = "01";
constexpr std::string_view kPaymentFeeLine = "02";
constexpr std::string_view kRefundLine = "03";
constexpr std::string_view kRefundFeeLine = "04";
constexpr std::string_view kReturnLine = "05";
constexpr std::string_view kSecondPaymentLine = "06";

/// Receives the changes before `end`.
struct Collector {
  const StatementRules& rules;
  Time end;
  const Visit& visit;

  bool covers(Time at, std::string_view currency) const {
    return at < end && (rules.currency.empty() || rules.currency == currency);
  }
};

void add_payment(const Collector& to, const Trade& trade) {
  SettledMoney money{.at = trade.paid_at.value_or(Time()),
                     .currency = trade.currency,
                     .amount = trade.paid,
                     .fee = channel_fee(trade.paid)};
  if (is_settled_otherwise(trade)) {
    if (trade.settlement.empty()) return;
    money = settled_money(trade.settlement);
  }
  if (!to.covers(money.at, money.currency)) return;
  FundsLine line{.line_id = trade.trade_no + std::string(kPaymentLine),
                 .at = money.at,
                 .type = FundsType::payment,
                 .trade = trade,
                 .currency = money.currency,
                 .amount = money.amount};
  const FundsFault fault = scenario_of(trade).statement.funds;
  FundsLine fee = line;
  if (fault == FundsFault::doubled) {
    FundsLine second = line;
    second.line_id = trade.trade_no + std::string(kSecondPaymentLine);
    to.visit(std::move(second));
  }
  if (fault != FundsFault::dropped) to.visit(std::move(line));
  fee.line_id = trade.trade_no + std::string(kPaymentFeeLine);
  fee.type = FundsType::fee;
  fee.amount = -money.fee;
  if (fault == FundsFault::fee) fee.amount -= fee_error(money.amount);
  if (fee.amount != 0) to.visit(std::move(fee));
}

// Adds the debit of a refund and the return of its fee.
void add_debit(const Collector& to, const Trade& trade, const Refund& refund, const SettledMoney& money) {
  if (!to.covers(money.at, money.currency)) return;
  FundsLine line{.line_id = refund.refund_no + std::string(kRefundLine),
                 .at = money.at,
                 .type = FundsType::refund,
                 .trade = trade,
                 .refund = refund,
                 .currency = money.currency,
                 .amount = -money.amount};
  FundsLine fee = line;
  to.visit(std::move(line));
  if (money.fee == 0) return;
  fee.line_id = refund.refund_no + std::string(kRefundFeeLine);
  fee.type = FundsType::fee_returned;
  fee.amount = money.fee;
  to.visit(std::move(fee));
}

// Adds the credit of a refund that failed or was returned. The channel does not charge the returned fee again.
void add_return(const Collector& to, const Trade& trade, const Refund& refund, const SettledMoney& money) {
  if (!to.covers(money.at, money.currency)) return;
  to.visit({.line_id = refund.refund_no + std::string(kReturnLine),
            .at = money.at,
            .type = FundsType::refund_returned,
            .trade = trade,
            .refund = refund,
            .currency = money.currency,
            .amount = money.amount});
}

void add_refund(const Collector& to, const Trade& trade, const Refund& refund) {
  if (is_settled_otherwise(trade)) {
    if (!refund.settlement.empty()) add_debit(to, trade, refund, settled_money(refund.settlement));
    return;
  }
  const bool is_closed = refund.state == "closed";
  if (is_closed && !refund.is_debited) return;
  SettledMoney money{.at = is_closed ? refund.created_at : refund.settles_at,
                     .currency = refund.currency,
                     .amount = refund.amount,
                     .fee = channel_fee(refund.amount)};
  add_debit(to, trade, refund, money);
  const std::optional<Time> returned_at = is_closed ? refund.settles_at : refund.returned_at;
  if (!returned_at) return;
  money.at = *returned_at;
  add_return(to, trade, refund, money);
}

FundsType type_of(MovementType type) {
  switch (type) {
    case MovementType::withdrawal:
      return FundsType::withdrawal;
    case MovementType::top_up:
      return FundsType::top_up;
    case MovementType::penalty:
      return FundsType::penalty;
    case MovementType::other:
      return FundsType::other;
  }
  std::unreachable();
}

}  // namespace

void for_each_change(Ledger& ledger, std::string_view channel, Time end, const Visit& visit) {
  const Collector to{statement_rules_of(channel), end, visit};
  ledger.for_each_payment(channel, Time(), end, [&](const Trade& trade) { add_payment(to, trade); });
  ledger.for_each_refund(channel, end,
                         [&](const Refund& refund) { add_refund(to, ledger.trade_of(refund.trade_no), refund); });
  ledger.statement_tables().for_each(channel, end, [&](const Movement& movement) {
    visit({.line_id = movement.line_id,
           .at = movement.at,
           .type = type_of(movement.type),
           .currency = movement.currency,
           .amount = movement.amount,
           .memo = movement.memo});
  });
}

Balances balances_at(Ledger& ledger, std::string_view channel, Time end) {
  Balances balances;
  for_each_change(ledger, channel, end, [&](const FundsLine& line) { balances[line.currency] += line.amount; });
  return balances;
}

FundsDay funds_day(Ledger& ledger, std::string_view channel, std::string_view date, const Day& span) {
  make_due_withdrawals(ledger, channel);
  const bool is_broken = ledger.statement_tables().faults_of(channel, date).contains(DayFault::balance_break);
  FundsDay day;
  Balances balances;
  const Time end = std::min(span.end, ledger.now() + Duration{1});  // the file may be early
  for_each_change(ledger, channel, end, [&](FundsLine&& line) {
    MinorUnits& balance = balances[line.currency];
    if (line.at < span.begin)
      balance += line.amount;
    else
      day.lines.push_back(std::move(line));
  });
  std::ranges::sort(day.lines, {}, [](const FundsLine& line) { return std::pair(line.at, line.line_id); });
  for (auto& [currency, balance] : balances) balance += is_broken ? kBreak : 0;
  day.opening = balances;
  for (FundsLine& line : day.lines) {
    MinorUnits& balance = balances[line.currency];
    line.balance = balance += line.amount;
  }
  return day;
}

}  // namespace finality::sandbox
