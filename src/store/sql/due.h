// Row types with a due_at column, and SQL that selects the fields of their due rows.
#pragma once

#include <fmt/format.h>

#include <boost/mp11/algorithm.hpp>

#include <string>
#include <string_view>

#include "model/row_types.h"

namespace finality::store {

template <class Row>
inline constexpr bool kIsDue = RowTraits<Row>::options.due != Due::never;
template <class Row>
inline constexpr bool kIsClaimed = RowTraits<Row>::options.due == Due::claim;

template <class Row>
using IsDue = boost::mp11::mp_bool<kIsDue<Row>>;
/// The row types with a due_at column.
using DueRows = boost::mp11::mp_copy_if<WrittenRows, IsDue>;

/// SQL expression for the order id of a due row: a column, or 0 if the row type has no order.
template <class Row>
constexpr std::string_view order_column() {
  if constexpr (std::is_same_v<Row, Order>)
    return "id";
  else if constexpr (requires(Row row) { row.order_id; })
    return "order_id";
  else
    return "CAST(0 AS bigint)";
}

/// SQL expression for the channel account id of a due row: a column, or 0 if the row type has no channel account.
template <class Row>
constexpr std::string_view channel_account_column() {
  if constexpr (requires(Row row) { row.channel_account_id; })
    return "channel_account_id";
  else
    return "CAST(0 AS bigint)";
}

/// Returns the SELECT and FROM clauses for the fields of a DueRow: id, merchant id, order id, due_at, channel account
/// id.
template <class Row>
std::string due_columns() {
  return fmt::format("SELECT id, merchant_id, {}, due_at, {} FROM {}", order_column<Row>(),
                     channel_account_column<Row>(), RowTraits<Row>::table);
}

template <class Row>
OrderId order_of(const Row& row) {
  if constexpr (std::is_same_v<Row, Order>)
    return row.id;
  else if constexpr (requires { row.order_id; })
    return row.order_id;
  else
    return {};
}

template <class Row>
ChannelAccountId channel_account_of(const Row& row) {
  if constexpr (requires { row.channel_account_id; })
    return row.channel_account_id;
  else
    return {};
}

}  // namespace finality::store
