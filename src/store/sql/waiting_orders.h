// SQL of Archivist::waiting(), shared by the database stores.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time/date.h"
#include "model/ids.h"
#include "model/objects/statement.h"

namespace finality::store {

/// Selects the channel accounts that provide statements of trades or of funds, with the kind and the first day of which
/// one is expected. An uploaded file does not count: it is no evidence.
inline constexpr const char* kAccountsWithStatements =
    "SELECT channel_account_id, kind, min(date) FROM statements WHERE kind IN ('trades', 'funds') "
    "AND source = 'fetched' GROUP BY channel_account_id, kind";

/// A channel account whose statements of a kind list every document of that kind since an instant.
struct AccountWithStatements {
  ChannelAccountId id;
  StatementKind kind = StatementKind::trades;
  Time since;
};

/// `kind` and `first_day` are the other columns of kAccountsWithStatements. The day is in the time zone of the channel.
/// The next day in UTC begins when that day has begun in every time zone.
inline Result<AccountWithStatements> account_with_statements(ChannelAccountId id, std::string_view kind,
                                                             const std::string& first_day) {
  const auto start = start_of_day(first_day, std::chrono::minutes(0));
  if (!start) return fail(fmt::format("a statement of {} has the invalid day {}", to_text(id), first_day));
  const bool is_funds = kind == name_of(StatementKind::funds);
  return AccountWithStatements{id, is_funds ? StatementKind::funds : StatementKind::trades,
                               *start + std::chrono::hours(24)};
}

/// Parameters of waiting_orders_sql() in the dialect of the store.
struct WaitingParameters {
  std::string_view is_order;  // condition on order_id, such as "= ?1"
  std::string_view account;   // channel account
  std::string_view since;     // AccountWithStatements::since
};

/// What confirms a document in statements of one kind. An amount mismatch in the statement of trades stands for both
/// kinds: the funds statement that confirms it records no second difference.
struct Confirmation {
  std::string_view matches;        // table
  std::string_view is_difference;  // condition on a difference `f`
};
constexpr Confirmation confirmation_of(StatementKind kind) {
  if (kind == StatementKind::trades) return {"statement_matches", "f.kind = 'trades'"};
  return {"funds_matches", "(f.kind = 'funds' OR f.kind = 'trades' AND f.difference_class = 'amount_mismatch')"};
}

/// Selects the orders with a document over the channel account since the instant that has neither a match with a line
/// of a statement of that kind nor an ended difference about one. Statements of both kinds list payments and refunds;
/// only those of funds list returns.
inline std::string waiting_orders_sql(StatementKind kind, const WaitingParameters& parameters) {
  const Confirmation confirmation = confirmation_of(kind);
  std::string sql;
  // `documents` are the rows `d`, and `paid` the rows with their channel account.
  const auto add = [&](std::string_view documents, std::string_view paid, std::string_view at, std::string_view state) {
    sql += fmt::format(
        "{}SELECT d.order_id FROM {} WHERE d.order_id {} AND {}.channel_account_id = {} AND d.{} >= {}{} "
        "AND NOT EXISTS (SELECT 1 FROM {} AS m WHERE m.document_id = d.id AND m.merchant_id = d.merchant_id) "
        "AND NOT EXISTS (SELECT 1 FROM differences AS f WHERE f.merchant_id = d.merchant_id "
        "AND f.document_id = d.id AND {} AND f.state IN ('repaired', 'resolved'))",
        sql.empty() ? "" : " UNION ", documents, parameters.is_order, paid, parameters.account, at, parameters.since,
        state, confirmation.matches, confirmation.is_difference);
  };
  add("receipts AS d", "d", "paid_at", "");
  add("refunds AS d", "d", "created_at", " AND d.state = 'succeeded'");
  add("reversals AS d", "d", "created_at", " AND d.state = 'succeeded'");
  if (kind == StatementKind::funds)
    add("returns AS d JOIN refunds AS r ON r.id = d.refund_id AND r.merchant_id = d.merchant_id", "r", "created_at",
        "");
  return sql;
}

}  // namespace finality::store
