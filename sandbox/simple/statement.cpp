#include "sandbox/simple/statement.h"

#include <fmt/format.h>

#include <map>

#include "sandbox/core/china_time.h"
#include "sandbox/formats/decimal.h"

namespace finality::sandbox {
namespace {

// A cell of a CSV file (RFC 4180).
std::string cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string head_of(std::string_view kind, const SimpleStatementHead& head) {
  return fmt::format("statement,version,channel,kind,date,time_zone\nstatement,1,{},{},{},+08:00\n", head.channel, kind,
                     head.date);
}

// The cells trade_no to out_refund_no. `trade` and `refund` may be null.
std::string numbers(const Trade* trade, const Refund* refund) {
  return fmt::format(
      "{},{},{},{}", cell(trade != nullptr ? trade->number() : ""), cell(trade != nullptr ? trade->out_trade_no : ""),
      cell(refund != nullptr ? refund->refund_no : ""), cell(refund != nullptr ? refund->out_refund_no : ""));
}

template <class Value>
const Value* pointer_to(const std::optional<Value>& value) {
  return value ? &*value : nullptr;
}

struct TradeTotals {
  std::int64_t payments = 0;
  MinorUnits paid = 0;
  std::int64_t refunds = 0;
  MinorUnits refunded = 0;
  MinorUnits fees = 0;
};

void add(const TradeLine& line, TradeTotals& totals) {
  (line.refund ? totals.refunds : totals.payments) += 1;
  (line.refund ? totals.refunded : totals.paid) += line.amount;
  totals.fees += line.fee;
}

struct FundsTotals {
  std::int64_t lines = 0;
  MinorUnits credits = 0;
  MinorUnits debits = 0;
  MinorUnits opening = 0;
  MinorUnits closing = 0;
};

void add(const FundsLine& line, FundsTotals& totals) {
  totals.lines += 1;
  (line.amount < 0 ? totals.debits : totals.credits) += line.amount < 0 ? -line.amount : line.amount;
  totals.closing = line.balance;
}

}  // namespace

std::string simple_trades(const SimpleStatementHead& head, const std::vector<TradeLine>& lines) {
  std::string text = head_of("trades", head);
  text += "columns,type,time,trade_no,out_trade_no,refund_no,out_refund_no,currency,amount,discount,fee,status\n";
  std::map<std::string, TradeTotals> totals;
  for (const TradeLine& line : lines) {
    text += fmt::format("line,{},{},{},{},{},{},{},{}\n", line.refund ? "refund" : "payment", china_rfc3339(line.at),
                        numbers(&line.trade, pointer_to(line.refund)), line.currency,
                        to_decimal(line.amount, line.currency), to_decimal(line.discount, line.currency),
                        to_decimal(line.fee, line.currency), name_of(line.status));
    add(line, totals[line.currency]);
  }
  text += "totals_columns,currency,lines,payments,paid,refunds,refunded,fees\n";
  for (const auto& [currency, sums] : totals)
    text += fmt::format("totals,{},{},{},{},{},{},{}\n", currency, sums.payments + sums.refunds, sums.payments,
                        to_decimal(sums.paid, currency), sums.refunds, to_decimal(sums.refunded, currency),
                        to_decimal(sums.fees, currency));
  return text;
}

std::string simple_funds(const SimpleStatementHead& head, const FundsDay& day) {
  std::string text = head_of("funds", head);
  text += "columns,line_id,time,type,trade_no,out_trade_no,refund_no,out_refund_no,currency,amount,balance,memo\n";
  std::map<std::string, FundsTotals> totals;
  for (const auto& [currency, balance] : day.opening) totals[currency] = {.opening = balance, .closing = balance};
  for (const FundsLine& line : day.lines) {
    text +=
        fmt::format("line,{},{},{},{},{},{},{},{}\n", line.line_id, china_rfc3339(line.at), name_of(line.type),
                    numbers(pointer_to(line.trade), pointer_to(line.refund)), line.currency,
                    to_decimal(line.amount, line.currency), to_decimal(line.balance, line.currency), cell(line.memo));
    add(line, totals[line.currency]);
  }
  text += "totals_columns,currency,lines,credits,debits,opening_balance,closing_balance\n";
  for (const auto& [currency, sums] : totals)
    text += fmt::format("totals,{},{},{},{},{},{}\n", currency, sums.lines, to_decimal(sums.credits, currency),
                        to_decimal(sums.debits, currency), to_decimal(sums.opening, currency),
                        to_decimal(sums.closing, currency));
  return text;
}

}  // namespace finality::sandbox
