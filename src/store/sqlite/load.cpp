#include "store/sqlite/load.h"

#include <algorithm>

#include "store/sqlite/rows.h"

namespace finality::sqlite {
namespace {

template <class Row, class RootId>
Result<void> load_children(Database& database, const Sql& sql, RootId root, std::vector<Row>& out) {
  auto rows = select_rows<Row>(database, sql, root);
  if (!rows) return std::unexpected(rows.error());
  out = std::move(*rows);
  return {};
}

}  // namespace

Result<std::optional<OrderAggregate>> load_order(Database& database, OrderId id) {
  static const Sql orders = select_sql<Order>("WHERE id=?");
  static const Sql payments = select_sql<Payment>("WHERE order_id=? ORDER BY id");
  static const Sql receipts = select_sql<Receipt>("WHERE order_id=? ORDER BY id");
  static const Sql refunds = select_sql<Refund>("WHERE order_id=? ORDER BY id");
  static const Sql reversals = select_sql<Reversal>("WHERE order_id=? ORDER BY id");
  static const Sql cases = select_sql<Case>("WHERE root_id=? ORDER BY id");
  static const Sql returns = select_sql<Return>("WHERE order_id=? ORDER BY id");

  auto order = select_row<Order>(database, orders, id);
  if (!order) return std::unexpected(order.error());
  if (!*order) return std::nullopt;
  OrderAggregate aggregate;
  aggregate.order = std::move(**order);
  if (auto done = load_children(database, payments, id, aggregate.payments); !done)
    return std::unexpected(done.error());
  if (auto done = load_children(database, receipts, id, aggregate.receipts); !done)
    return std::unexpected(done.error());
  if (auto done = load_children(database, refunds, id, aggregate.refunds); !done) return std::unexpected(done.error());
  if (auto done = load_children(database, reversals, id, aggregate.reversals); !done)
    return std::unexpected(done.error());
  if (auto done = load_children(database, cases, id, aggregate.cases); !done) return std::unexpected(done.error());
  const bool any_returned =
      std::ranges::any_of(aggregate.refunds, [](const Refund& refund) { return refund.returned_amount != 0; });
  if (!any_returned) return aggregate;
  if (auto done = load_children(database, returns, id, aggregate.returns); !done) return std::unexpected(done.error());
  return aggregate;
}

Result<std::optional<DeliveryAggregate>> load_delivery(Database& database, DeliveryId id) {
  static const Sql deliveries = select_sql<Delivery>("WHERE id=?");
  static const Sql cases = select_sql<Case>("WHERE root_id=? ORDER BY id");
  auto delivery = select_row<Delivery>(database, deliveries, id);
  if (!delivery) return std::unexpected(delivery.error());
  if (!*delivery) return std::nullopt;
  DeliveryAggregate aggregate{std::move(**delivery), {}};
  if (auto done = load_children(database, cases, id, aggregate.cases); !done) return std::unexpected(done.error());
  return aggregate;
}

Result<std::optional<OrderId>> load_order_of_payment(Database& database, PaymentId id) {
  static const Sql sql("SELECT order_id FROM payments WHERE id=?");
  Statement statement = database.prepare(sql);
  switch (statement.bind(id).step()) {
    case StepResult::row:
      return statement.read<OrderId>();
    case StepResult::done:
      return std::nullopt;
    case StepResult::failed:
      break;
  }
  return std::unexpected(database.error("read payments"));
}

Result<std::vector<Fee>> load_fees(Database& database, MerchantId merchant) {
  static const Sql sql = select_sql<Fee>("WHERE merchant_id=? ORDER BY id");
  return select_rows<Fee>(database, sql, merchant);
}

Result<std::vector<WebhookEndpoint>> load_webhook_endpoints(Database& database, MerchantId merchant) {
  static const Sql sql = select_sql<WebhookEndpoint>("WHERE merchant_id=? AND state<>'deleted' ORDER BY id");
  return select_rows<WebhookEndpoint>(database, sql, merchant);
}

}  // namespace finality::sqlite
