// SQL of the audit queries for the objects that collect receipts. Receipts, refunds, reversals and channel settlements
// name their collector, and the queries find it only through this file.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace finality::audit {

/// Common table expression with one row per collector: payments and captures. A capture has the channel, the funds and
/// the account of its authorization. Add it to the WITH clause of a query. NOT MATERIALIZED lets both databases use the
/// indexes of the tables behind it.
inline constexpr std::string_view kCollectors = R"sql(collectors AS NOT MATERIALIZED (
      SELECT 'payment' AS type, id, order_id, state, channel, channel_account_id, funds, account_id, amount, currency,
        fee_amount, fee_refundable FROM payments
      UNION ALL SELECT 'capture', c.id, c.order_id, c.state, a.channel, c.channel_account_id, a.funds, a.account_id,
        c.amount, c.currency, c.fee_amount, c.fee_refundable
      FROM captures c JOIN authorizations a ON a.order_id = c.order_id AND a.id = c.authorization_id))sql";

/// Returns the SQL expression for the id of a row's collector. `row` is the name or the alias of the table: receipts,
/// refunds, reversals or channel_settlements.
inline std::string collector_of(std::string_view row) {
  return fmt::format("coalesce({0}.capture_id, {0}.payment_id)", row);
}

/// Returns the SQL expression for a row's collector as TYPE:ID (readable_id.h), even if the collector does not exist.
inline std::string collector_name(std::string_view row) {
  return fmt::format("CASE WHEN {}.capture_id IS NULL THEN 'payment:' ELSE 'capture:' END || {}", row,
                     collector_of(row));
}

/// Returns the SQL condition that a refund was paid out of a receipt. Both must be rows of one order. A refund without
/// receipt_id was paid out of the accepted receipt of its collector.
inline std::string is_refund_of(std::string_view refund, std::string_view receipt) {
  return fmt::format("({0}.receipt_id = {1}.id OR ({0}.receipt_id IS NULL AND {2} = {3} AND {1}.state = 'accepted'))",
                     refund, receipt, collector_of(refund), collector_of(receipt));
}

}  // namespace finality::audit
