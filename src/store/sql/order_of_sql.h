// SQL that finds the order of an object, for SQLite and PostgreSQL.
#pragma once

#include <fmt/format.h>

#include <string>

#include "model/row_types.h"

namespace finality::store {

/// Whether rows of the type are children of orders only, and of no other root type.
template <class Row>
constexpr bool is_child_of_orders_alone() {
  int roots = 0;
  for_each_aggregate_type([&]<class T>(std::type_identity<T>) { roots += kHasChildType<T, Row> ? 1 : 0; });
  return roots == 1;
}

/// Calls visit(type, tables, sql) for orders, and for each child type of orders whose primary key is its id. `sql`
/// selects the id of the order; `tables` names the tables it reads. `id` is the text of the SQL parameter for the
/// object's id.
template <class Visit>
void for_each_order_of_sql(std::string_view id, Visit visit) {
  const std::string orders(RowTraits<Order>::table);
  visit(ObjectType::order, orders, fmt::format("SELECT id FROM orders WHERE id = {}", id));
  for_each_row_type<ChildRows<OrderAggregate>>([&]<class Row>(std::type_identity<Row>) {
    if constexpr (RowTraits<Row>::key == "id") {
      const std::string table(RowTraits<Row>::table);
      constexpr std::string_view kParent = RowTraits<Row>::options.parent;
      if constexpr (is_child_of_orders_alone<Row>())
        visit(decltype(Row::id)::type, table, fmt::format("SELECT {} FROM {} WHERE id = {}", kParent, table, id));
      else
        visit(decltype(Row::id)::type, table + " " + orders,
              fmt::format("SELECT c.{0} FROM {1} c JOIN orders o ON o.id = c.{0} AND o.merchant_id = c.merchant_id "
                          "WHERE c.id = {2}",
                          kParent, table, id));
    }
  });
}

}  // namespace finality::store
