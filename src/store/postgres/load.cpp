#include "store/postgres/load.h"

#include <algorithm>
#include <utility>

#include "model/row_types.h"

namespace finality::postgres {
namespace {

// Condition on an id. It selects rows with ids $1 or natural keys $2. It uses an array instead of a join or OR, so that
// the plan uses the index.
constexpr std::string_view kNamed = "ANY($1::bigint[] || ARRAY(SELECT id FROM keys WHERE hash = ANY($2::bytea[])@sub))";

// Array of order ids: $1, the orders named by natural keys $2, and the orders of payments $3.
constexpr std::string_view kNamedOrders =
    "$1::bigint[] || ARRAY(SELECT id FROM keys WHERE hash = ANY($2::bytea[])@sub) "
    "|| ARRAY(SELECT order_id FROM payments WHERE id = ANY($3::bigint[])@sub)";

// Condition on an account id. It selects the accounts with ids $1 or natural keys $2, the accounts of transfers with
// ids $3 or natural keys $4, and the accounts of holds with ids $5 or natural keys $6.
constexpr std::string_view kNamedAccounts =
    "ANY($1::bigint[] || ARRAY(SELECT id FROM keys WHERE hash = ANY($2::bytea[])@sub) "
    "|| ARRAY(SELECT unnest(ARRAY[debit_account_id, credit_account_id]) FROM transfers "
    "WHERE id = ANY($3::bigint[] || ARRAY(SELECT id FROM keys WHERE hash = ANY($4::bytea[])@sub))@sub) "
    "|| ARRAY(SELECT unnest(ARRAY[account_id, credit_account_id]) FROM holds "
    "WHERE id = ANY($5::bigint[] || ARRAY(SELECT id FROM keys WHERE hash = ANY($6::bytea[])@sub))@sub))";

std::string owners_at(int parameter) { return fmt::format(" AND merchant_id = ANY(${}::bigint[])", parameter); }

/// Declares a statement that loads rows. `parameters` is the number of parameters in `where`. In the sharded form, the
/// next parameter is the list of merchants.
template <class Row>
Declared loading(std::string tables, std::string purpose, const std::string& where, int parameters) {
  return {.name = fmt::format("load.{}", RowTraits<Row>::table),
          .shards = Shards::merchants,
          .tables = std::move(tables),
          .purpose = std::move(purpose),
          .text = select_sql<Row>("WHERE " + where),
          .owners = owners_at(parameters + 1)};
}

/// Declares a statement that selects rows by the ids of merchants, which are parameter $1.
template <class Row>
Declared loading_by_merchant(std::string purpose, const std::string& where) {
  Declared declared = loading<Row>(std::string(RowTraits<Row>::table), std::move(purpose), where, 1);
  declared.owners.clear();
  return declared;
}

const SqlStatement kKeys{loading<Key>("keys", "Looks up the batch's natural keys", "hash = ANY($1::bytea[])@of", 1)};
const SqlStatement kOrdersOfPayments{{.name = "load.orders_of_payments",
                                      .shards = Shards::merchants,
                                      .tables = "payments",
                                      .purpose = "Finds the orders of the batch's payments",
                                      .text = "SELECT id, order_id FROM payments WHERE id = ANY($1::bigint[])@of",
                                      .owners = owners_at(2)}};
const SqlStatement kOrders{loading<Order>("keys orders payments", "Reads the batch's orders",
                                          fmt::format("id = ANY({})@of ORDER BY id@lock", kNamedOrders), 3)};
const SqlStatement kDeliveries{
    loading<Delivery>("deliveries", "Reads the batch's deliveries", "id = ANY($1::bigint[])@of ORDER BY id@lock", 1)};
const SqlStatement kUnknownReceipts{loading<UnknownReceipt>("unknown_receipts", "Reads the batch's unknown receipts",
                                                            "id = ANY($1::bigint[])@of ORDER BY id@lock", 1)};
const SqlStatement kStatements{
    loading<Statement>("statements", "Reads the batch's statements", "id = ANY($1::bigint[])@of ORDER BY id@lock", 1)};
const SqlStatement kDifferences{loading<Difference>("differences", "Reads the batch's differences",
                                                    "id = ANY($1::bigint[])@of ORDER BY id@lock", 1)};
const SqlStatement kMatches{loading<StatementMatch>("statement_matches",
                                                    "Reads the matches of documents with lines of statements",
                                                    "document_id = ANY($1::bigint[])@of", 1)};
const SqlStatement kFundsMatches{loading<FundsMatch>(
    "funds_matches", "Reads the matches of documents with lines about funds", "document_id = ANY($1::bigint[])@of", 1)};
const SqlStatement kTransfers{loading<Transfer>("keys transfers", "Reads the batch's transfers",
                                                fmt::format("id = {}@of ORDER BY id@lock", kNamed), 2)};
const SqlStatement kAccounts{loading<Account>("accounts holds keys transfers",
                                              "Reads the batch's accounts and those of its transfers and holds",
                                              fmt::format("id = {}@of ORDER BY id@lock", kNamedAccounts), 6)};
const SqlStatement kPrices{
    loading<Price>("keys prices", "Reads the batch's prices", fmt::format("id = {}@of", kNamed), 2)};
const SqlStatement kHolds{loading<Hold>("holds keys", "Reads the batch's holds", fmt::format("id = {}@of", kNamed), 2)};
const SqlStatement kAdjustments{loading<Adjustment>("adjustments", "Reads the batch's adjustments",
                                                    "id = ANY($1::bigint[])@of ORDER BY id@lock", 1)};
const SqlStatement kIdentityChecks{loading<IdentityCheck>("identity_checks", "Reads how far orders are checked",
                                                          "id = ANY($1::bigint[])@of ORDER BY id@lock", 1)};
const SqlStatement kMerchants{loading_by_merchant<Merchant>("Reads the batch's merchants", "id = ANY($1::bigint[])")};
/// Declares a statement for rows that are loaded as one list per merchant, such as webhook endpoints and fees.
template <class Row>
Declared loading_list(std::string purpose) {
  constexpr std::string_view kFilter = RowTraits<Row>::options.filter;
  return loading_by_merchant<Row>(std::move(purpose), fmt::format("merchant_id = ANY($1::bigint[]){}{} ORDER BY id",
                                                                  kFilter.empty() ? "" : " AND ", kFilter));
}
const SqlStatement kEndpoints{loading_list<WebhookEndpoint>("Reads the merchants' webhook endpoints")};
const SqlStatement kFees{loading_list<Fee>("Reads the merchants' fees")};
const SqlStatement kApiKeys{{.name = "load.api_keys",
                             .shards = Shards::reference,
                             .tables = "api_keys",
                             .purpose = "Reads the API keys that a batch revokes",
                             .text = select_sql<ApiKey>("WHERE id = ANY($1::bigint[])")}};
const SqlStatement kChannelAccounts{{.name = "load.channel_accounts",
                                     .shards = Shards::reference,
                                     .tables = "channel_accounts",
                                     .purpose = "Reads the channel accounts that a batch registers",
                                     .text = select_sql<ChannelAccount>("WHERE id = ANY($1::bigint[])")}};
const SqlStatement kChannelRates{{.name = "load.channel_rates",
                                  .shards = Shards::reference,
                                  .tables = "channel_rates",
                                  .purpose = "Reads the channel rates that a batch replaces",
                                  .text = select_sql<ChannelRate>("WHERE id = ANY($1::bigint[])")}};
const SqlStatement kIdempotencyRecords{loading<IdempotencyRecord>(
    "idempotency_keys idempotency_records", "Reads the idempotency records of the batch's keys",
    "id = ANY(ARRAY(SELECT record_id FROM idempotency_keys WHERE hash = ANY($1::bytea[])@sub))@of", 1)};

/// Whether rows of the type are read together with the orders: true for child types that most orders have.
template <class Row>
inline constexpr bool kIsReadWithOrders = kHasChildType<OrderAggregate, Row> && RowTraits<Row>::options.is_usual;

template <class Row>
Declared loading_children() {
  const std::string table(RowTraits<Row>::table);
  constexpr std::string_view kParent = RowTraits<Row>::options.parent;
  if (!kIsReadWithOrders<Row>)
    return loading<Row>(table, "Reads children of roots whose presence bits announce them",
                        fmt::format("{} = ANY($1::bigint[])@of ORDER BY id", kParent), 1);
  return loading<Row>(table == "payments" ? "keys payments" : "keys payments " + table,
                      "Reads children of the batch's orders",
                      fmt::format("{} = ANY({})@of ORDER BY id", kParent, kNamedOrders), 3);
}

template <class Row>
const SqlStatement kChildren{loading_children<Row>()};

template <class T>
using IsReadLater = boost::mp11::mp_bool<!kIsReadWithOrders<T>>;
/// Child types that are loaded in the second round trip, and only if a root's presence bit for the type is set.
using ReadLater =
    boost::mp11::mp_copy_if<boost::mp11::mp_unique<boost::mp11::mp_apply<
                                boost::mp11::mp_append, boost::mp11::mp_transform<ChildRows, Aggregates>>>,
                            IsReadLater>;

template <class Map, class Key, class Row>
void load_once(Map& map, const Key& key, Row row) {
  if (!map.loaded(key)) map.load(key, std::move(row));
}

}  // namespace

Loader::Loader(Connection& connection, const ReadSet& reads, Form form)
    : connection_(connection),
      reads_(reads),
      form_(form == Form::sharded && reads.owners.empty() ? Form::plain : form),
      order_keys_(hashes_of(reads, ObjectType::order)),
      account_keys_(hashes_of(reads, ObjectType::account)),
      transfer_keys_(hashes_of(reads, ObjectType::transfer)),
      hold_keys_(hashes_of(reads, ObjectType::hold)),
      price_keys_(hashes_of(reads, ObjectType::price)),
      rate_keys_(hashes_of(reads, ObjectType::channel_rate)),
      unknown_receipt_keys_(hashes_of(reads, ObjectType::unknown_receipt)),
      statement_keys_(hashes_of(reads, ObjectType::statement)),
      difference_keys_(hashes_of(reads, ObjectType::difference)) {
  constexpr ObjectType kFollowed[] = {
      ObjectType::order,     ObjectType::account,      ObjectType::transfer,        ObjectType::hold,
      ObjectType::price,     ObjectType::channel_rate, ObjectType::unknown_receipt, ObjectType::statement,
      ObjectType::difference};
  for (const KeyRead& read : reads.keys)
    FINALITY_CHECK(!read.follow || std::ranges::find(kFollowed, *read.follow) != std::end(kFollowed),
                   "no statement follows keys of this type");
}

void Loader::send(const SqlStatement& statement, Parameters parameters, PendingRead pending) {
  if (form_ == Form::sharded && statement.has(form_)) parameters.add(reads_.owners);
  connection_.send(statement, parameters, form_);
  pending_.push_back(std::move(pending));
}

template <class Row>
void Loader::request_rows(const SqlStatement& statement, Parameters parameters) {
  ask(statement, std::move(parameters), [this](const Reply& reply, WorkingSet& rows) {
    for (Row& row : reader_.read<Row>(reply)) {
      const auto id = row.id;
      load_once(map_of<Row>(rows), id, std::move(row));
    }
  });
}

void Loader::send() {
  request_keys();
  request_orders();
  request_deliveries();
  request_unknown_receipts();
  request_statements();
  request_accounts();
  request_transfers_and_holds();
  request_prices();
  if (!reads_.adjustments.empty()) request_rows<Adjustment>(kAdjustments, Parameters(reads_.adjustments));
  if (!reads_.identity_checks.empty()) request_rows<IdentityCheck>(kIdentityChecks, Parameters(reads_.identity_checks));
  if (any_order())
    for_each_row_type<ChildRows<OrderAggregate>>([this]<class Row>(std::type_identity<Row>) {
      if constexpr (kIsReadWithOrders<Row>)
        ask(kChildren<Row>, Parameters(reads_.orders, order_keys_, reads_.payments), sort_in<Row>());
    });
  request_platform();
  request_merchants();
  request_idempotency_records();
}

// Adds rows to `rows` only after both round trips. If the connection breaks between them, `rows` is unchanged and the
// load can be repeated.
std::expected<void, Failure> Loader::finish(std::size_t first, WorkingSet& rows) {
  const std::vector<PendingRead> pending = std::exchange(pending_, {});
  const Replies replies = finish_trip(pending, first);
  if (!replies) return std::unexpected(replies.error());
  for_each_row_type<ReadLater>([this]<class Row>(std::type_identity<Row>) { request_children<Row>(); });
  if (!pending_.empty())
    if (const Replies children = finish_trip(pending_, 0); !children) return std::unexpected(children.error());
  for (std::size_t i = 0; i < pending.size(); ++i)
    if (pending[i].take) pending[i].take((*replies)[first + i], rows);
  if (reader_.error()) return std::unexpected(Failure{.state = {}, .message = reader_.error()->message});
  for_each_aggregate_type([&]<class T>(std::type_identity<T>) { keep_aggregates<T>(rows); });
  keep_absences(rows);
  return {};
}

Replies Loader::finish_trip(const std::vector<PendingRead>& pending, std::size_t first) {
  Replies replies = connection_.finish();
  if (!replies) return replies;
  FINALITY_CHECK(replies->size() == first + pending.size(), "a statement has no reply");
  for (std::size_t i = 0; i < pending.size(); ++i)
    if (pending[i].keep) pending[i].keep((*replies)[first + i]);
  return replies;
}

ReadSet Loader::rest(const WorkingSet& rows) const {
  ReadSet rest;
  rest.owners = reads_.owners;
  if (orders_follow())
    for (const Hash16& hash : order_keys_)
      if (const Key* key = rows.keys.find(hash)) rest.orders.push_back(OrderId{key->id});
  for (const Hash16& hash : rate_keys_)
    if (const Key* key = rows.keys.find(hash)) rest.channel_rates.push_back(ChannelRateId{key->id});
  for (const Hash16& hash : unknown_receipt_keys_)
    if (const Key* key = rows.keys.find(hash)) rest.unknown_receipts.push_back(UnknownReceiptId{key->id});
  for (const Hash16& hash : statement_keys_)
    if (const Key* key = rows.keys.find(hash)) rest.statements.push_back(StatementId{key->id});
  for (const Hash16& hash : difference_keys_)
    if (const Key* key = rows.keys.find(hash)) rest.differences.push_back(DifferenceId{key->id});
  return rest;
}

bool Loader::is_empty(const ReadSet& rest) {
  return rest.orders.empty() && rest.channel_rates.empty() && rest.unknown_receipts.empty() &&
         rest.statements.empty() && rest.differences.empty();
}

// Requests all natural keys except those of transfers and holds, which request_transfers_and_holds() requests.
void Loader::request_keys() {
  std::vector<Hash16> hashes;
  for (const KeyRead& read : reads_.keys)
    if (read.follow != ObjectType::transfer && read.follow != ObjectType::hold) hashes.push_back(read.hash);
  if (hashes.empty()) return;
  ask(kKeys, Parameters(hashes), [this, hashes](const Reply& reply, WorkingSet& rows) {
    for (const Key& key : reader_.read<Key>(reply)) load_once(rows.keys, key.hash, std::optional(key));
    for (const Hash16& hash : hashes) load_once(rows.keys, hash, std::optional<Key>());
  });
}

void Loader::request_orders() {
  if (!reads_.payments.empty())
    ask(kOrdersOfPayments, Parameters(reads_.payments), [](const Reply& reply, WorkingSet& rows) {
      for (int i = 0; i < reply.rows(); ++i) {
        Cursor row = reply.row(i);
        const auto payment = row.read<PaymentId>();
        load_once(rows.order_of_payment, payment, std::optional(row.read<OrderId>()));
      }
    });
  if (!any_order()) return;
  ask(kOrders, Parameters(reads_.orders, order_keys_, reads_.payments), [this](const Reply& reply) {
    for (Order& row : reader_.read<Order>(reply)) found<OrderAggregate>()[row.id.value].order = std::move(row);
  });
}

void Loader::request_deliveries() {
  if (reads_.deliveries.empty()) return;
  ask(kDeliveries, Parameters(reads_.deliveries), [this](const Reply& reply) {
    for (Delivery& row : reader_.read<Delivery>(reply))
      found<DeliveryAggregate>()[row.id.value].delivery = std::move(row);
  });
}

void Loader::request_unknown_receipts() {
  if (reads_.unknown_receipts.empty()) return;
  ask(kUnknownReceipts, Parameters(reads_.unknown_receipts), [this](const Reply& reply) {
    for (UnknownReceipt& row : reader_.read<UnknownReceipt>(reply))
      found<UnknownReceiptAggregate>()[row.id.value].unknown_receipt = std::move(row);
  });
}

void Loader::request_statements() {
  if (!reads_.statements.empty())
    ask(kStatements, Parameters(reads_.statements), [this](const Reply& reply) {
      for (Statement& row : reader_.read<Statement>(reply))
        found<StatementAggregate>()[row.id.value].statement = std::move(row);
    });
  if (!reads_.differences.empty())
    ask(kDifferences, Parameters(reads_.differences), [this](const Reply& reply) {
      for (Difference& row : reader_.read<Difference>(reply))
        found<DifferenceAggregate>()[row.id.value].difference = std::move(row);
    });
  if (!reads_.statement_matches.empty())
    ask(kMatches, Parameters(reads_.statement_matches), [this](const Reply& reply, WorkingSet& rows) {
      for (StatementMatch& row : reader_.read<StatementMatch>(reply))
        load_once(rows.statement_matches, row.document_id, std::optional(row));
    });
  if (!reads_.funds_matches.empty())
    ask(kFundsMatches, Parameters(reads_.funds_matches), [this](const Reply& reply, WorkingSet& rows) {
      for (FundsMatch& row : reader_.read<FundsMatch>(reply))
        load_once(rows.funds_matches, row.document_id, std::optional(row));
    });
}

void Loader::request_accounts() {
  if (!any_transfer() && !any_hold() && reads_.accounts.empty() && account_keys_.empty()) return;
  request_rows<Account>(kAccounts, Parameters(reads_.accounts, account_keys_, reads_.transfers, transfer_keys_,
                                              reads_.holds, hold_keys_));
}

// Runs after request_accounts(), and requests the natural keys last. A batch that waited for the lock of an account
// must see the transfers and holds that the holder of the lock wrote. A transfer or hold whose accounts are not loaded
// was created meanwhile, and counts as absent.
void Loader::request_transfers_and_holds() {
  if (any_transfer())
    ask(kTransfers, Parameters(reads_.transfers, transfer_keys_), [this](const Reply& reply, WorkingSet& rows) {
      for (const Transfer& row : reader_.read<Transfer>(reply))
        if (!row.debit_account_id ||
            (rows.accounts.loaded(*row.debit_account_id) && rows.accounts.loaded(*row.credit_account_id)))
          load_once(rows.transfers, row.id, std::optional(row));
    });
  if (any_hold())
    ask(kHolds, Parameters(reads_.holds, hold_keys_), [this](const Reply& reply, WorkingSet& rows) {
      for (const Hold& row : reader_.read<Hold>(reply))
        if (rows.accounts.loaded(row.account_id) || rows.holds.loaded(row.id))
          load_once(rows.holds, row.id, std::optional(row));
    });
  std::vector<Hash16> numbers = transfer_keys_;
  numbers.insert(numbers.end(), hold_keys_.begin(), hold_keys_.end());
  if (numbers.empty()) return;
  ask(kKeys, Parameters(numbers), [this, numbers](const Reply& reply, WorkingSet& rows) {
    for (const Key& key : reader_.read<Key>(reply))
      if (rows.transfers.loaded(TransferId{key.id}) || rows.holds.loaded(HoldId{key.id}))
        load_once(rows.keys, key.hash, std::optional(key));
    for (const Hash16& hash : numbers) load_once(rows.keys, hash, std::optional<Key>());
  });
}

// Requests prices without locks, because most batches only read prices, and locks would make them wait for each other.
void Loader::request_prices() {
  if (!reads_.prices.empty() || !price_keys_.empty())
    request_rows<Price>(kPrices, Parameters(reads_.prices, price_keys_));
}

/// Returns a handler that adds the children in a reply to the aggregates of their roots.
template <class Row>
Loader::Keep Loader::sort_in() {
  return [this](const Reply& reply) {
    for (const Row& row : reader_.read<Row>(reply))
      for_each_aggregate_type([&]<class T>(std::type_identity<T>) {
        if constexpr (kHasChildType<T, Row>)
          if (const auto at = found<T>().find(root_id_of(row)); at != found<T>().end())
            children_in<Row>(at->second).push_back(row);
      });
  };
}

template <class Row>
void Loader::request_children() {
  std::vector<std::int64_t> roots;
  for_each_aggregate_type([&]<class T>(std::type_identity<T>) {
    if constexpr (kHasChildType<T, Row>)
      for (const auto& [id, aggregate] : found<T>())
        if (has_children<Row>(root_of(aggregate))) roots.push_back(id);
  });
  if (!roots.empty()) ask(kChildren<Row>, Parameters(roots), sort_in<Row>());
}

template <class Row>
void Loader::request_list(const SqlStatement& statement) {
  ask(statement, Parameters(reads_.merchants), [this](const Reply& reply, WorkingSet& rows) {
    std::unordered_map<MerchantId, std::vector<Row>> lists;
    for (Row& row : reader_.read<Row>(reply)) lists[row.merchant_id].push_back(std::move(row));
    for (const MerchantId id : reads_.merchants)
      load_once(map_of<std::vector<Row>>(rows), id, std::optional(lists[id]));
  });
}

// Requests API keys, channel accounts and channel rates, which belong to no merchant.
void Loader::request_platform() {
  if (!reads_.api_keys.empty()) request_rows<ApiKey>(kApiKeys, Parameters(reads_.api_keys));
  if (!reads_.channel_accounts.empty())
    request_rows<ChannelAccount>(kChannelAccounts, Parameters(reads_.channel_accounts));
  if (!reads_.channel_rates.empty()) request_rows<ChannelRate>(kChannelRates, Parameters(reads_.channel_rates));
}

void Loader::request_merchants() {
  if (reads_.merchants.empty()) return;
  request_rows<Merchant>(kMerchants, Parameters(reads_.merchants));
  request_list<WebhookEndpoint>(kEndpoints);
  request_list<Fee>(kFees);
}

void Loader::request_idempotency_records() {
  if (reads_.idempotency_records.empty()) return;
  ask(kIdempotencyRecords, Parameters(reads_.idempotency_records), [this](const Reply& reply, WorkingSet& rows) {
    for (IdempotencyRecord& row : reader_.read<IdempotencyRecord>(reply)) {
      const Hash16 hash = row.key_hash;
      load_once(rows.idempotency_records, hash, std::optional(std::move(row)));
    }
  });
}

// Adds the loaded aggregates to `rows`. Without a lock on the root, the loaded children may be newer than the root.
// Therefore recall() makes the commit compare the root's version even if the batch did not change the root.
template <Aggregate T>
void Loader::keep_aggregates(WorkingSet& rows) {
  auto& map = map_of<T>(rows);
  for (auto& [number, aggregate] : found<T>()) {
    const auto id = root_of(aggregate).id;
    if (map.loaded(id)) continue;
    if (form_ == Form::locking)
      map.load(id, std::move(aggregate));
    else
      map.recall(id, std::move(aggregate));
  }
}

// Records the ids for which no row was found as absent.
void Loader::keep_absences(WorkingSet& rows) const {
  for_each_ids(reads_, [&]<class AnId>(ObjectType, const std::vector<AnId>& ids) {
    for (const AnId id : ids) load_once(map_by<AnId>(rows), id, std::nullopt);
  });
  for (const Hash16& hash : reads_.idempotency_records) load_once(rows.idempotency_records, hash, std::nullopt);
  for (const std::int64_t document : reads_.statement_matches)
    load_once(rows.statement_matches, document, std::nullopt);
  for (const std::int64_t document : reads_.funds_matches) load_once(rows.funds_matches, document, std::nullopt);
  if (!orders_follow())
    for (const Hash16& hash : order_keys_)  // the key of an archived order stays in the store
      if (const Key* key = rows.keys.find(hash)) load_once(rows.orders, OrderId{key->id}, std::nullopt);
  for (const PaymentId payment : reads_.payments)  // the order was archived during this load
    if (const OrderId* order = rows.order_of_payment.find(payment)) load_once(rows.orders, *order, std::nullopt);
}

}  // namespace finality::postgres
