// The tables of the sandbox's database, and the conversion of their rows. Ledger thread only. Failures throw
// DatabaseError.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/described.h"
#include "sandbox/core/database.h"
#include "sandbox/core/trade.h"

namespace finality::sandbox {

/// Opens or creates the database file `path`, and adds the tables and columns that an earlier version lacks.
Database open_with_schema(const std::string& path);

// Return a SELECT of all columns of trades or refunds, followed by `rest`, for read_trade() and read_refund().
std::string select_trades(std::string_view rest);
std::string select_refunds(std::string_view rest);
/// Returns the INSERT of a refund. The parameters are the columns that read_refund() reads, in the order of the SELECT.
std::string insert_of_refund();
/// Returns the parameters of an INSERT: a question mark for each name in the list `columns`.
std::string parameters_of(std::string_view columns);
Trade read_trade(const Rows& rows);
Refund read_refund(const Rows& rows);

/// Reads an enumerator from its name in a column. Throws DatabaseError if the name is unknown.
template <DescribedEnum Enum>
Enum read_enum(const Rows& rows, int column) {
  const std::optional<Enum> value = parse_enum<Enum>(rows.text(column));
  if (!value) throw DatabaseError("the database contains the unknown value " + rows.text(column));
  return *value;
}

/// Returns the earlier of two times. An absent time is later than all others.
inline std::optional<Time> earlier(std::optional<Time> first, std::optional<Time> second) {
  if (!first || !second) return first ? first : second;
  return std::min(*first, *second);
}

}  // namespace finality::sandbox
