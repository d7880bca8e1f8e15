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
      SELECT 'payment' AS type, id, merchant_id, order_id, state, channel, channel_account_id, funds, account_id,
        amount, currency,
        fee_amount, fee_refundable FROM payments
      UNION ALL SELECT 'capture', c.id, c.merchant_id, c.order_id, c.state, a.channel, c.channel_account_id, a.funds,
        a.account_id,
        c.amount, c.currency, c.fee_amount, c.fee_refundable
      FROM captures c JOIN authorizations a ON a.order_id = c.order_id AND a.merchant_id = c.merchant_id
        AND a.id = c.authorization_id))sql";

/// Returns the SQL expression for the id of the collector that a row names. `row` is the name or the alias of the
/// table: receipts, refunds, reversals or channel_settlements.
inline std::string collector_of(std::string_view row) {
  return fmt::format("coalesce({0}.capture_id, {0}.payment_id)", row);
}

/// Returns the SQL expression for the id of a refund's collector. A refund of the whole trade of an authorization names
/// no collector: it belongs to that of its receipt.
inline std::string collector_of_refund(std::string_view refund) {
  return fmt::format(
      "coalesce({0}.capture_id, nullif({0}.payment_id, 0), (SELECT of_refund.capture_id FROM receipts of_refund "
      "WHERE of_refund.order_id = {0}.order_id AND of_refund.merchant_id = {0}.merchant_id AND of_refund.id = "
      "{0}.receipt_id))",
      refund);
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

/// Returns the SQL expression for the number of a receipt's trade. The channel reports that of a capture which was
/// booked from a captured total later than the receipt.
inline std::string trade_no_of(std::string_view receipt) {
  return fmt::format(
      "coalesce((SELECT of_trade.channel_trade_no FROM captures of_trade WHERE of_trade.order_id = {0}.order_id AND "
      "of_trade.merchant_id = {0}.merchant_id "
      "AND of_trade.id = {0}.capture_id AND of_trade.origin = 'channel'), {0}.channel_trade_no)",
      receipt);
}

/// Returns the SQL condition that two receipts are of one trade, which the channel refunds as a whole. Both must be
/// rows of one order.
inline std::string is_same_trade(std::string_view one, std::string_view other) {
  return fmt::format(
      "({0}.id = {1}.id OR ({0}.ordinal <> 0 AND {1}.ordinal <> 0 AND {0}.channel = {1}.channel "
      "AND {0}.currency = {1}.currency AND {2} = {3}))",
      one, other, trade_no_of(one), trade_no_of(other));
}

/// Returns the SQL condition that a receipt is the first of its trade in any state. Each trade has one.
inline std::string is_first_of_trade(std::string_view receipt) {
  return fmt::format(
      "({0}.ordinal = 0 OR NOT EXISTS (SELECT 1 FROM receipts earlier WHERE earlier.order_id = {0}.order_id AND "
      "earlier.merchant_id = {0}.merchant_id "
      "AND earlier.id < {0}.id AND {1}))",
      receipt, is_same_trade("earlier", receipt));
}

/// Returns the SQL expression for the sum of the accepted receipts of the trade before an accepted receipt. Refunds of
/// a trade are allocated to its receipts in this order.
inline std::string accepted_before(std::string_view receipt) {
  return fmt::format(
      "coalesce((SELECT sum(earlier.amount) FROM receipts earlier WHERE earlier.order_id = {0}.order_id AND "
      "earlier.merchant_id = {0}.merchant_id "
      "AND earlier.state = 'accepted' AND earlier.id < {0}.id AND {1}), 0)",
      receipt, is_same_trade("earlier", receipt));
}

/// Returns the SQL expression for the number of accepted receipts of the trade after an accepted receipt.
inline std::string accepted_after(std::string_view receipt) {
  return fmt::format(
      "(SELECT count(*) FROM receipts later WHERE later.order_id = {0}.order_id AND later.merchant_id = "
      "{0}.merchant_id AND later.state = 'accepted' "
      "AND later.id > {0}.id AND {1})",
      receipt, is_same_trade("later", receipt));
}

}  // namespace finality::audit
