#include "store/postgres/load.h"

#include "store/postgres/rows.h"

namespace finality::postgres {
namespace {

// Ids: $1 as given, $2 by natural keys. An array instead of a join or an OR, so that it is looked up in the index.
constexpr std::string_view kNamed = "ANY($1::bigint[] || ARRAY(SELECT id FROM keys WHERE hash = ANY($2::bytea[])@sub))";

// Orders: further those of the payments $3.
constexpr std::string_view kNamedOrders =
    "$1::bigint[] || ARRAY(SELECT id FROM keys WHERE hash = ANY($2::bytea[])@sub) "
    "|| ARRAY(SELECT order_id FROM payments WHERE id = ANY($3::bigint[])@sub)";

// Accounts: further those of the transfers $3 and $4 (by natural keys), and of the holds $5 and $6.
constexpr std::string_view kNamedAccounts =
    "ANY($1::bigint[] || ARRAY(SELECT id FROM keys WHERE hash = ANY($2::bytea[])@sub) "
    "|| ARRAY(SELECT unnest(ARRAY[debit_account_id, credit_account_id]) FROM transfers "
    "WHERE id = ANY($3::bigint[] || ARRAY(SELECT id FROM keys WHERE hash = ANY($4::bytea[])@sub))@sub) "
    "|| ARRAY(SELECT unnest(ARRAY[account_id, credit_account_id]) FROM holds "
    "WHERE id = ANY($5::bigint[] || ARRAY(SELECT id FROM keys WHERE hash = ANY($6::bytea[])@sub))@sub))";

std::string owners_at(int parameter) { return fmt::format(" AND merchant_id = ANY(${}::bigint[])", parameter); }

/// `parameters`: how many `where` has. Where the owners are named they are the next one.
template <class Row>
Declared loading(std::string tables, std::string purpose, const std::string& where, int parameters) {
  return {.name = fmt::format("load.{}", RowTraits<Row>::table),
          .shards = Shards::merchants,
          .tables = std::move(tables),
          .purpose = std::move(purpose),
          .text = select_sql<Row>("WHERE " + where),
          .owners = owners_at(parameters + 1)};
}

/// What is found by the merchant itself.
template <class Row>
Declared loading_by_merchant(std::string purpose, const std::string& where) {
  Declared declared = loading<Row>(std::string(RowTraits<Row>::table), std::move(purpose), where, 1);
  declared.owners.clear();
  return declared;
}

const Statement kKeys{loading<Key>("keys", "what the batch's natural keys name", "hash = ANY($1::bytea[])@of", 1)};
const Statement kOrdersOfPayments{{.name = "load.orders_of_payments",
                                   .shards = Shards::merchants,
                                   .tables = "payments",
                                   .purpose = "which orders the batch's payments belong to",
                                   .text = "SELECT id, order_id FROM payments WHERE id = ANY($1::bigint[])@of",
                                   .owners = owners_at(2)}};
const Statement kOrders{loading<Order>("keys orders payments", "the batch's orders",
                                       fmt::format("id = ANY({})@of ORDER BY id@lock", kNamedOrders), 3)};
const Statement kDeliveries{
    loading<Delivery>("deliveries", "the batch's deliveries", "id = ANY($1::bigint[])@of ORDER BY id@lock", 1)};
const Statement kTransfers{loading<Transfer>("keys transfers", "the batch's transfers",
                                             fmt::format("id = {}@of ORDER BY id@lock", kNamed), 2)};
const Statement kAccounts{loading<Account>("accounts holds keys transfers",
                                           "the batch's accounts, and those of its transfers and holds",
                                           fmt::format("id = {}@of ORDER BY id@lock", kNamedAccounts), 6)};
const Statement kPrices{loading<Price>("keys prices", "the batch's prices", fmt::format("id = {}@of", kNamed), 2)};
const Statement kCases{loading<Case>("cases keys payments", "the cases of the batch's orders and deliveries",
                                     fmt::format("root_id = ANY({} || $4::bigint[])@of ORDER BY id", kNamedOrders), 4)};
const Statement kHolds{loading<Hold>("holds keys", "the batch's holds", fmt::format("id = {}@of", kNamed), 2)};
const Statement kMerchants{loading_by_merchant<Merchant>("the batch's merchants", "id = ANY($1::bigint[])")};
const Statement kEndpoints{loading_by_merchant<WebhookEndpoint>(
    "the merchants' addresses", "merchant_id = ANY($1::bigint[]) AND state <> 'deleted' ORDER BY id")};
const Statement kFees{loading_by_merchant<Fee>("the merchants' fees", "merchant_id = ANY($1::bigint[]) ORDER BY id")};
const Statement kApiKeys{{.name = "load.api_keys",
                          .shards = Shards::reference,
                          .tables = "api_keys",
                          .purpose = "the API keys that a batch revokes",
                          .text = select_sql<ApiKey>("WHERE id = ANY($1::bigint[])")}};
const Statement kAnswers{
    loading<Answer>("answers idempotency_keys", "what the batch's idempotency keys were answered",
                    "id = ANY(ARRAY(SELECT answer_id FROM idempotency_keys WHERE hash = ANY($1::bytea[])@sub))@of", 1)};

/// What belongs to the batch's orders.
template <class Row>
Declared loading_parts() {
  const std::string table(RowTraits<Row>::table);
  return loading<Row>(table == "payments" ? "keys payments" : "keys payments " + table, "those of the batch's orders",
                      fmt::format("order_id = ANY({})@of ORDER BY id", kNamedOrders), 3);
}

template <class Row>
const Statement kParts{loading_parts<Row>()};

template <class Map, class Key, class Row>
void load_once(Map& map, const Key& key, Row row) {
  if (!map.loaded(key)) map.load(key, std::move(row));
}

}  // namespace

Loader::Loader(Connection& connection, const Needs& needs, Form form)
    : connection_(connection),
      needs_(needs),
      form_(form == Form::sharded && needs.owners.empty() ? Form::plain : form) {}

void Loader::ask(const Statement& statement, Parameters parameters, Take take) {
  if (form_ == Form::sharded && statement.has(form_)) parameters.add(needs_.owners);
  connection_.send(statement, parameters, form_);
  takes_.push_back(std::move(take));
}

template <class Row, class AnId>
void Loader::ask_for_rows(const Statement& statement, Parameters parameters, SlotMap<AnId, Row> WorkingSet::* map) {
  ask(statement, std::move(parameters), [map](const Reply& reply, WorkingSet& rows) {
    for (Row& row : rows_of<Row>(reply)) {
      const AnId id = row.id;
      load_once(rows.*map, id, std::move(row));
    }
  });
}

bool Loader::any_order() const { return !needs_.orders.empty() || !needs_.payments.empty(); }
bool Loader::any_transfer() const { return !needs_.transfers.empty() || !needs_.transfer_keys.empty(); }
bool Loader::any_hold() const { return !needs_.holds.empty() || !needs_.hold_keys.empty(); }

void Loader::send() {
  ask_for_keys();
  ask_for_orders();
  ask_for_deliveries();
  ask_for_accounts();
  ask_for_transfers_and_holds();
  ask_for_prices();
  ask_for_order_parts();
  ask_for_cases();
  ask_for_merchants();
  ask_for_answers();
}

void Loader::take(const std::vector<Reply>& replies, std::size_t first, WorkingSet& rows) {
  FINALITY_CHECK(replies.size() == first + takes_.size(), "a statement without its reply");
  for (std::size_t i = 0; i < takes_.size(); ++i) takes_[i](replies[first + i], rows);
  keep_aggregates(rows);
  keep_absences(rows);
}

Needs Loader::rest(const WorkingSet& rows) const {
  Needs rest;
  if (!orders_follow()) return rest;
  rest.owners = needs_.owners;
  for (const Hash16& hash : needs_.order_keys)
    if (const Key* key = rows.keys.find(hash)) rest.orders.push_back(OrderId{key->id});
  return rest;
}

void Loader::ask_for_keys() {
  std::vector<Hash16> hashes;
  for (const auto* list :
       {&needs_.order_keys, &needs_.account_keys, &needs_.receipt_keys, &needs_.refund_keys, &needs_.price_keys})
    hashes.insert(hashes.end(), list->begin(), list->end());
  if (hashes.empty()) return;
  ask(kKeys, Parameters(hashes), [hashes](const Reply& reply, WorkingSet& rows) {
    for (const Key& key : rows_of<Key>(reply)) load_once(rows.keys, key.hash, std::optional(key));
    for (const Hash16& hash : hashes) load_once(rows.keys, hash, std::optional<Key>());
  });
}

void Loader::ask_for_orders() {
  if (!needs_.payments.empty())
    ask(kOrdersOfPayments, Parameters(needs_.payments), [](const Reply& reply, WorkingSet& rows) {
      for (int i = 0; i < reply.rows(); ++i) {
        Cursor row = reply.row(i);
        const auto payment = row.read<PaymentId>();
        load_once(rows.order_of_payment, payment, std::optional(row.read<OrderId>()));
      }
    });
  if (!any_order()) return;
  ask(kOrders, Parameters(needs_.orders, needs_.order_keys, needs_.payments), [this](const Reply& reply, WorkingSet&) {
    for (Order& row : rows_of<Order>(reply)) orders_[row.id.value].order = std::move(row);
  });
}

void Loader::ask_for_deliveries() {
  if (needs_.deliveries.empty()) return;
  ask(kDeliveries, Parameters(needs_.deliveries), [this](const Reply& reply, WorkingSet&) {
    for (Delivery& row : rows_of<Delivery>(reply)) deliveries_[row.id.value].delivery = std::move(row);
  });
}

void Loader::ask_for_accounts() {
  if (!any_transfer() && !any_hold() && needs_.accounts.empty() && needs_.account_keys.empty()) return;
  ask_for_rows(kAccounts,
               Parameters(needs_.accounts, needs_.account_keys, needs_.transfers, needs_.transfer_keys, needs_.holds,
                          needs_.hold_keys),
               &WorkingSet::accounts);
}

// After their accounts, and their numbers last: who waited for an account has to learn of what he waited for. One that
// came into being after its accounts were looked up is not there yet.
void Loader::ask_for_transfers_and_holds() {
  if (any_transfer())
    ask(kTransfers, Parameters(needs_.transfers, needs_.transfer_keys), [](const Reply& reply, WorkingSet& rows) {
      for (const Transfer& row : rows_of<Transfer>(reply))
        if (!row.debit_account_id ||
            (rows.accounts.loaded(*row.debit_account_id) && rows.accounts.loaded(*row.credit_account_id)))
          load_once(rows.transfers, row.id, std::optional(row));
    });
  if (any_hold())
    ask(kHolds, Parameters(needs_.holds, needs_.hold_keys), [](const Reply& reply, WorkingSet& rows) {
      for (const Hold& row : rows_of<Hold>(reply))
        if (rows.accounts.loaded(row.account_id) || rows.holds.loaded(row.id))
          load_once(rows.holds, row.id, std::optional(row));
    });
  std::vector<Hash16> numbers = needs_.transfer_keys;
  numbers.insert(numbers.end(), needs_.hold_keys.begin(), needs_.hold_keys.end());
  if (numbers.empty()) return;
  ask(kKeys, Parameters(numbers), [numbers](const Reply& reply, WorkingSet& rows) {
    for (const Key& key : rows_of<Key>(reply))
      if (rows.transfers.loaded(TransferId{key.id}) || rows.holds.loaded(HoldId{key.id}))
        load_once(rows.keys, key.hash, std::optional(key));
    for (const Hash16& hash : numbers) load_once(rows.keys, hash, std::optional<Key>());
  });
}

// Only read by most: no lock.
void Loader::ask_for_prices() {
  if (!needs_.price_keys.empty())
    ask_for_rows(kPrices, Parameters(std::vector<PriceId>(), needs_.price_keys), &WorkingSet::prices);
}

template <class Row>
void Loader::ask_for_parts(const Parameters& orders, std::vector<Row> OrderAggregate::* parts) {
  ask(kParts<Row>, orders, [this, parts](const Reply& reply, WorkingSet&) {
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
  ask_for_parts(orders, &OrderAggregate::returns);
}

void Loader::ask_for_cases() {
  if (!any_order() && needs_.deliveries.empty()) return;
  ask(kCases, Parameters(needs_.orders, needs_.order_keys, needs_.payments, needs_.deliveries),
      [this](const Reply& reply, WorkingSet&) {
        for (Case& row : rows_of<Case>(reply)) {
          if (const auto order = orders_.find(row.root_id); order != orders_.end())
            order->second.cases.push_back(std::move(row));
          else if (const auto delivery = deliveries_.find(row.root_id); delivery != deliveries_.end())
            delivery->second.cases.push_back(std::move(row));
        }
      });
}

void Loader::ask_for_merchants() {
  if (!needs_.api_keys.empty()) ask_for_rows(kApiKeys, Parameters(needs_.api_keys), &WorkingSet::api_keys);
  if (needs_.merchants.empty()) return;
  const Parameters merchants(needs_.merchants);
  ask_for_rows(kMerchants, merchants, &WorkingSet::merchants);
  ask(kEndpoints, merchants, [this](const Reply& reply, WorkingSet&) {
    for (WebhookEndpoint& row : rows_of<WebhookEndpoint>(reply)) endpoints_[row.merchant_id].push_back(std::move(row));
  });
  ask(kFees, merchants, [this](const Reply& reply, WorkingSet&) {
    for (Fee& row : rows_of<Fee>(reply)) fees_[row.merchant_id].push_back(std::move(row));
  });
}

void Loader::ask_for_answers() {
  if (needs_.answers.empty()) return;
  ask(kAnswers, Parameters(needs_.answers), [](const Reply& reply, WorkingSet& rows) {
    for (Answer& row : rows_of<Answer>(reply)) {
      const Hash16 hash = row.key_hash;
      load_once(rows.answers, hash, std::optional(std::move(row)));
    }
  });
}

// Without its lock the parts may be newer than the root: then the commit has to make sure that it is still the same,
// even where nothing was changed.
template <class AnId, class Aggregate>
void Loader::keep_aggregate(AnId id, Aggregate aggregate, SlotMap<AnId, Aggregate>& map) const {
  if (map.loaded(id)) return;
  if (form_ == Form::locking)
    map.load(id, std::move(aggregate));
  else
    map.recall(id, std::move(aggregate));
}

void Loader::keep_aggregates(WorkingSet& rows) {
  for (auto& [id, order] : orders_) keep_aggregate(OrderId{id}, std::move(order), rows.orders);
  for (auto& [id, delivery] : deliveries_) keep_aggregate(DeliveryId{id}, std::move(delivery), rows.deliveries);
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
  if (!orders_follow())
    for (const Hash16& hash : needs_.order_keys)  // one that was archived left its number
      if (const Key* key = rows.keys.find(hash)) load_once(rows.orders, OrderId{key->id}, std::nullopt);
  keep(rows.order_of_payment, needs_.payments);
  for (const PaymentId payment : needs_.payments)  // one that was archived while we waited for it
    if (const OrderId* order = rows.order_of_payment.find(payment)) load_once(rows.orders, *order, std::nullopt);
  keep(rows.deliveries, needs_.deliveries);
  keep(rows.accounts, needs_.accounts);
  keep(rows.transfers, needs_.transfers);
  keep(rows.holds, needs_.holds);
  keep(rows.merchants, needs_.merchants);
  keep(rows.api_keys, needs_.api_keys);
  keep(rows.answers, needs_.answers);
}

}  // namespace finality::postgres
