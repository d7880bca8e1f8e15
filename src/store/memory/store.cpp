#include "store/memory/store.h"

#include <fmt/format.h>

#include "store/memory/reader.h"
#include "store/memory/session.h"

namespace finality::memory {
namespace {

// Returns the number of rows of type `Row` in a value of a table: an aggregate, a row or a list of rows.
template <class Row, class T>
std::size_t count_in(const T& value) {
  if constexpr (Aggregate<T>) {
    std::size_t count = std::is_same_v<RootRow<T>, Row> ? 1 : 0;
    for_each_child_type<T>([&](std::string_view, auto member) {
      if constexpr (std::is_same_v<ChildRow<decltype(member)>, Row>) count += (value.*member).size();
    });
    return count;
  } else if constexpr (StoredRow<T>) {
    return std::is_same_v<T, Row> ? 1 : 0;
  } else {
    return std::is_same_v<typename T::value_type, Row> ? value.size() : 0;
  }
}

template <class Row>
std::size_t count_rows(const Tables& tables) {
  if constexpr (std::is_same_v<Row, Entry>) return tables.entries.size();
  if constexpr (std::is_same_v<Row, IdempotencyRecord>)
    return tables.idempotency_record_ids.size();  // also records whose idempotency key has been reused
  std::size_t count = 0;
  if constexpr (std::is_same_v<Row, Event>)
    for (const auto& [root, events] : tables.events) count += events.size();
  const auto count_all = [&](const auto& map) {
    for (const auto& [key, value] : map) count += count_in<Row>(value);
  };
  std::apply([&](const auto&... map) { (count_all(map), ...); }, tables.maps);
  return count;
}

void count_all_rows(const Tables& tables, AuditReport& report) {
  for_each_row_type<boost::mp11::mp_push_back<
      boost::mp11::mp_remove<boost::mp11::mp_remove<WrittenRows, IdempotencyKey>, Change>, Event>>(
      [&]<class Row>(std::type_identity<Row>) {
        report.checked.emplace_back(RowTraits<Row>::table, static_cast<std::int64_t>(count_rows<Row>(tables)));
      });
}

void check_balances(const Tables& tables, AuditReport& report) {
  Rows<AccountId, MinorUnits> sums;
  for (const auto& [id, entry] : tables.entries) sums[entry.account_id] += entry.amount;
  for (const auto& [id, account] : tables.of<Account>())
    if (const MinorUnits sum = sums.contains(id) ? sums[id] : 0; sum != account.balance)
      report.violations.push_back({"6 an account's balance is the sum of its entries", to_text(id),
                                   fmt::format("balance {}, entries {}", account.balance, sum)});
}

}  // namespace

Result<std::unique_ptr<Session>> MemoryStore::open_session() { return make_session(tables_, disk_); }

Result<std::unique_ptr<Reader>> MemoryStore::open_reader() { return make_reader(disk_ ? disk_->tables() : tables_); }

Result<AuditReport> MemoryStore::audit(const AuditProgress&) {
  const std::shared_lock lock(tables_->mutex);
  AuditReport report;
  count_all_rows(*tables_, report);
  check_balances(*tables_, report);
  return report;
}

std::unique_ptr<Session> MemoryStore::take_over(std::int64_t node) { return make_session(tables_, disk_, node); }

}  // namespace finality::memory
