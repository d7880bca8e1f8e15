#include "store/postgres/load.h"

#include "store/postgres/rows.h"

namespace finality::postgres {
namespace {

// Ids: $1 as given, $2 by natural keys. An array instead of a join or an OR, so that it is looked up in the index.
constexpr std::string_view kNamed = "ANY($1::bigint[] || ARRAY(SELECT id FROM keys WHERE hash = ANY($2::bytea[])))";

// Orders: further those of the payments $3.
constexpr std::string_view kNamedOrders =
    "$1::bigint[] || ARRAY(SELECT id FROM keys WHERE hash = ANY($2::bytea[])) "
    "|| ARRAY(SELECT order_id FROM payments WHERE id = ANY($3::bigint[]))";

// Accounts: further those of the transfers $3 and $4 (by natural keys), and of the holds $5 and $6.
constexpr std::string_view kNamedAccounts =
    "ANY($1::bigint[] || ARRAY(SELECT id FROM keys WHERE hash = ANY($2::bytea[])) "
    "|| ARRAY(SELECT unnest(ARRAY[debit_account_id, credit_account_id]) FROM transfers "
    "WHERE id = ANY($3::bigint[] || ARRAY(SELECT id FROM keys WHERE hash = ANY($4::bytea[])))) "
    "|| ARRAY(SELECT unnest(ARRAY[account_id, credit_account_id]) FROM holds "
    "WHERE id = ANY($5::bigint[] || ARRAY(SELECT id FROM keys WHERE hash = ANY($6::bytea[])))))";

template <class Map, class Key, class Row>
void load_once(Map& map, const Key& key, Row row) {
  if (!map.loaded(key)) map.load(key, std::move(row));
}

}  // namespace

Loader::Loader(Connection& connection, const Needs& needs, bool lock)
    : connection_(connection), needs_(needs), lock_(lock ? " ORDER BY id FOR UPDATE" : " ORDER BY id") {}

void Loader::ask(const std::string& sql, const Parameters& parameters, Take take) {
  connection_.send(sql, parameters);
  takes_.push_back(std::move(take));
}

template <class Row, class AnId>
void Loader::ask_for_rows(const std::string& which, const Parameters& parameters,
                          SlotMap<AnId, Row> WorkingSet::* map) {
  ask(select_sql<Row>(which), parameters, [map](const Reply& reply, WorkingSet& rows) {
    for (Row& row : rows_of<Row>(reply)) {
      const AnId id = row.id;
      load_once(rows.*map, id, std::move(row));
    }
  });
}

bool Loader::any_order() const {
  return !needs_.orders.empty() || !needs_.order_keys.empty() || !needs_.payments.empty();
}

void Loader::send() {
  ask_for_keys();
  ask_for_orders();
  ask_for_deliveries();
  ask_for_money();
  ask_for_order_parts();
  ask_for_cases();
  ask_for_holds();
  ask_for_merchants();
  ask_for_answers();
}

void Loader::take(const std::vector<Reply>& replies, std::size_t first, WorkingSet& rows) {
  FINALITY_CHECK(replies.size() == first + takes_.size(), "a statement without its reply");
  for (std::size_t i = 0; i < takes_.size(); ++i) takes_[i](replies[first + i], rows);
  keep_aggregates(rows);
  keep_absences(rows);
}

void Loader::ask_for_keys() {
  std::vector<Hash16> hashes;
  for (const auto* list : {&needs_.order_keys, &needs_.account_keys, &needs_.receipt_keys, &needs_.refund_keys,
                           &needs_.transfer_keys, &needs_.hold_keys, &needs_.price_keys})
    hashes.insert(hashes.end(), list->begin(), list->end());
  if (hashes.empty()) return;
  ask(select_sql<Key>("WHERE hash = ANY($1::bytea[])"), Parameters(hashes),
      [hashes](const Reply& reply, WorkingSet& rows) {
        for (const Key& key : rows_of<Key>(reply)) load_once(rows.keys, key.hash, std::optional(key));
        for (const Hash16& hash : hashes) load_once(rows.keys, hash, std::optional<Key>());
      });
}

void Loader::ask_for_orders() {
  if (!needs_.payments.empty())
    ask("SELECT id, order_id FROM payments WHERE id = ANY($1::bigint[])", Parameters(needs_.payments),
        [](const Reply& reply, WorkingSet& rows) {
          for (int i = 0; i < reply.rows(); ++i) {
            Cursor row = reply.row(i);
            const auto payment = row.read<PaymentId>();
            load_once(rows.order_of_payment, payment, std::optional(row.read<OrderId>()));
          }
        });
  if (!any_order()) return;
  ask(select_sql<Order>(fmt::format("WHERE id = ANY({}){}", kNamedOrders, lock_)),
      Parameters(needs_.orders, needs_.order_keys, needs_.payments), [this](const Reply& reply, WorkingSet&) {
        for (Order& row : rows_of<Order>(reply)) orders_[row.id.value].order = std::move(row);
      });
}

void Loader::ask_for_deliveries() {
  if (needs_.deliveries.empty()) return;
  ask(select_sql<Delivery>("WHERE id = ANY($1::bigint[])" + lock_), Parameters(needs_.deliveries),
      [this](const Reply& reply, WorkingSet&) {
        for (Delivery& row : rows_of<Delivery>(reply)) deliveries_[row.id.value].delivery = std::move(row);
      });
}

// Transfers before the accounts they name, since those are looked up again. A price is only read by most: no lock.
void Loader::ask_for_money() {
  const bool transfers = !needs_.transfers.empty() || !needs_.transfer_keys.empty();
  const bool holds = !needs_.holds.empty() || !needs_.hold_keys.empty();
  if (transfers)
    ask_for_rows(fmt::format("WHERE id = {}{}", kNamed, lock_), Parameters(needs_.transfers, needs_.transfer_keys),
                 &WorkingSet::transfers);
  if (transfers || holds || !needs_.accounts.empty() || !needs_.account_keys.empty())
    ask_for_rows(fmt::format("WHERE id = {}{}", kNamedAccounts, lock_),
                 Parameters(needs_.accounts, needs_.account_keys, needs_.transfers, needs_.transfer_keys, needs_.holds,
                            needs_.hold_keys),
                 &WorkingSet::accounts);
  if (!needs_.price_keys.empty())
    ask_for_rows(fmt::format("WHERE id = {}", kNamed), Parameters(std::vector<PriceId>(), needs_.price_keys),
                 &WorkingSet::prices);
}

template <class Row>
void Loader::ask_for_parts(const Parameters& orders, std::vector<Row> OrderAggregate::* parts) {
  ask(select_sql<Row>(fmt::format("WHERE order_id = ANY({}) ORDER BY id", kNamedOrders)), orders,
      [this, parts](const Reply& reply, WorkingSet&) {
        for (Row& row : rows_of<Row>(reply))
          if (const auto at = orders_.find(row.order_id.value); at != orders_.end())
            (at->second.*parts).push_back(std::move(row));
      });
}

void Loader::ask_for_order_parts() {
  if (!any_order()) return;
  const Parameters orders(needs_.orders, needs_.order_keys, needs_.payments);
  ask_for_parts(orders, &OrderAggregate::payments);
  ask_for_parts(orders, &OrderAggregate::receipts);
  ask_for_parts(orders, &OrderAggregate::refunds);
  ask_for_parts(orders, &OrderAggregate::reversals);
}

void Loader::ask_for_cases() {
  if (!any_order() && needs_.deliveries.empty()) return;
  ask(select_sql<Case>(fmt::format("WHERE root_id = ANY({} || $4::bigint[]) ORDER BY id", kNamedOrders)),
      Parameters(needs_.orders, needs_.order_keys, needs_.payments, needs_.deliveries),
      [this](const Reply& reply, WorkingSet&) {
        for (Case& row : rows_of<Case>(reply)) {
          if (const auto order = orders_.find(row.root_id); order != orders_.end())
            order->second.cases.push_back(std::move(row));
          else if (const auto delivery = deliveries_.find(row.root_id); delivery != deliveries_.end())
            delivery->second.cases.push_back(std::move(row));
        }
      });
}

// A hold that came into being after its accounts were looked up is not there yet.
void Loader::ask_for_holds() {
  if (needs_.holds.empty() && needs_.hold_keys.empty()) return;
  ask(select_sql<Hold>(fmt::format("WHERE id = {}", kNamed)), Parameters(needs_.holds, needs_.hold_keys),
      [](const Reply& reply, WorkingSet& rows) {
        for (const Hold& row : rows_of<Hold>(reply))
          if (rows.accounts.loaded(row.account_id) || rows.holds.loaded(row.id))
            load_once(rows.holds, row.id, std::optional(row));
      });
}

void Loader::ask_for_merchants() {
  if (!needs_.api_keys.empty())
    ask_for_rows("WHERE id = ANY($1::bigint[])", Parameters(needs_.api_keys), &WorkingSet::api_keys);
  if (needs_.merchants.empty()) return;
  const Parameters merchants(needs_.merchants);
  ask_for_rows("WHERE id = ANY($1::bigint[])", merchants, &WorkingSet::merchants);
  ask(select_sql<WebhookEndpoint>("WHERE merchant_id = ANY($1::bigint[]) AND state <> 'deleted' ORDER BY id"),
      merchants, [this](const Reply& reply, WorkingSet&) {
        for (WebhookEndpoint& row : rows_of<WebhookEndpoint>(reply))
          endpoints_[row.merchant_id].push_back(std::move(row));
      });
  ask(select_sql<Fee>("WHERE merchant_id = ANY($1::bigint[]) ORDER BY id"), merchants,
      [this](const Reply& reply, WorkingSet&) {
        for (Fee& row : rows_of<Fee>(reply)) fees_[row.merchant_id].push_back(std::move(row));
      });
}

void Loader::ask_for_answers() {
  if (needs_.answers.empty()) return;
  ask(select_sql<Answer>("WHERE id = ANY(ARRAY(SELECT answer_id FROM idempotency_keys WHERE hash = ANY($1::bytea[])))"),
      Parameters(needs_.answers), [](const Reply& reply, WorkingSet& rows) {
        for (Answer& row : rows_of<Answer>(reply)) {
          const Hash16 hash = row.key_hash;
          load_once(rows.answers, hash, std::optional(std::move(row)));
        }
      });
}

void Loader::keep_aggregates(WorkingSet& rows) {
  for (auto& [id, order] : orders_) load_once(rows.orders, OrderId{id}, std::optional(std::move(order)));
  for (auto& [id, delivery] : deliveries_)
    load_once(rows.deliveries, DeliveryId{id}, std::optional(std::move(delivery)));
  for (const MerchantId id : needs_.merchants) {
    load_once(rows.endpoints, id, std::optional(endpoints_[id]));
    load_once(rows.fees, id, std::optional(fees_[id]));
  }
}

// What was asked for by its id and did not come does not exist.
void Loader::keep_absences(WorkingSet& rows) const {
  const auto keep = [](auto& map, const auto& keys) {
    for (const auto& key : keys) load_once(map, key, std::nullopt);
  };
  keep(rows.orders, needs_.orders);
  keep(rows.order_of_payment, needs_.payments);
  keep(rows.deliveries, needs_.deliveries);
  keep(rows.accounts, needs_.accounts);
  keep(rows.transfers, needs_.transfers);
  keep(rows.holds, needs_.holds);
  keep(rows.merchants, needs_.merchants);
  keep(rows.api_keys, needs_.api_keys);
  keep(rows.answers, needs_.answers);
}

}  // namespace finality::postgres
