#include "sandbox/simple/statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sandbox/core/china_time.h"
#include "sandbox/core/scenario.h"

namespace finality::sandbox {
namespace {

constexpr MinorUnits kFeePerMille = 6;

Currency currency_of(const Trade& trade) { return parse_currency(trade.currency).value_or(Currency{}); }

// Formats an amount in minor units as a decimal in the major unit: 12.34 CNY, 500 JPY.
std::string decimal(MinorUnits amount, Currency currency) {
  const int digits = exponent_of(currency);
  std::string text = std::to_string(amount < 0 ? -amount : amount);
  const auto size = static_cast<std::size_t>(digits);
  if (text.size() <= size) text.insert(0, size + 1 - text.size(), '0');
  if (digits > 0) text.insert(text.size() - size, ".");
  return (amount < 0 ? "-" : "") + text;
}

// A cell of a CSV file (RFC 4180).
std::string cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

struct Line {
  const SimpleMovement& movement;
  MinorUnits amount;
  MinorUnits discount;
  MinorUnits fee;
};

// The line of a payment or refund, with the faults of the trade's scenario.
Line line_of(const SimpleMovement& movement) {
  const StatementReaction& faults = scenario_of(movement.trade).statement;
  const MinorUnits amount = movement.refund ? movement.refund->amount : movement.trade.paid;
  const MinorUnits fee = movement.refund ? -simple_fee(amount) : simple_fee(amount);
  const bool is_payment = !movement.refund;
  return {movement, is_payment && faults.has_wrong_amount ? amount + 1 : amount,
          is_payment && faults.has_discount ? amount / 10 : 0,
          is_payment && faults.has_wrong_fee ? fee + 1 + amount / 100 : fee};
}

std::string status_of(const SimpleMovement& movement) {
  return movement.refund && movement.refund->state == "closed" ? "failed" : "success";
}

std::string numbers(const SimpleMovement& movement) {
  const Trade& trade = movement.trade;
  const std::string refund = movement.refund ? movement.refund->refund_no : "";
  const std::string out_refund = movement.refund ? movement.refund->out_refund_no : "";
  return fmt::format("{},{},{},{}", cell(trade.trade_no), cell(trade.out_trade_no), cell(refund), cell(out_refund));
}

struct Totals {
  std::int64_t lines = 0;
  std::int64_t payments = 0;
  MinorUnits paid = 0;
  std::int64_t refunds = 0;
  MinorUnits refunded = 0;
  MinorUnits fees = 0;
};

std::string head(std::string_view kind, const SimpleDay& day) {
  return fmt::format("statement,version,channel,kind,date,time_zone\nstatement,1,{},{},{},+08:00\n", day.channel, kind,
                     day.date);
}

std::string trades(const SimpleDay& day) {
  std::string out = head("trades", day);
  out += "columns,type,time,trade_no,out_trade_no,refund_no,out_refund_no,currency,amount,discount,fee,status\n";
  std::map<std::string, Totals> totals;
  for (const SimpleMovement& movement : day.movements) {
    const StatementReaction& faults = scenario_of(movement.trade).statement;
    const int copies = movement.refund ? 1 : faults.lines;
    const Line line = line_of(movement);
    const Currency currency = currency_of(movement.trade);
    for (int i = 0; i < copies; ++i) {
      out +=
          fmt::format("line,{},{},{},{},{},{},{},{}\n", movement.refund ? "refund" : "payment",
                      china_rfc3339(movement.at()), numbers(movement), currency.text(), decimal(line.amount, currency),
                      decimal(line.discount, currency), decimal(line.fee, currency), status_of(movement));
      Totals& sum = totals[std::string(currency.text())];
      sum.lines += 1;
      (movement.refund ? sum.refunds : sum.payments) += 1;
      (movement.refund ? sum.refunded : sum.paid) += line.amount;
      sum.fees += line.fee;
    }
  }
  out += "totals_columns,currency,lines,payments,paid,refunds,refunded,fees\n";
  for (const auto& [code, sum] : totals) {
    const Currency currency = parse_currency(code).value_or(Currency{});
    out += fmt::format("totals,{},{},{},{},{},{},{}\n", code, sum.lines, sum.payments, decimal(sum.paid, currency),
                       sum.refunds, decimal(sum.refunded, currency), decimal(sum.fees, currency));
  }
  return out;
}

/// One change of the balance.
struct Change {
  std::string_view type;
  MinorUnits amount;
};

std::vector<Change> changes_of(const SimpleMovement& movement) {
  if (!movement.refund) return {{"payment", movement.trade.paid}, {"fee", -simple_fee(movement.trade.paid)}};
  if (movement.refund->state == "closed") return {};
  const MinorUnits amount = movement.refund->amount;
  return {{"refund", -amount}, {"fee_returned", simple_fee(amount)}};
}

struct FundsTotals {
  std::int64_t lines = 0;
  MinorUnits credits = 0;
  MinorUnits debits = 0;
  MinorUnits opening = 0;
  MinorUnits balance = 0;
};

std::string funds(const SimpleDay& day) {
  std::map<std::string, FundsTotals> totals;
  for (const SimpleMovement& movement : day.before)
    for (const Change& change : changes_of(movement)) totals[movement.trade.currency].opening += change.amount;
  for (auto& [code, sum] : totals) sum.balance = sum.opening;
  std::string out = head("funds", day);
  out += "columns,line_id,time,type,trade_no,out_trade_no,refund_no,out_refund_no,currency,amount,balance,memo\n";
  for (const SimpleMovement& movement : day.movements) {
    const Currency currency = currency_of(movement.trade);
    const std::string& id = movement.refund ? movement.refund->refund_no : movement.trade.trade_no;
    for (const Change& change : changes_of(movement)) {
      if (change.amount == 0) continue;
      FundsTotals& sum = totals[movement.trade.currency];
      sum.lines += 1;
      (change.amount < 0 ? sum.debits : sum.credits) += change.amount < 0 ? -change.amount : change.amount;
      sum.balance += change.amount;
      out += fmt::format("line,{}-{},{},{},{},{},{},{},\n", id, change.type, china_rfc3339(movement.at()), change.type,
                         numbers(movement), currency.text(), decimal(change.amount, currency),
                         decimal(sum.balance, currency));
    }
  }
  out += "totals_columns,currency,lines,credits,debits,opening_balance,closing_balance\n";
  for (const auto& [code, sum] : totals) {
    const Currency currency = parse_currency(code).value_or(Currency{});
    out += fmt::format("totals,{},{},{},{},{},{}\n", code, sum.lines, decimal(sum.credits, currency),
                       decimal(sum.debits, currency), decimal(sum.opening, currency), decimal(sum.balance, currency));
  }
  return out;
}

}  // namespace

MinorUnits simple_fee(MinorUnits amount) { return (amount * kFeePerMille + 500) / 1000; }

std::string simple_statement(SimpleStatementKind kind, const SimpleDay& day) {
  return kind == SimpleStatementKind::trades ? trades(day) : funds(day);
}

}  // namespace finality::sandbox
