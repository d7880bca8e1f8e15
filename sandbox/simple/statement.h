// Statements of the simple channel (docs/reference/simple-statement.md) as CSV. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/statements/funds_lines.h"
#include "sandbox/statements/trade_lines.h"

namespace finality::sandbox {

/// Head of a statement.
struct SimpleStatementHead {
  std::string channel;
  std::string date;  // yyyy-MM-dd
};

/// Lists payments and refunds, with totals of each currency that has lines.
std::string simple_trades(const SimpleStatementHead& head, const std::vector<TradeLine>& lines);
/// Lists each change of the balances, with totals of each currency in FundsDay::opening.
std::string simple_funds(const SimpleStatementHead& head, const FundsDay& day);

}  // namespace finality::sandbox
