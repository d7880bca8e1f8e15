// SQL of Archivist::waiting(), shared by the database stores.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time/date.h"
#include "model/ids.h"

namespace finality::store {

/// Selects the channel accounts that provide statements of trades, with the first day of which one is expected. An
/// uploaded file does not count: it is no evidence.
inline constexpr const char* kAccountsWithStatements =
    "SELECT channel_account_id, min(date) FROM statements WHERE kind = 'trades' AND source = 'fetched' "
    "GROUP BY channel_account_id";

/// A channel account whose statements list every payment and refund since an instant.
struct AccountWithStatements {
  ChannelAccountId id;
  Time since;
};

/// `first_day` is the second column of kAccountsWithStatements, a day in the time zone of the channel. The next day in
/// UTC begins when that day has begun in every time zone.
inline Result<AccountWithStatements> account_with_statements(ChannelAccountId id, const std::string& first_day) {
  const auto start = start_of_day(first_day, std::chrono::minutes(0));
  if (!start) return fail(fmt::format("a statement of {} has the invalid day {}", to_text(id), first_day));
  return AccountWithStatements{id, *start + std::chrono::hours(24)};
}

/// Parameters of waiting_orders_sql() in the dialect of the store.
struct WaitingParameters {
  std::string_view is_order;  // condition on order_id, such as "= ?1"
  std::string_view account;   // channel account
  std::string_view since;     // AccountWithStatements::since
};

/// Selects the orders with a payment or refund over the channel account since the instant that has neither a match with
/// a line of a statement of trades nor an ended difference about one.
inline std::string waiting_orders_sql(const WaitingParameters& parameters) {
  std::string sql;
  const auto add = [&](std::string_view table, std::string_view at, std::string_view state) {
    sql += fmt::format(
        "{}SELECT d.order_id FROM {} AS d WHERE d.order_id {} AND d.channel_account_id = {} AND d.{} >= {}{} "
        "AND NOT EXISTS (SELECT 1 FROM statement_matches AS m WHERE m.document_id = d.id "
        "AND m.merchant_id = d.merchant_id) "
        "AND NOT EXISTS (SELECT 1 FROM differences AS f WHERE f.merchant_id = d.merchant_id "
        "AND f.document_id = d.id AND f.kind = 'trades' AND f.state IN ('repaired', 'resolved'))",
        sql.empty() ? "" : " UNION ", table, parameters.is_order, parameters.account, at, parameters.since, state);
  };
  add("receipts", "paid_at", "");
  add("refunds", "created_at", " AND d.state = 'succeeded'");
  add("reversals", "created_at", " AND d.state = 'succeeded'");
  return sql;
}

}  // namespace finality::store
