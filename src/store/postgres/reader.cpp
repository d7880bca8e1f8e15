#include "store/postgres/reader.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/id.h"
#include "model/natural_key.h"
#include "store/postgres/distribute.h"
#include "store/postgres/load.h"
#include "store/postgres/read_guard.h"
#include "store/postgres/rows.h"
#include "store/sql/channel_account_sql.h"
#include "store/sql/due.h"
#include "store/sql/entry_chain.h"
#include "store/sql/identity_sql.h"
#include "store/sql/order_of_sql.h"
#include "store/sql/packed_events.h"
#include "store/sql/paging.h"

namespace finality::postgres {
namespace {

using store::Window;

// An aggregate is read with several statements. They run in one transaction, so that they share a snapshot.
const SqlStatement kBeginSnapshot{{.name = "read.begin",
                                   .purpose = "Begins the snapshot in which an aggregate is read",
                                   .text = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"}};
const SqlStatement kEndSnapshot{{.name = "read.end", .purpose = "Ends the snapshot", .text = "COMMIT"}};

// Look-ups by id or key do not need the merchant. Their sharded form names merchants in the last parameter, a list, so
// that only the shards of these merchants are asked; their plain form is sent to all shards.
std::string owners_at(int parameter, std::string_view table = "") {
  return fmt::format(" AND {}merchant_id = ANY(${}::bigint[])", table, parameter);
}

/// `owners`: the condition on the merchants, for a `where` with @of.
template <class Row>
Declared reading(std::string_view what, Shards shards, std::string purpose, std::string_view where,
                 std::string owners = {}) {
  return {.name = fmt::format("read.{}{}", RowTraits<Row>::table, what),
          .shards = shards,
          .tables = std::string(RowTraits<Row>::table),
          .purpose = std::move(purpose),
          .text = select_sql<Row>(where),
          .owners = std::move(owners)};
}

template <class Row>
inline constexpr bool kHasMerchant = RowTraits<Row>::options.owner == Owner::merchant;

/// Reads one row by id. The table of merchants is distributed by id.
template <class Row>
const SqlStatement kById{reading<Row>(
    "", RowTraits<Row>::options.owner == Owner::none ? Shards::reference : Shards::merchants, "Reads one row by id",
    kHasMerchant<Row> ? "WHERE id = $1@of" : "WHERE id = $1", kHasMerchant<Row> ? owners_at(2) : std::string())};

/// The two statements of a paged list, one per direction: by descending and by ascending id. The last three parameters
/// are the bounds of a Window and the limit; the sharded form of a `where` with @of has the merchants after them.
template <class Row>
struct Paged {
  Paged(std::string_view what, Shards shards, const std::string& purpose, std::string_view where, int parameters)
      : down(declared(what, shards, purpose, where, parameters, "")),
        up(declared(what, shards, purpose, where, parameters, "_up")) {}

  const SqlStatement& in(const Window& window) const { return window.upwards ? up : down; }

  SqlStatement down;
  SqlStatement up;

 private:
  static Declared declared(std::string_view what, Shards shards, const std::string& purpose, std::string_view where,
                           int parameters, std::string_view up) {
    return reading<Row>(fmt::format("{}{}", what, up), shards, purpose + (up.empty() ? "" : ", in ascending order"),
                        fmt::format("WHERE {} AND id > ${} AND id < ${} ORDER BY id{} LIMIT ${}", where, parameters + 1,
                                    parameters + 2, up.empty() ? " DESC" : "", parameters + 3),
                        where.contains("@of") ? owners_at(parameters + 4) : std::string());
  }
};

// An unset filter is passed as NULL or as an unbounded time, so that a list needs no statement per combination.
const SqlStatement kApiKeyByHash{
    reading<ApiKey>("_by_hash", Shards::reference, "Finds the API key of a request", "WHERE hash = $1")};
const SqlStatement kChannelAccounts{reading<ChannelAccount>(
    "_all", Shards::reference, "Lists all channel accounts, at startup and for the API", "ORDER BY id DESC")};
const SqlStatement kChannelRates{
    reading<ChannelRate>("_all", Shards::reference, "Lists all channel rates", "ORDER BY id DESC")};
const SqlStatement kOrderByNumber{{.name = "read.orders_by_number",
                                   .shards = Shards::merchants,
                                   .tables = "keys orders",
                                   .purpose = "Reads an order by its merchant_order_no",
                                   .text = select_sql<Order>("WHERE merchant_id = $2 AND id = (SELECT id FROM keys "
                                                             "WHERE hash = $1 AND merchant_id = $2)")}};
const Paged<Order> kOrders("_of_merchant", Shards::merchants, "Lists a merchant's orders",
                           "merchant_id = $1 AND ($2::text IS NULL OR state = $2) AND created_at >= $3 "
                           "AND created_at < $4",
                           4);
const Paged<Change> kChanges("_of_root", Shards::merchants,
                             "Lists the changes of an order, delivery, account or other root", "root_id = $1@of", 1);
const Paged<Account> kAccounts("_of_merchant", Shards::merchants, "Lists a merchant's accounts",
                               "kind = 'user' AND merchant_id = $1", 1);
const SqlStatement kLedgerAccounts{reading<Account>("_of_books", Shards::merchants,
                                                    "Lists a merchant's ledger accounts",
                                                    "WHERE merchant_id = $1 AND kind <> 'user' ORDER BY id")};
const SqlStatement kIndexedEntry{{.name = "read.entries_indexed",
                                  .shards = Shards::merchants,
                                  .tables = "entries",
                                  .purpose = "Finds the entry where a page of an account statement begins",
                                  .text = std::string(store::kIndexedEntrySql)}};
const SqlStatement kEntryAhead{{.name = "read.entries_ahead",
                                .shards = Shards::merchants,
                                .tables = "entries",
                                .purpose = "Finds entries whose ids are ahead of their time",
                                .text = store::entry_ahead_sql()}};
const SqlStatement kEntryChain{{.name = "read.entries_of_account",
                                .shards = Shards::merchants,
                                .tables = "entries",
                                .purpose = "Reads an account statement, from each entry to the one before it",
                                .text = store::entry_chain_sql()}};
const Paged<Hold> kHolds("_of_account", Shards::merchants, "Lists an account's holds",
                         "account_id = $1 AND ($2::text IS NULL OR state = $2)@of", 2);
const Paged<Price> kPrices("_of_merchant", Shards::merchants, "Lists a merchant's prices", "merchant_id = $1", 1);
const Paged<Adjustment> kAdjustments("_of_merchant", Shards::merchants, "Lists a merchant's adjustments",
                                     "merchant_id = $1 AND ($2::text IS NULL OR state = $2)", 2);
const Paged<Case> kCases("_of_merchant", Shards::merchants, "Lists a merchant's cases",
                         "merchant_id = $1 AND ($2::text IS NULL OR state = $2)", 2);
const Paged<Delivery> kDeliveries("_of_merchant", Shards::merchants, "Lists a merchant's deliveries",
                                  "merchant_id = $1 AND ($2::bigint IS NULL OR order_id = $2)", 2);
const Paged<UnknownReceipt> kUnknownReceipts("_of_platform", Shards::merchants, "Lists unknown receipts",
                                             "merchant_id = $1 AND ($2::text IS NULL OR state = $2)", 2);
const Paged<Statement> kStatements("_of_platform", Shards::merchants, "Lists statements",
                                   "merchant_id = $1 AND ($2::bigint IS NULL OR channel_account_id = $2) "
                                   "AND ($3::text IS NULL OR kind = $3) AND ($4::text IS NULL OR date >= $4) "
                                   "AND ($5::text IS NULL OR date <= $5) AND ($6::text IS NULL OR state = $6)",
                                   6);
const SqlStatement kNewestStatement{
    reading<Statement>("_newest", Shards::merchants, "Reads the newest version of the statement of a day",
                       "WHERE merchant_id = $1 AND channel_account_id = $2 AND kind = $3 AND funds_account = $4 "
                       "AND date = $5 AND source = $6 ORDER BY file_version DESC LIMIT 1")};
const SqlStatement kDueStatements{reading<Statement>("_due", Shards::merchants, "Finds due statements",
                                                     "WHERE merchant_id = $1 AND (due_at, id) > ($2, $3) AND due_at <= "
                                                     "$4 ORDER BY due_at, id LIMIT $5")};
const SqlStatement kStatement{
    reading<Statement>("_by_id", Shards::merchants, "Reads a statement", "WHERE merchant_id = $1 AND id = $2")};
const SqlStatement kStatementTotals{
    reading<StatementTotal>("_of_statement", Shards::merchants, "Reads the totals of a statement",
                            "WHERE merchant_id = $1 AND statement_id = $2 ORDER BY id")};
const SqlStatement kStatementMovements{
    reading<StatementMovement>("_of_statement", Shards::merchants, "Reads the movements of a statement",
                               "WHERE merchant_id = $1 AND statement_id = $2 ORDER BY id")};
const SqlStatement kStatementPart{
    reading<StatementPart>("", Shards::merchants, "Reads a part of a statement's file",
                           "WHERE merchant_id = $1 AND statement_id = $2 AND part_no = $3")};
const SqlStatement kMatchOfLine{reading<StatementMatch>(
    "_of_line", Shards::merchants, "Finds the match of a line of a statement", "WHERE merchant_id = $1 AND line = $2")};
const Paged<Difference> kDifferences("_all", Shards::every, "Lists differences between statements and the books",
                                     "($1::bigint IS NULL OR merchant_id = $1) "
                                     "AND ($2::bigint IS NULL OR channel_account_id = $2) "
                                     "AND ($3::text IS NULL OR date >= $3) AND ($4::text IS NULL OR date <= $4) "
                                     "AND ($5::text IS NULL OR difference_class = $5) "
                                     "AND ($6::text IS NULL OR state = $6) "
                                     "AND ($7::bigint IS NULL OR changes_balance = $7) "
                                     "AND ($8::text IS NULL OR kind = $8)",
                                     8);
const SqlStatement kCasesOfDifference{
    reading<Case>("_of_difference", Shards::merchants, "Reads the cases of a difference",
                  "WHERE root_id = $1 AND object_type = 'difference'@of ORDER BY id", owners_at(2))};
Declared unmatched_entries_of(StatementKind kind) {
  return {
      .name = fmt::format("read.entries_unmatched.{}", name_of(kind)),
      .shards = Shards::every,
      .tables = kind == StatementKind::trades ? "accounts entries statement_matches" : "accounts entries funds_matches",
      .purpose = "Finds entries of a channel account that no line of a statement matches",
      .text = store::unmatched_entries_sql(kind, {.after = "$1", .until = "$2", .account = "$3", .limit = "$4"})};
}
const SqlStatement kUnmatchedTrades{unmatched_entries_of(StatementKind::trades)};
const SqlStatement kUnmatchedFunds{unmatched_entries_of(StatementKind::funds)};
const SqlStatement kFundsMatchesOf{
    reading<FundsMatch>("_of_statement", Shards::every, "Lists the matches of a funds or bank statement",
                        "WHERE statement_id = $1 ORDER BY line_no, document_id LIMIT $2")};
const SqlStatement kAccountsOfChannelAccount{reading<Account>("_of_channel_account", Shards::every,
                                                              "Lists the ledger accounts of a channel account",
                                                              "WHERE channel_account_id = $1 ORDER BY id")};
const SqlStatement kRootOfPosting{{.name = "read.root_of_posting",
                                   .shards = Shards::merchants,
                                   .tables = "entries",
                                   .purpose = "Finds the order of a refund by its posting, also if it is archived",
                                   .text = store::root_of_posting_sql("$1", "$2", "$3", "$4")}};
const SqlStatement kEntrySums{
    {.name = "read.entry_sums",
     .shards = Shards::every,
     .tables = "accounts entries",
     .purpose = "Counts and sums the entries of a channel account by type and currency",
     .text = store::entry_sums_sql({.id_from = "$1", .id_to = "$2", .from = "$3", .to = "$4", .account = "$5"})}};
const SqlStatement kChangedOrders{{.name = "read.changed_orders",
                                   .shards = Shards::every,
                                   .tables = "changes",
                                   .purpose = "Finds changed orders, which are checked against the money identities",
                                   .text = store::changed_orders_sql("$1", "$2", "$3")}};
const SqlStatement kOrderEntries{{.name = "read.entries_of_order",
                                  .shards = Shards::merchants,
                                  .tables = "changes entries",
                                  .purpose = "Reads the postings of an order",
                                  .text = store::order_entries_sql("$1", "$2")}};
const SqlStatement kDisagreeingOrders{{.name = "read.cases_of_identities",
                                       .shards = Shards::every,
                                       .tables = "cases",
                                       .purpose = "Finds orders with an unresolved case `identity`",
                                       .text = store::disagreeing_orders_sql("$1")}};
const SqlStatement kFees{
    reading<Fee>("_of_merchant", Shards::merchants, "Lists a merchant's fees", "WHERE merchant_id = $1 ORDER BY id")};
const SqlStatement kEndpoints{reading<WebhookEndpoint>("_of_merchant", Shards::merchants,
                                                       "Lists a merchant's webhook endpoints",
                                                       "WHERE merchant_id = $1 AND state <> 'deleted' ORDER BY id")};
const SqlStatement kJournal{reading<Entry>(
    "_of_journal", Shards::merchants, "Reads the entries of a posting",
    "WHERE (id BETWEEN $1 AND $2 OR id BETWEEN $3 AND $4) AND journal_id = $1@of ORDER BY id", owners_at(5))};

/// Reads children by order ids and merchant ids. The orders were read before, so that their merchants are known.
template <class Row>
const SqlStatement kChildrenOf{
    reading<Row>("_of_orders", Shards::merchants, "Reads children of the orders just read",
                 fmt::format("WHERE {} = ANY($1::bigint[]) AND merchant_id = ANY($2::bigint[]) ORDER BY id",
                             RowTraits<Row>::options.parent))};

/// Declares the statements for order_of() and returns them by the type of the object.
std::map<ObjectType, SqlStatement> statements_for_order_of() {
  std::map<ObjectType, SqlStatement> made;
  store::for_each_order_of_sql("$1", [&](ObjectType type, const std::string& tables, const std::string& sql) {
    made.try_emplace(type,
                     Declared{.name = "read.order_of." + tables.substr(0, tables.find(' ')),
                              .shards = Shards::merchants,
                              .tables = tables,
                              .purpose = "Finds the order of an object",
                              .text = sql + "@of",
                              .owners = tables.contains(' ') ? owners_at(2, "c.") + owners_at(2, "o.") : owners_at(2)});
  });
  return made;
}
const std::map<ObjectType, SqlStatement> kOrderOf = statements_for_order_of();

const SqlStatement kMerchantOfOrder{{.name = "read.merchant_of_order",
                                     .shards = Shards::merchants,
                                     .tables = "orders",
                                     .purpose = "Finds the merchant of an order, for links of payers",
                                     .text = "SELECT merchant_id FROM orders WHERE id = $1@of",
                                     .owners = owners_at(2)}};

template <class Row>
const SqlStatement kDueIn{{.name = fmt::format("read.due.{}", RowTraits<Row>::table),
                           .shards = Shards::every,
                           .tables = std::string(RowTraits<Row>::table),
                           .purpose = "Finds due rows of all merchants",
                           .text = store::due_columns<Row>() +
                                   " WHERE (due_at, id) > ($1, $2) AND due_at <= $3@of ORDER BY due_at, id LIMIT $4",
                           .owners = owners_at(5)}};

const SqlStatement kNamedBy{{.name = "read.keys_by_hash",
                             .shards = Shards::merchants,
                             .tables = "keys",
                             .purpose = "Looks up a natural key",
                             .text = "SELECT id FROM keys WHERE hash = $1@of",
                             .owners = owners_at(2)}};
// The merchants, for reads that must do without a failed worker.
const SqlStatement kMerchants{{.name = "read.merchants_all",
                               .shards = Shards::every,
                               .tables = "merchants",
                               .purpose = "Lists all merchants, every 30 s",
                               .text = "SELECT id FROM merchants"}};
const SqlStatement kMerchantsWithKeys{{.name = "read.merchants_with_keys",
                                       .shards = Shards::reference,
                                       .tables = "api_keys",
                                       .purpose = "Lists the merchants with API keys, while a shard has failed",
                                       .text = "SELECT DISTINCT merchant_id FROM api_keys WHERE merchant_id IS NOT "
                                               "NULL"}};
const SqlStatement kPing{{.name = "read.ping",
                          .shards = Shards::reference,
                          .tables = "expired",
                          .purpose = "Checks that the store responds, also while a shard has failed",
                          .text = "SELECT 1 FROM expired LIMIT 1"}};

constexpr std::string_view kRefused = "cannot read the store: the shard failed a moment ago";

class PostgresReader final : public Reader {
 public:
  PostgresReader(ConnectionOptions options, std::unique_ptr<Connection> connection,
                 std::shared_ptr<KnownMerchants> merchants)
      : options_(std::move(options)), connection_(std::move(connection)), merchants_(std::move(merchants)) {
    if (options_.distributed) guard_.emplace(options_.timing.part_refused_for);
  }

  std::optional<MerchantId> look_in(std::optional<MerchantId> merchant) override {
    return std::exchange(scope_, merchant);
  }

  Result<std::optional<OrderAggregate>> order(OrderId id) override;
  Result<std::optional<ArchivedOrder>> archived_order(OrderId id) override { return by_id<ArchivedOrder>(id); }
  Result<std::optional<OrderId>> order_of(ObjectRef child) override;
  Result<std::optional<MerchantId>> merchant_of(OrderId id) override;
  Result<std::optional<Merchant>> merchant(MerchantId id) override {
    return only(select<Merchant>(kById<Merchant>, Parameters(id), id));
  }
  Result<std::optional<ApiKey>> api_key(const Hash16& hash) override {
    return only(select<ApiKey>(kApiKeyByHash, Parameters(hash)));
  }
  Result<std::optional<ChannelAccount>> channel_account(ChannelAccountId id) override {
    return by_id<ChannelAccount>(id);
  }
  Result<std::vector<ChannelAccount>> channel_accounts() override {
    return select<ChannelAccount>(kChannelAccounts, {});
  }
  Result<std::optional<ChannelRate>> channel_rate(ChannelRateId id) override { return by_id<ChannelRate>(id); }
  Result<std::vector<ChannelRate>> channel_rates() override { return select<ChannelRate>(kChannelRates, {}); }
  Result<std::optional<Delivery>> delivery(DeliveryId id) override { return by_id<Delivery>(id); }
  Result<std::optional<UnknownReceipt>> unknown_receipt(UnknownReceiptId id) override {
    return by_id<UnknownReceipt>(id);
  }
  Result<Listed<UnknownReceipt>> unknown_receipts(std::optional<UnknownReceiptState> state, const Page& page) override {
    return page_of(kUnknownReceipts, Parameters(kPlatform, state), Window(page, false), page, kPlatform);
  }
  Result<std::optional<StatementAggregate>> statement(StatementId id) override;
  Result<Listed<Statement>> statements(const StatementFilter& filter, const Page& page) override {
    return page_of(kStatements,
                   Parameters(kPlatform, filter.channel_account_id, filter.kind, filter.from, filter.to, filter.state),
                   Window(page, false), page, kPlatform);
  }
  Result<std::optional<Statement>> newest_statement(ChannelAccountId account, StatementKind kind,
                                                    const std::string& funds_account, const std::string& date,
                                                    StatementSource source) override {
    return only(select<Statement>(kNewestStatement, Parameters(kPlatform, account, kind, funds_account, date, source),
                                  kPlatform));
  }
  Result<std::vector<Statement>> due_statements(Time now, std::size_t limit, const DuePlace& behind) override {
    return select<Statement>(kDueStatements,
                             Parameters(kPlatform, behind.due_at, behind.id, now, static_cast<std::int64_t>(limit)),
                             kPlatform);
  }
  Result<std::optional<StatementPart>> statement_part(StatementId id, std::int64_t part_no) override {
    return only(select<StatementPart>(kStatementPart, Parameters(kPlatform, id, part_no), kPlatform));
  }
  Result<std::optional<StatementMatch>> match_of_line(MerchantId merchant, const Hash16& line) override {
    return only(select<StatementMatch>(kMatchOfLine, Parameters(merchant, line), merchant));
  }
  Result<std::optional<DifferenceAggregate>> difference(DifferenceId id) override;
  Result<Listed<Difference>> differences(const DifferenceFilter& filter, const Page& page) override {
    return page_of(kDifferences,
                   Parameters(filter.merchant_id, filter.channel_account_id, filter.from, filter.to,
                              filter.difference_class, filter.state, filter.changes_balance, filter.kind),
                   Window(page, false), page);
  }
  Result<std::vector<Entry>> unmatched_entries(ChannelAccountId account, StatementKind kind, const EntrySpan& span,
                                               std::size_t limit) override {
    return select<Entry>(kind == StatementKind::trades ? kUnmatchedTrades : kUnmatchedFunds,
                         Parameters(span.after, span.until, account, static_cast<std::int64_t>(limit)));
  }
  Result<std::vector<FundsMatch>> funds_matches(StatementId id, std::size_t limit) override {
    return select<FundsMatch>(kFundsMatchesOf, Parameters(id, static_cast<std::int64_t>(limit)));
  }
  Result<std::vector<Account>> accounts_of_channel_account(ChannelAccountId id) override {
    return select<Account>(kAccountsOfChannelAccount, Parameters(id));
  }
  Result<std::int64_t> root_of_posting(MerchantId merchant, ObjectRef document) override;
  Result<std::vector<EntrySum>> entry_sums(ChannelAccountId id, Time from, Time to) override;
  Result<std::vector<ChangedOrder>> changed_orders(EventId after, EventId before, std::size_t limit) override;
  Result<std::vector<Entry>> order_entries(const Order& order) override {
    return select<Entry>(kOrderEntries, Parameters(order.id, order.merchant_id), order.merchant_id);
  }
  Result<std::vector<OrderId>> disagreeing_orders(std::size_t limit) override;
  Result<void> load(const ReadSet& reads, WorkingSet& rows) override;
  Result<Listed<OrderAggregate>> orders(MerchantId merchant, const OrderFilter& filter, const Page& page) override;
  Result<Listed<Event>> events(std::int64_t root_id, std::optional<ObjectRef> object, const Page& page,
                               bool oldest_first) override;
  Result<std::vector<Entry>> journal(EntryId first) override;
  Result<std::optional<Account>> account(AccountId id) override { return by_id<Account>(id); }
  Result<Listed<Account>> accounts(MerchantId merchant, const Page& page) override;
  Result<std::vector<Account>> ledger_accounts(MerchantId merchant) override {
    return select<Account>(kLedgerAccounts, Parameters(merchant), merchant);
  }
  Result<Listed<Entry>> entries(const Account& account, const EntryFilter& filter, const Page& page) override;
  Result<std::optional<Transfer>> transfer(TransferId id) override { return by_id<Transfer>(id); }
  Result<std::optional<Hold>> hold(HoldId id) override { return by_id<Hold>(id); }
  Result<Listed<Hold>> holds(AccountId account, std::optional<HoldState> state, const Page& page) override;
  Result<std::int64_t> named(const Hash16& key) override;
  Result<std::optional<Price>> price(PriceId id) override { return by_id<Price>(id); }
  Result<Listed<Price>> prices(MerchantId merchant, const Page& page) override;
  Result<std::optional<Adjustment>> adjustment(AdjustmentId id) override { return by_id<Adjustment>(id); }
  Result<Listed<Adjustment>> adjustments(MerchantId merchant, std::optional<AdjustmentState> state,
                                         const Page& page) override;
  Result<std::vector<Fee>> fees(MerchantId merchant) override {
    return select<Fee>(kFees, Parameters(merchant), merchant);
  }
  Result<std::vector<WebhookEndpoint>> webhook_endpoints(MerchantId merchant) override {
    return select<WebhookEndpoint>(kEndpoints, Parameters(merchant), merchant);
  }
  Result<std::optional<Case>> find_case(CaseId id) override { return by_id<Case>(id); }
  Result<Listed<Case>> cases(MerchantId merchant, std::optional<CaseState> state, const Page& page) override;
  Result<Listed<Delivery>> deliveries(MerchantId merchant, std::optional<OrderId> order, const Page& page) override;
  Result<std::vector<DueRow>> due(Time now, std::size_t limit, const DueBehind& behind) override;
  Result<void> ping() override;

 private:
  /// A statement with the shards that it reads.
  struct Read {
    const SqlStatement& statement;
    Parameters parameters;
    Form form = Form::plain;
    std::optional<ReadTarget> target = {};  // empty for no shard or if every machine has the rows

    void send(Connection& connection) const { connection.send(statement, parameters, form); }
  };
  /// The merchants of a worker.
  using Parts = std::map<StorePart, std::vector<MerchantId>>;

  Result<void> connect();
  /// Makes one round trip. Reconnects and retries once if the connection broke, because reads can be repeated.
  /// Refuses a target that has failed recently.
  Result<std::vector<Reply>> ask(const std::optional<ReadTarget>& target, const std::function<void(Connection&)>& send);
  /// Executes one statement. `owner`: the merchant that the parameters name; without it, a look-up reads the shard of
  /// the merchant of look_in(), or all shards. If one of all shards has failed, asks the workers that work.
  Result<std::vector<Reply>> ask(const SqlStatement& statement, const Parameters& parameters,
                                 std::optional<MerchantId> owner = {});
  Read read_of(const SqlStatement& statement, Parameters parameters, std::optional<MerchantId> owner) const;
  static ReadTarget all_shards(const SqlStatement& statement) { return {.merchant = {}, .statement = &statement}; }
  bool has_failed(const std::optional<ReadTarget>& target) const {
    return guard_ && target && guard_->admit(*target) == ReadGuard::Access::refused;
  }
  Result<std::vector<Reply>> look_up_by_parts(const SqlStatement& statement, const Parameters& parameters,
                                              const Error& why);
  Result<Parts> parts();
  Result<std::vector<MerchantId>> merchants_of(const SqlStatement& statement);
  void remember_merchants();
  /// Makes one attempt of a round trip. `limit`: the time limit of each statement.
  Replies attempt(const std::function<void(Connection&)>& send, Duration limit);
  template <class Row>
  Result<std::vector<Row>> select(const SqlStatement& statement, const Parameters& parameters,
                                  std::optional<MerchantId> owner = {});
  template <class Row>
  static Result<std::optional<Row>> only(Result<std::vector<Row>> rows);
  template <class Row, class AnId>
  Result<std::optional<Row>> by_id(AnId id) {
    return only(select<Row>(kById<Row>, Parameters(id)));
  }
  /// Reads one page of a list, sorted by id. `parameters` are those that precede the bounds and the limit.
  template <class Row>
  Result<Listed<Row>> page_of(const Paged<Row>& list, Parameters parameters, const Window& window, const Page& page,
                              std::optional<MerchantId> owner = {});
  /// Reads at most `limit` rows in the window, in its order.
  template <class Row>
  Result<std::vector<Row>> rows_in(const Paged<Row>& list, Parameters parameters, const Window& window,
                                   std::size_t limit, std::optional<MerchantId> owner = {});
  /// Reads orders with all their children. The statement `orders` selects the rows of the orders.
  Result<std::vector<OrderAggregate>> aggregates(const SqlStatement& orders, const Parameters& parameters,
                                                 std::optional<MerchantId> owner = {});
  Result<Listed<OrderAggregate>> order_by_number(MerchantId merchant, const OrderFilter& filter, const Page& page);

  Result<std::vector<DueRow>> read_due(const std::optional<ReadTarget>& target, Time now, std::size_t limit,
                                       const DueBehind& behind, const std::vector<MerchantId>& merchants);
  Result<std::vector<DueRow>> due_by_parts(Time now, std::size_t limit, const DueBehind& behind);

  ConnectionOptions options_;
  std::unique_ptr<Connection> connection_;  // null while it is broken
  std::shared_ptr<KnownMerchants> merchants_;
  std::optional<MerchantId> scope_;             // of look_in()
  Duration limit_ = options_.timing.statement;  // of the statements of connection_
  std::optional<ReadGuard> guard_;              // empty unless the store is distributed
};

Replies PostgresReader::attempt(const std::function<void(Connection&)>& send, Duration limit) {
  connection_->set_reply_timeout(
      std::min(options_.timing.silence, limit == options_.timing.statement ? options_.timing.silence : 2 * limit));
  if (limit != limit_) {
    // A separate round trip: a statement in the same one would precede the BEGIN of a snapshot.
    if (auto set = connection_->set_time_limit(limit); !set) return std::unexpected(std::move(set.error()));
    limit_ = limit;
  }
  send(*connection_);
  return connection_->finish();
}

Result<void> PostgresReader::connect() {
  if (connection_) return {};
  auto connection = Connection::open(options_, Use::look_up);
  if (!connection) return std::unexpected(connection.error());
  connection_ = std::move(*connection);
  limit_ = options_.timing.statement;
  return {};
}

Result<std::vector<Reply>> PostgresReader::ask(const std::optional<ReadTarget>& target,
                                               const std::function<void(Connection&)>& send) {
  using Access = ReadGuard::Access;
  const bool is_guarded = guard_ && target;
  const Access access = is_guarded ? guard_->admit(*target) : Access::open;
  if (access == Access::refused) return fail(std::string(kRefused));
  // A single worker is read because another read has failed: this one can be the worker that has failed.
  const bool is_brief = access == Access::probe || (is_guarded && target->part);
  for (bool again = connection_ != nullptr;; again = false) {
    if (auto there = connect(); !there) return std::unexpected(there.error());
    Replies replies = attempt(send, is_brief ? options_.timing.part_probe : options_.timing.statement);
    if (replies) {
      if (access == Access::probe) guard_->record_success(*target);
      return std::move(*replies);
    }
    const Failure failure = std::move(replies.error());
    connection_.reset();  // the connection may have an open transaction
    const bool has_shard_failed = is_guarded && is_shard_failure(failure);
    if (has_shard_failed) guard_->record_failure(*target);
    if (has_shard_failed || !failure.broken || !again)
      return fail(fmt::format("cannot read the store: {}", failure.message));
  }
}

PostgresReader::Read PostgresReader::read_of(const SqlStatement& statement, Parameters parameters,
                                             std::optional<MerchantId> owner) const {
  const bool is_look_up = options_.distributed && statement.has(Form::sharded);
  if (owner) return {.statement = statement, .parameters = std::move(parameters), .target = ReadTarget{*owner}};
  if (is_look_up && scope_)
    return {.statement = statement,
            .parameters = std::move(parameters.add(std::vector{*scope_})),
            .form = Form::sharded,
            .target = ReadTarget{*scope_}};
  const bool is_of_all = is_look_up || statement.shards() == Shards::every;
  return {.statement = statement,
          .parameters = std::move(parameters),
          .target = is_of_all ? std::optional(all_shards(statement)) : std::nullopt};
}

Result<std::vector<Reply>> PostgresReader::ask(const SqlStatement& statement, const Parameters& parameters,
                                               std::optional<MerchantId> owner) {
  const Read read = read_of(statement, parameters, owner);
  auto replies = ask(read.target, [&](Connection& connection) { read.send(connection); });
  const bool is_of_all = read.target && read.target->statement != nullptr;
  if (replies || !is_of_all || !statement.has(Form::sharded) || !has_failed(read.target)) return replies;
  return look_up_by_parts(statement, parameters, replies.error());
}

// Asks one worker after the other, until one has rows: the rows of a look-up belong to one merchant. Without rows, the
// worker that failed may have them, so that the result is the error `why`.
Result<std::vector<Reply>> PostgresReader::look_up_by_parts(const SqlStatement& statement, const Parameters& parameters,
                                                            const Error& why) {
  const auto all = parts();
  if (!all) return std::unexpected(all.error());
  for (const auto& [part, merchants] : *all) {
    const Read read{.statement = statement,
                    .parameters = Parameters(parameters).add(merchants),
                    .form = Form::sharded,
                    .target = ReadTarget{.merchant = {}, .statement = &statement, .part = part}};
    auto replies = ask(read.target, [&](Connection& connection) { read.send(connection); });
    if (replies && replies->front().rows() > 0) return replies;
  }
  return std::unexpected(why);
}

// The known merchants, by worker. Uses reference tables and metadata only.
Result<PostgresReader::Parts> PostgresReader::parts() {
  const auto with_keys = merchants_of(kMerchantsWithKeys);
  if (!with_keys) return std::unexpected(with_keys.error());
  merchants_->add({kPlatform});
  const auto all = merchants_->add(*with_keys);
  const std::vector<MerchantId>& merchants = *all;
  if (auto there = connect(); !there) return std::unexpected(there.error());
  const auto workers = workers_of(*connection_, merchants);
  if (!workers) {
    connection_.reset();
    return fail(fmt::format("cannot find the shards of merchants: {}", workers.error().message));
  }
  Parts parts;
  for (std::size_t i = 0; i < merchants.size(); ++i) parts[(*workers)[i]].push_back(merchants[i]);
  return parts;
}

Result<std::vector<MerchantId>> PostgresReader::merchants_of(const SqlStatement& statement) {
  const auto replies = ask(statement, {});
  if (!replies) return std::unexpected(replies.error());
  std::vector<MerchantId> merchants;
  for (int i = 0; i < replies->front().rows(); ++i) merchants.push_back(replies->front().row(i).read<MerchantId>());
  return merchants;
}

// A failure is ignored: the merchants are read again later.
void PostgresReader::remember_merchants() {
  if (!options_.distributed || !merchants_->is_due()) return;
  if (const auto merchants = merchants_of(kMerchants)) merchants_->add(*merchants);
}

template <class Row>
Result<std::vector<Row>> PostgresReader::select(const SqlStatement& statement, const Parameters& parameters,
                                                std::optional<MerchantId> owner) {
  const auto replies = ask(statement, parameters, owner);
  if (!replies) return std::unexpected(replies.error());
  return rows_of<Row>(replies->front());
}

template <class Row>
Result<std::optional<Row>> PostgresReader::only(Result<std::vector<Row>> rows) {
  if (!rows) return std::unexpected(rows.error());
  return rows->empty() ? std::nullopt : std::optional(std::move(rows->front()));
}

/// Adds the last three parameters of a paged list: the bounds of the window and the limit.
Parameters& end_with(Parameters& parameters, const Window& window, std::size_t limit) {
  return parameters.add(window.above).add(window.below).add(static_cast<std::int64_t>(limit));
}

template <class Row>
Result<std::vector<Row>> PostgresReader::rows_in(const Paged<Row>& list, Parameters parameters, const Window& window,
                                                 std::size_t limit, std::optional<MerchantId> owner) {
  return select<Row>(list.in(window), end_with(parameters, window, limit), owner);
}

template <class Row>
Result<Listed<Row>> PostgresReader::page_of(const Paged<Row>& list, Parameters parameters, const Window& window,
                                            const Page& page, std::optional<MerchantId> owner) {
  auto rows = rows_in(list, std::move(parameters), window, page.limit + 1, owner);
  if (!rows) return std::unexpected(rows.error());
  return store::cut(std::move(*rows), page);
}

// The first round trip begins a snapshot and reads the orders. The second reads their children, only of types that at
// least one of the orders has, and ends the snapshot.
Result<std::vector<OrderAggregate>> PostgresReader::aggregates(const SqlStatement& orders, const Parameters& parameters,
                                                               std::optional<MerchantId> owner) {
  const Read read = read_of(orders, parameters, owner);
  const auto& target = read.target;
  const auto found = ask(target, [&](Connection& connection) {
    connection.send(kBeginSnapshot);
    read.send(connection);
  });
  if (!found) return std::unexpected(found.error());
  std::vector<OrderAggregate> list;
  std::vector<OrderId> ids;
  std::vector<MerchantId> merchants;
  RowReader reader;
  for (Order& row : reader.read<Order>(found->back())) {
    ids.push_back(row.id);
    if (std::ranges::find(merchants, row.merchant_id) == merchants.end()) merchants.push_back(row.merchant_id);
    list.emplace_back().order = std::move(row);
  }
  const Parameters found_orders(ids, merchants);
  std::int64_t present = 0;
  for (const OrderAggregate& one : list) present |= one.order.children;
  for_each_row_type<ChildRows<OrderAggregate>>([&]<class Row>(std::type_identity<Row>) {
    if ((present & kPresence<Row>) != 0) connection_->send(kChildrenOf<Row>, found_orders);
  });
  connection_->send(kEndSnapshot);
  const Replies children = connection_->finish();
  if (!children) {
    connection_.reset();
    if (guard_ && target && is_shard_failure(children.error())) guard_->record_failure(*target);
    return fail(fmt::format("cannot read the store: {}", children.error().message));
  }
  std::size_t next = 0;
  for_each_row_type<ChildRows<OrderAggregate>>([&]<class Row>(std::type_identity<Row>) {
    if ((present & kPresence<Row>) == 0) return;
    for (Row& row : reader.read<Row>((*children)[next++])) {
      const auto at = std::ranges::find(ids, OrderId{root_id_of(row)});
      children_in<Row>(list[static_cast<std::size_t>(at - ids.begin())]).push_back(std::move(row));
    }
  });
  if (reader.error()) return std::unexpected(*reader.error());
  return list;
}

Result<std::optional<OrderAggregate>> PostgresReader::order(OrderId id) {
  return only(aggregates(kById<Order>, Parameters(id)));
}

Result<Listed<OrderAggregate>> PostgresReader::order_by_number(MerchantId merchant, const OrderFilter& filter,
                                                               const Page& page) {
  const Hash16 key = key_of_order_no(merchant, *filter.merchant_order_no);
  auto found = aggregates(kOrderByNumber, Parameters(key, merchant), merchant);
  if (!found) return std::unexpected(found.error());
  Listed<OrderAggregate> list;
  for (OrderAggregate& one : *found) {
    const std::int64_t id = one.order.id.value;
    const bool in_page = (!page.after || id < *page.after) && (!page.before || id > *page.before);
    if (in_page && store::matches(one.order, filter)) list.rows.push_back(std::move(one));
  }
  return list;
}

Result<Listed<OrderAggregate>> PostgresReader::orders(MerchantId merchant, const OrderFilter& filter,
                                                      const Page& page) {
  if (filter.merchant_order_no) return order_by_number(merchant, filter, page);
  Window window(page, false);
  // An id contains its creation time, so created_from is also a lower bound of the id.
  if (filter.created_from) window.above = std::max(window.above, first_id_at(*filter.created_from) - 1);
  Parameters parameters(merchant, filter.state, filter.created_from.value_or(Time{}),
                        filter.created_to.value_or(store::kNoEnd));
  auto found = aggregates(kOrders.in(window), end_with(parameters, window, page.limit + 1), merchant);
  if (!found) return std::unexpected(found.error());
  return store::cut(std::move(*found), page);
}

Result<std::optional<StatementAggregate>> PostgresReader::statement(StatementId id) {
  auto row = only(select<Statement>(kStatement, Parameters(kPlatform, id), kPlatform));
  if (!row) return std::unexpected(row.error());
  if (!*row) return std::nullopt;
  StatementAggregate aggregate{std::move(**row), {}, {}};
  auto totals = select<StatementTotal>(kStatementTotals, Parameters(kPlatform, id), kPlatform);
  if (!totals) return std::unexpected(totals.error());
  aggregate.totals = std::move(*totals);
  auto movements = select<StatementMovement>(kStatementMovements, Parameters(kPlatform, id), kPlatform);
  if (!movements) return std::unexpected(movements.error());
  aggregate.movements = std::move(*movements);
  return aggregate;
}

Result<std::optional<DifferenceAggregate>> PostgresReader::difference(DifferenceId id) {
  auto row = by_id<Difference>(id);
  if (!row) return std::unexpected(row.error());
  if (!*row) return std::nullopt;
  DifferenceAggregate aggregate{std::move(**row), {}};
  auto cases = select<Case>(kCasesOfDifference, Parameters(id));
  if (!cases) return std::unexpected(cases.error());
  aggregate.cases = std::move(*cases);
  return aggregate;
}

// Loads like a session, but without a transaction: the statements share no snapshot. After a broken connection, `rows`
// is unchanged, and the load is repeated once. A load with several owners is guarded as a read of all shards.
Result<void> PostgresReader::load(const ReadSet& reads, WorkingSet& rows) {
  const ReadTarget target = reads.owners.size() == 1 ? ReadTarget{reads.owners.front()} : all_shards(kById<Order>);
  const ReadGuard::Access access = guard_ ? guard_->admit(target) : ReadGuard::Access::open;
  if (access == ReadGuard::Access::refused) return fail(std::string(kRefused));
  for (bool again = connection_ != nullptr;; again = false) {
    if (auto there = ping(); !there) return there;
    Loader loader(*connection_, reads, options_.distributed ? Form::sharded : Form::plain);
    loader.send();
    const auto loaded = loader.finish(0, rows);
    if (loaded) {
      if (access == ReadGuard::Access::probe) guard_->record_success(target);
      const ReadSet rest = loader.rest(rows);
      return Loader::is_empty(rest) ? Result<void>{} : load(rest, rows);
    }
    connection_.reset();
    const bool has_shard_failed = guard_ && is_shard_failure(loaded.error());
    if (has_shard_failed) guard_->record_failure(target);
    if (has_shard_failed || !loaded.error().broken || !again)
      return fail(fmt::format("cannot read the store: {}", loaded.error().message));
  }
}

Result<std::optional<OrderId>> PostgresReader::order_of(ObjectRef child) {
  const auto at = kOrderOf.find(child.type);
  if (at == kOrderOf.end()) return std::nullopt;
  const auto replies = ask(at->second, Parameters(child.value));
  if (!replies) return std::unexpected(replies.error());
  return replies->front().rows() == 0 ? std::nullopt : std::optional(replies->front().row(0).read<OrderId>());
}

Result<std::optional<MerchantId>> PostgresReader::merchant_of(OrderId id) {
  const auto replies = ask(kMerchantOfOrder, Parameters(id));
  if (!replies) return std::unexpected(replies.error());
  return replies->front().rows() == 0 ? std::nullopt : std::optional(replies->front().row(0).read<MerchantId>());
}

Result<Listed<Event>> PostgresReader::events(std::int64_t root_id, std::optional<ObjectRef> object, const Page& page,
                                             bool oldest_first) {
  return store::page_of_events(object, page, oldest_first, [&](const Window& window, std::size_t limit) {
    return rows_in(kChanges, Parameters(root_id), window, limit);
  });
}

Result<std::vector<Entry>> PostgresReader::journal(EntryId first) {
  // The entries of a journal have consecutive ids, so no index by journal is needed. If a millisecond has no ids left,
  // the ids continue at the start of the node's next millisecond.
  const EntryId next{((first.value >> kIdNumberBits) + kIdNodesMax) << kIdNumberBits};
  constexpr std::int64_t kFurther = 16;
  return select<Entry>(kJournal, Parameters(first, first.value + kFurther, next, next.value + kFurther));
}

Result<Listed<Account>> PostgresReader::accounts(MerchantId merchant, const Page& page) {
  return page_of(kAccounts, Parameters(merchant), Window(page, false), page, merchant);
}

Result<Listed<Entry>> PostgresReader::entries(const Account& account, const EntryFilter& filter, const Page& page) {
  const auto id_of = [&](const SqlStatement& statement, std::int64_t at_least,
                         auto value) -> Result<std::optional<EntryId>> {
    const auto replies =
        ask(statement, Parameters(account.merchant_id, account.id, at_least, value), account.merchant_id);
    if (!replies) return std::unexpected(replies.error());
    return replies->front().rows() == 0 ? std::nullopt : std::optional(replies->front().row(0).read<EntryId>());
  };
  const auto indexed = [&](std::int64_t at_least, std::int64_t others) {
    return id_of(kIndexedEntry, at_least, others);
  };
  const auto ahead = [&](std::int64_t at_least, Time to) { return id_of(kEntryAhead, at_least, to); };
  const auto walk = [&](const store::EntryWalk& walk) {
    return select<Entry>(
        kEntryChain,
        Parameters(walk.start, walk.below, walk.from, walk.to, walk.merchant, walk.account, walk.enough, walk.above),
        account.merchant_id);
  };
  return store::list_entries(account, filter, page, indexed, ahead, walk);
}

Result<Listed<Hold>> PostgresReader::holds(AccountId account, std::optional<HoldState> state, const Page& page) {
  return page_of(kHolds, Parameters(account, state), Window(page, false), page);
}

Result<Listed<Price>> PostgresReader::prices(MerchantId merchant, const Page& page) {
  return page_of(kPrices, Parameters(merchant), Window(page, false), page, merchant);
}

Result<Listed<Adjustment>> PostgresReader::adjustments(MerchantId merchant, std::optional<AdjustmentState> state,
                                                       const Page& page) {
  return page_of(kAdjustments, Parameters(merchant, state), Window(page, false), page, merchant);
}

Result<Listed<Case>> PostgresReader::cases(MerchantId merchant, std::optional<CaseState> state, const Page& page) {
  return page_of(kCases, Parameters(merchant, state), Window(page, false), page, merchant);
}

Result<Listed<Delivery>> PostgresReader::deliveries(MerchantId merchant, std::optional<OrderId> order,
                                                    const Page& page) {
  return page_of(kDeliveries, Parameters(merchant, order), Window(page, false), page, merchant);
}

Result<std::int64_t> PostgresReader::named(const Hash16& key) {
  const auto replies = ask(kNamedBy, Parameters(key));
  if (!replies) return std::unexpected(replies.error());
  return replies->front().rows() == 0 ? 0 : replies->front().row(0).read<std::int64_t>();
}

Result<std::int64_t> PostgresReader::root_of_posting(MerchantId merchant, ObjectRef document) {
  const EntrySpan span = span_of_posting(document);
  const auto replies = ask(kRootOfPosting, Parameters(span.after, span.until, document.value, merchant), merchant);
  if (!replies) return std::unexpected(replies.error());
  return replies->front().rows() == 0 ? 0 : replies->front().row(0).read<std::int64_t>();
}

Result<std::vector<EntrySum>> PostgresReader::entry_sums(ChannelAccountId id, Time from, Time to) {
  const store::IdBounds ids = store::id_bounds_of(from, to);
  const auto replies = ask(kEntrySums, Parameters(ids.from, ids.to, from, to, id));
  if (!replies) return std::unexpected(replies.error());
  std::vector<EntrySum> sums;
  const Reply& reply = replies->front();
  for (int i = 0; i < reply.rows(); ++i) {
    Cursor cursor = reply.row(i);
    const auto type = parse_enum<EntryType>(cursor.read<std::string>());
    if (!type) return fail("an entry has an unknown type");
    EntrySum& sum = sums.emplace_back();
    sum.type = *type;
    cursor.read(sum.currency);
    cursor.read(sum.entries);
    cursor.read(sum.amount);
  }
  return sums;
}

// Reads the due rows of the merchants; of all merchants if the list is empty.
Result<std::vector<DueRow>> PostgresReader::read_due(const std::optional<ReadTarget>& target, Time now,
                                                     std::size_t limit, const DueBehind& behind,
                                                     const std::vector<MerchantId>& merchants) {
  const auto replies = ask(target, [&](Connection& connection) {
    for_each_row_type<store::DueRows>([&]<class Row>(std::type_identity<Row>) {
      const DuePlace place = behind_of(behind, decltype(Row::id)::type);
      Parameters parameters(place.due_at, place.id, now, static_cast<std::int64_t>(limit));
      if (!merchants.empty()) parameters.add(merchants);
      connection.send(kDueIn<Row>, parameters, merchants.empty() ? Form::plain : Form::sharded);
    });
  });
  if (!replies) return std::unexpected(replies.error());
  std::vector<DueRow> rows;
  std::size_t next = 0;
  for_each_row_type<store::DueRows>([&]<class Row>(std::type_identity<Row>) {
    const Reply& reply = (*replies)[next++];
    for (int i = 0; i < reply.rows(); ++i) {
      Cursor cursor = reply.row(i);
      DueRow& row = rows.emplace_back();
      row.row = ObjectRef(decltype(Row::id)::type, cursor.read<std::int64_t>());
      cursor.read(row.merchant_id);
      cursor.read(row.order_id);
      cursor.read(row.due_at);
      cursor.read(row.channel_account_id);
    }
  });
  return rows;
}

// Reads the workers one after the other, without those that failed. Rows of a type are cut to the limit, as if all
// workers had been read together.
Result<std::vector<DueRow>> PostgresReader::due_by_parts(Time now, std::size_t limit, const DueBehind& behind) {
  const auto all = parts();
  if (!all) return std::unexpected(all.error());
  std::vector<DueRow> rows;
  Result<std::vector<DueRow>> last = fail(std::string(kRefused));
  bool any_works = false;
  for (const auto& [part, merchants] : *all) {
    const ReadTarget target{.merchant = {}, .statement = &kDueIn<Order>, .part = part};
    last = read_due(target, now, limit, behind, merchants);
    if (!last) continue;
    any_works = true;
    rows.insert(rows.end(), last->begin(), last->end());
  }
  if (!any_works) return last;
  std::ranges::sort(rows, {}, place_of);
  std::map<ObjectType, std::size_t> of_type;
  std::erase_if(rows, [&](const DueRow& row) { return ++of_type[row.row.type] > limit; });
  return rows;
}

Result<std::vector<DueRow>> PostgresReader::due(Time now, std::size_t limit, const DueBehind& behind) {
  const ReadTarget target = all_shards(kDueIn<Order>);
  auto rows = read_due(target, now, limit, behind, {});
  if (rows)
    remember_merchants();
  else if (has_failed(target))
    rows = due_by_parts(now, limit, behind);
  if (rows) std::ranges::sort(*rows, {}, [](const DueRow& row) { return std::pair(row.due_at, row.row); });
  return rows;
}

Result<std::vector<ChangedOrder>> PostgresReader::changed_orders(EventId after, EventId before, std::size_t limit) {
  const auto replies = ask(kChangedOrders, Parameters(after, before, static_cast<std::int64_t>(limit)));
  if (!replies) return std::unexpected(replies.error());
  std::vector<ChangedOrder> found;
  for (int i = 0; i < replies->front().rows(); ++i) {
    Cursor row = replies->front().row(i);
    ChangedOrder& change = found.emplace_back();
    row.read(change.event);
    row.read(change.order_id);
  }
  return found;
}

Result<std::vector<OrderId>> PostgresReader::disagreeing_orders(std::size_t limit) {
  const auto replies = ask(kDisagreeingOrders, Parameters(static_cast<std::int64_t>(limit)));
  if (!replies) return std::unexpected(replies.error());
  std::vector<OrderId> found;
  for (int i = 0; i < replies->front().rows(); ++i) found.push_back(replies->front().row(i).read<OrderId>());
  return found;
}

Result<void> PostgresReader::ping() {
  const auto replies = ask(kPing, {});
  if (!replies) return std::unexpected(replies.error());
  return {};
}

}  // namespace

Result<std::unique_ptr<Reader>> make_reader(const ConnectionOptions& options,
                                            std::shared_ptr<KnownMerchants> merchants) {
  auto connection = Connection::open(options, Use::look_up);
  if (!connection) return std::unexpected(connection.error());
  return std::make_unique<PostgresReader>(options, std::move(*connection), std::move(merchants));
}

}  // namespace finality::postgres
