#include "store/archive/archivist.h"

#include <algorithm>

#include "model/row_key.h"
#include "store/postgres/archivist.h"
#include "store/sql/due.h"
#include "store/sqlite/archivist.h"
#include "store/store.h"

namespace finality::store {
namespace {

// Whether a row is in a final state and has no due_at. A row without a state machine is always final.
template <class Row>
bool is_over(const Row& row) {
  if constexpr (kIsDue<Row>)
    if (row.due_at) return false;
  if constexpr (requires { machine_of(row.state); })
    return machine_of(row.state).is_final(row.state);
  else
    return true;
}

template <Aggregate T>
bool is_over(const T& aggregate) {
  // An order with wrong presence bits is not archived: an operator must repair it first. `finality verify` reports it.
  bool over = is_over(root_of(aggregate)) && root_of(aggregate).children == presence_of(aggregate);
  for_each_child_type<T>([&](std::string_view, auto member) {
    over = over && std::ranges::all_of(aggregate.*member, [](const auto& row) { return is_over(row); });
  });
  return over;
}

bool all_before(const std::vector<Event>& events, Time before) {
  return std::ranges::all_of(events, [before](const Event& event) { return event.at < before; });
}

bool is_over(const WholeDelivery& delivery, Time before) {
  return is_over(delivery.rows) && all_before(delivery.events, before);
}

}  // namespace

bool is_over(const WholeOrder& whole, Time before) {
  return is_over(whole.rows) && !whole.rows.order.parked &&
         std::ranges::none_of(whole.rows.receipts,
                              [](const Receipt& row) { return row.state == ReceiptState::suspense; }) &&
         all_before(whole.events, before) &&
         std::ranges::all_of(whole.deliveries, [before](const WholeDelivery& one) { return is_over(one, before); });
}

bool is_refundable(const WholeOrder& whole, Time paid_after) {
  return std::ranges::any_of(whole.rows.receipts,
                             [paid_after](const Receipt& row) { return row.paid_at > paid_after; });
}

std::vector<RenamedKey> keys_of(const OrderAggregate& whole) {
  std::vector<RenamedKey> keys;
  for_each_row(whole, [&](const auto& row) {
    if constexpr (requires { natural_key_of(row); })
      if (const std::optional<Hash16> key = natural_key_of(row)) keys.push_back({*key, row.id.value, whole.order.id});
  });
  return keys;
}

ArchivedOrder archive_record_of(const OrderAggregate& whole, Time now, const std::string& archive) {
  return {whole.order.id, whole.order.merchant_id, now, archive, static_cast<std::int64_t>(keys_of(whole).size())};
}

Result<std::unique_ptr<Archivist>> open_archivist(const std::string& url) {
  constexpr std::string_view kSqlite = "sqlite:";
  if (url.starts_with(kSqlite) && url.size() > kSqlite.size())
    return sqlite::open_archivist(url.substr(kSqlite.size()));
  if (url.starts_with("postgres://") || url.starts_with("postgresql://")) return postgres::open_archivist(url);
  return fail(std::string("invalid store URL: use ") + kStoreUrls);
}

}  // namespace finality::store
