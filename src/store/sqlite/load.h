// Reads aggregates and merchants' lists from a SQLite store. Shared by sessions, readers and the archivist.
#pragma once

#include <fmt/format.h>

#include "model/aggregate.h"
#include "model/objects/fee.h"
#include "model/objects/webhook_endpoint.h"
#include "store/sqlite/database.h"
#include "store/sqlite/rows.h"

namespace finality::sqlite {

/// Reads the children of one type of the root with id `root` into `out`.
template <class Row, class AnId>
Result<void> load_children(Database& database, AnId root, std::vector<Row>& out) {
  static const Sql sql = select_sql<Row>(fmt::format("WHERE {}=? ORDER BY id", RowTraits<Row>::options.parent));
  auto rows = select_rows<Row>(database, sql, root);
  if (!rows) return std::unexpected(rows.error());
  out = std::move(*rows);
  return {};
}

/// The child types that load_aggregate() queries.
enum class Children : std::uint8_t {
  present,  // types whose presence bit is set in the root
  all,      // all types: for archiving, which must not lose a row if a presence bit is wrong
};

/// Reads the children of an aggregate. REQUIRES: the root of `aggregate` has been read.
template <Aggregate T>
Result<void> load_children_of(Database& database, T& aggregate, Children children = Children::present) {
  Result<void> loaded;
  for_each_child_type<T>([&](std::string_view, auto member) {
    const bool wanted = children == Children::all || has_children<ChildRow<decltype(member)>>(root_of(aggregate));
    if (loaded && wanted) loaded = load_children(database, root_of(aggregate).id, aggregate.*member);
  });
  return loaded;
}

template <Aggregate T, class AnId>
Result<std::optional<T>> load_aggregate(Database& database, AnId id, Children children = Children::present) {
  static const Sql sql = select_sql<RootRow<T>>("WHERE id=?");
  auto root = select_row<RootRow<T>>(database, sql, id);
  if (!root) return std::unexpected(root.error());
  if (!*root) return std::nullopt;
  T aggregate;
  root_of(aggregate) = std::move(**root);
  if (auto loaded = load_children_of(database, aggregate, children); !loaded) return std::unexpected(loaded.error());
  return aggregate;
}

Result<std::optional<OrderId>> load_order_of_payment(Database& database, PaymentId id);

/// Returns the merchant's rows of a type that is loaded as a list, for example webhook endpoints except deleted ones.
/// Oldest first.
template <class Row>
Result<std::vector<Row>> load_list(Database& database, MerchantId merchant) {
  constexpr std::string_view kFilter = RowTraits<Row>::options.filter;
  static const Sql sql =
      select_sql<Row>(fmt::format("WHERE merchant_id=?{}{} ORDER BY id", kFilter.empty() ? "" : " AND ", kFilter));
  return select_rows<Row>(database, sql, merchant);
}

}  // namespace finality::sqlite
