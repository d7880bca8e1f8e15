#include "sandbox/statements/trade_lines.h"

#include <algorithm>
#include <utility>

#include "sandbox/core/scenario.h"

namespace finality::sandbox {
namespace {

using namespace std::chrono_literals;

constexpr Duration kDay = 24h;
constexpr Duration kShift = 1s;           // from midnight to the time of a payment on another day
constexpr MinorUnits kDiscountPart = 10;  // a wrong discount is a tenth of the amount

LineFault fault_of(const Trade& trade) { return scenario_of(trade).statement.fault; }

bool is_payment(const TradeLine& line) { return !line.refund; }

void add_payment(const Trade& trade, const Day& span, std::vector<TradeLine>& lines) {
  const LineFault fault = fault_of(trade);
  TradeLine line{.at = trade.paid_at.value_or(span.begin),
                 .trade = trade,
                 .currency = trade.currency,
                 .amount = trade.paid,
                 .fee = fee_of(trade, trade.paid)};
  if (fault == LineFault::day) line.at = china_day_of(line.at).end + kShift;
  if (fault == LineFault::dropped || line.at < span.begin || line.at >= span.end) return;
  if (fault == LineFault::amount) line.amount += 1;
  if (fault == LineFault::currency) line.currency = another_currency(line.currency);
  if (fault == LineFault::discount) line.discount = std::max<MinorUnits>(line.amount / kDiscountPart, 1);
  if (fault == LineFault::fee) line.fee += fee_error(line.amount);
  if (fault == LineFault::doubled) lines.push_back(line);
  lines.push_back(std::move(line));
}

// Returns the number of the account's first payment; empty if there is none before `end`.
std::string first_trade_no(Ledger& ledger, std::string_view channel, Time end) {
  std::string first;
  ledger.for_each_payment(channel, Time(), end, [&](const Trade& trade) {
    if (first.empty()) first = trade.trade_no;
  });
  return first;
}

// Adds the lines with the numbers of two payments.
void add_mixed_lines(Ledger& ledger, std::string_view channel, const Day& span, std::vector<TradeLine>& lines) {
  std::vector<TradeLine> mixed;
  for (const TradeLine& line : lines)
    if (is_payment(line) && fault_of(line.trade) == LineFault::numbers) mixed.push_back(line);
  if (mixed.empty()) return;
  const std::string first = first_trade_no(ledger, channel, span.end);
  for (TradeLine& line : mixed) {
    if (line.trade.trade_no == first) continue;
    line.trade.trade_no = first;
    lines.push_back(std::move(line));
  }
}

bool is_listed(const StatementRules& rules, const Refund& refund) {
  return rules.processes_refunds || refund.state == "succeeded";
}

// A refund that is requested again after a refusal is accepted when it succeeds.
Time accepted_at(const StatementRules& rules, const Refund& refund) {
  return rules.processes_refunds ? refund.created_at : refund.settles_at;
}

LineStatus status_at(const Refund& refund, Time end) {
  if (end < refund.settles_at) return LineStatus::processing;
  return refund.state == "closed" ? LineStatus::failed : LineStatus::success;
}

TradeLine line_of(const StatementRules& rules, const Trade& trade, const Refund& refund, Time end) {
  const bool is_failed = fault_of(trade) == LineFault::status;
  return {.at = accepted_at(rules, refund),
          .trade = trade,
          .refund = refund,
          .status = is_failed ? LineStatus::failed : status_at(refund, end),
          .currency = refund.currency,
          .amount = refund.amount,
          .fee = -fee_of(trade, refund.amount)};
}

void remove_last_payment(std::vector<TradeLine>& lines) {
  if (std::ranges::count_if(lines, is_payment) < 2) return;
  const auto last = std::ranges::find_if(lines.rbegin(), lines.rend(), is_payment);
  lines.erase(std::next(last).base());
}

// Makes the first version of a file with two versions.
void undo_second_version(std::vector<TradeLine>& lines) {
  if (std::ranges::count_if(lines, is_payment) < 2) return;
  remove_last_payment(lines);
  const auto first = std::ranges::find_if(lines, is_payment);
  const TradeLine copy = *first;
  lines.insert(first, copy);
}

}  // namespace

MinorUnits fee_of(const Trade& trade, MinorUnits amount) {
  return is_settled_otherwise(trade) ? 0 : channel_fee(amount);
}

std::vector<TradeLine> trade_lines(Ledger& ledger, std::string_view channel, const Day& span, FileState state) {
  const StatementRules& rules = statement_rules_of(channel);
  std::vector<TradeLine> lines;
  ledger.for_each_payment(channel, span.begin - kDay, span.end,
                          [&](const Trade& trade) { add_payment(trade, span, lines); });
  add_mixed_lines(ledger, channel, span, lines);
  const Time end = std::min(span.end, ledger.now());  // the file may be early
  ledger.for_each_refund(channel, span.end, [&](const Refund& refund) {
    const Time at = accepted_at(rules, refund);
    const bool is_of_day = at >= span.begin && at < span.end;
    if (is_of_day && is_listed(rules, refund))
      lines.push_back(line_of(rules, ledger.trade_of(refund.trade_no), refund, end));
  });
  std::ranges::sort(lines, {}, [](const TradeLine& line) {
    return std::pair(line.at, line.refund ? line.refund->refund_no : line.trade.trade_no);
  });
  if (state == FileState::first_version) undo_second_version(lines);
  if (state == FileState::shortened) remove_last_payment(lines);
  return lines;
}

}  // namespace finality::sandbox
