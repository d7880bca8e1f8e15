#include "store/sqlite/restore.h"

#include <fmt/format.h>

#include "store/archive/archivist.h"
#include "store/sql/packed_events.h"
#include "store/sqlite/rows.h"

namespace finality::sqlite {
namespace {

/// Runs a statement. Returns the number of changed rows.
template <class... Values>
Result<std::int64_t> change(Database& database, const char* sql, const Values&... values) {
  SqlStatement statement = database.prepare(sql);
  (statement.bind(values), ...);
  if (statement.step() != StepResult::done) return std::unexpected(database.error(sql));
  return database.changes();
}

template <class Row>
Result<void> insert(Database& database, const Row& row, OrderId order) {
  const auto inserted = insert_row(database, row);
  if (!inserted) return std::unexpected(inserted.error());
  if (!*inserted)
    return fail(
        fmt::format("table {} already has a row of {}. Run: finality verify", RowTraits<Row>::table, to_text(order)));
  return {};
}

}  // namespace

Result<bool> restore_order(Database& database, const WholeOrder& order, const std::string& archive) {
  const OrderId id = order.rows.order.id;
  const auto forgotten = change(database, "DELETE FROM archived_orders WHERE id=? AND archive=?", id, archive);
  if (!forgotten) return std::unexpected(forgotten.error());
  if (*forgotten != 1) return false;
  for (const store::RenamedKey& key : store::keys_of(order.rows)) {
    const auto renamed = change(database, "UPDATE keys SET id=? WHERE hash=? AND id=?", key.id, key.hash, key.order_id);
    if (!renamed) return std::unexpected(renamed.error());
    if (*renamed != 1) return fail("a natural key of " + to_text(id) + " is missing. Run: finality verify");
  }
  Result<void> inserted;
  std::vector<Event> events;
  for_each_row(order, [&]<class Row>(const Row& row) {
    if constexpr (std::is_same_v<Row, Event>)
      events.push_back(row);
    else if (inserted)
      inserted = insert(database, row, id);
  });
  for (const Change& change : store::pack(events))
    if (inserted) inserted = insert(database, change, id);
  if (!inserted) return std::unexpected(inserted.error());
  return true;
}

}  // namespace finality::sqlite
