// Statements of the simple channel (docs/reference/simple-statement.md): the payments and refunds of one day in China
// time, as CSV. The scenario of a trade can make its lines wrong (StatementReaction). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/trade.h"

namespace finality::sandbox {

/// The statement of trades lists payments and refunds; that of funds lists each change of the merchant's balance.
enum class SimpleStatementKind : std::uint8_t { trades, funds };

/// A payment or, if `refund` is set, a refund.
struct SimpleMovement {
  Trade trade;
  std::optional<Refund> refund{};

  Time at() const { return refund ? refund->created_at : trade.paid_at.value_or(Time{}); }
};

struct SimpleDay {
  std::string channel;
  std::string date;                       // YYYY-MM-DD, in China time
  std::vector<SimpleMovement> movements;  // of the day, oldest first
  std::vector<SimpleMovement> before;     // of all earlier days; they are the opening balance
};

/// The channel keeps 0.60 % of a payment, rounded half up to the minor unit, and returns the same part of a refund.
MinorUnits simple_fee(MinorUnits amount);

/// Returns the file. REQUIRES: the day has movements.
std::string simple_statement(SimpleStatementKind kind, const SimpleDay& day);

}  // namespace finality::sandbox
