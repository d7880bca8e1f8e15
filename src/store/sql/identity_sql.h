// SQL of the Reader functions that the identity job uses, shared by the database stores. The arguments are parameters
// in the dialect of the store.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/id.h"
#include "store/sql/columns.h"

namespace finality::store {

/// Reader::changed_orders(). The condition is that of the index changes_to_check.
inline std::string changed_orders_sql(std::string_view after, std::string_view before, std::string_view limit) {
  return fmt::format(
      "SELECT id, root_id FROM changes WHERE is_checked = 1 AND id > {} AND id < {} ORDER BY id LIMIT {}", after,
      before, limit);
}

/// Reader::order_entries(). The entries of a journal have consecutive ids, or continue at the start of the node's next
/// millisecond (Reader::journal()), so that the primary key finds them. SQLite keeps the order of a CROSS JOIN.
inline std::string order_entries_sql(std::string_view order, std::string_view merchant) {
  const std::string next = fmt::format("(((v.journal_id >> {0}) + {1}) << {0})", kIdNumberBits, kIdNodesMax);
  std::string columns;
  for (const Column& column : row_type<Entry>().columns)
    columns += fmt::format("{}e.{}", columns.empty() ? "" : ", ", column.name);
  return fmt::format(
      "SELECT DISTINCT {0} FROM events v CROSS JOIN entries e WHERE v.root_id = {2} AND v.merchant_id = {3} "
      "AND v.journal_id IS NOT NULL AND e.merchant_id = v.merchant_id AND e.journal_id = v.journal_id "
      "AND (e.id BETWEEN v.journal_id AND v.journal_id + 16 OR e.id BETWEEN {1} AND {1} + 16) ORDER BY e.id",
      columns, next, order, merchant);
}

/// Reader::disagreeing_orders(). The condition on kind and state is that of the index cases_of_identities.
inline std::string disagreeing_orders_sql(std::string_view limit) {
  return fmt::format("SELECT root_id FROM cases WHERE kind = 'identity' AND state <> 'resolved' ORDER BY id LIMIT {}",
                     limit);
}

}  // namespace finality::store
