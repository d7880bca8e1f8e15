#include "store/archive/archivist.h"

#include <algorithm>

#include "model/natural_key.h"
#include "store/postgres/postgres_archivist.h"
#include "store/sqlite/sqlite_archivist.h"
#include "store/store.h"

namespace finality::store {
namespace {

template <class Machine, class Row>
bool all_ended(const Machine& machine, const std::vector<Row>& rows) {
  return std::ranges::all_of(rows, [&](const Row& row) {
    if constexpr (requires { row.send_deadline; })
      if (row.due_at) return false;
    return machine.is_final(row.state);
  });
}

bool all_before(const std::vector<Event>& events, Time before) {
  return std::ranges::all_of(events, [before](const Event& event) { return event.at < before; });
}

bool is_over(const WholeDelivery& delivery, Time before) {
  const Delivery& row = delivery.rows.delivery;
  return delivery_machine.is_final(row.state) && !row.due_at && all_ended(case_machine, delivery.rows.cases) &&
         all_before(delivery.events, before);
}

}  // namespace

bool is_over(const WholeOrder& whole, Time before) {
  const auto& [order, payments, receipts, refunds, reversals, cases, returns] = whole.rows;
  return order_machine.is_final(order.state) && !order.parked && !order.due_at &&
         all_ended(payment_machine, payments) && all_ended(refund_machine, refunds) &&
         all_ended(reversal_machine, reversals) && all_ended(case_machine, cases) &&
         std::ranges::none_of(receipts, [](const Receipt& row) { return row.state == ReceiptState::suspense; }) &&
         all_before(whole.events, before) &&
         std::ranges::all_of(whole.deliveries, [before](const WholeDelivery& one) { return is_over(one, before); });
}

std::vector<RenamedKey> keys_of(const OrderAggregate& whole) {
  const Order& order = whole.order;
  std::vector<RenamedKey> keys = {
      {key_of_order_no(order.merchant_id, order.merchant_order_no), order.id.value, order.id}};
  for (const Receipt& row : whole.receipts)
    keys.push_back({key_of_receipt(row.merchant_id, row.channel, row.channel_trade_no), row.id.value, order.id});
  for (const Refund& row : whole.refunds)
    if (row.origin == RefundOrigin::merchant)
      keys.push_back({key_of_refund_no(row.merchant_id, row.merchant_refund_no), row.id.value, order.id});
  return keys;
}

Result<std::unique_ptr<Archivist>> open_archivist(const std::string& url) {
  constexpr std::string_view kSqlite = "sqlite:";
  if (url.starts_with(kSqlite) && url.size() > kSqlite.size())
    return sqlite::open_archivist(url.substr(kSqlite.size()));
  if (url.starts_with("postgres://") || url.starts_with("postgresql://")) return postgres::open_archivist(url);
  return fail(std::string("that names no store: use ") + kStoreUrls);
}

}  // namespace finality::store
