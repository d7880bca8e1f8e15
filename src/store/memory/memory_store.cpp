#include "store/memory/memory_store.h"

#include <fmt/format.h>

#include "store/memory/memory_reader.h"
#include "store/memory/memory_session.h"

namespace finality::memory {
namespace {

template <class Map, class SizeOf>
std::int64_t sum_of(const Map& map, SizeOf size_of) {
  std::size_t sum = 0;
  for (const auto& [key, row] : map) sum += size_of(row);
  return static_cast<std::int64_t>(sum);
}

void count_rows(const Tables& tables, AuditReport& report) {
  const auto add = [&report](std::string_view table, auto count) {
    report.checked.emplace_back(table, static_cast<std::int64_t>(count));
  };
  const auto size = [](const auto& list) { return list.size(); };
  const auto children = [&](auto member) {
    return sum_of(tables.orders, [member](const OrderAggregate& row) { return (row.*member).size(); });
  };
  add("merchants", tables.merchants.size());
  add("orders", tables.orders.size());
  add("payments", children(&OrderAggregate::payments));
  add("receipts", children(&OrderAggregate::receipts));
  add("refunds", children(&OrderAggregate::refunds));
  add("reversals", children(&OrderAggregate::reversals));
  add("cases", tables.root_of_case.size());
  add("returns", children(&OrderAggregate::returns));
  add("accounts", tables.accounts.size());
  add("transfers", tables.transfers.size());
  add("holds", tables.holds.size());
  add("prices", tables.prices.size());
  add("fees", sum_of(tables.fees, size));
  add("entries", tables.entries.size());
  add("events", sum_of(tables.events, size));
  add("deliveries", tables.deliveries.size());
  add("webhook_endpoints", sum_of(tables.endpoints, size));
  add("keys", tables.keys.size());
  add("answers", tables.answer_ids.size());
}

void check_balances(const Tables& tables, AuditReport& report) {
  Rows<AccountId, MinorUnits> sums;
  for (const auto& [id, entry] : tables.entries) sums[entry.account_id] += entry.amount;
  for (const auto& [id, account] : tables.accounts)
    if (const MinorUnits sum = sums.contains(id) ? sums[id] : 0; sum != account.balance)
      report.violations.push_back(
          {"6 balance", to_text(id), fmt::format("its balance is {}, its entries sum to {}", account.balance, sum)});
}

}  // namespace

Result<std::unique_ptr<Session>> MemoryStore::open_session() { return make_session(tables_, disk_); }

Result<std::unique_ptr<Reader>> MemoryStore::open_reader() { return make_reader(disk_ ? disk_->tables() : tables_); }

Result<AuditReport> MemoryStore::audit(const AuditProgress&) {
  const std::shared_lock lock(tables_->mutex);
  AuditReport report;
  count_rows(*tables_, report);
  check_balances(*tables_, report);
  return report;
}

std::unique_ptr<Session> MemoryStore::take_over(std::int64_t node) { return make_session(tables_, disk_, node); }

}  // namespace finality::memory
