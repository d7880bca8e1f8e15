// Storage interface, with three classes:
//   Session   loads the rows that a batch reads and commits the rows that it changed; one per lane
//   Reader    look-ups and lists for the API over committed rows; one per reader thread
//   Store     opens sessions and readers, and audits the rows
//
// Every implementation must pass the contract tests in store/contract/store_contract.h.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/result.h"
#include "model/aggregate.h"
#include "model/objects/api_key.h"
#include "model/objects/archived_order.h"
#include "model/objects/channel_account.h"
#include "model/read_set.h"
#include "model/working_set.h"
#include "store/audit/audit.h"
#include "store/fault.h"

namespace finality {

class CheckedClock;

/// The outcome of a commit. The comments state what the caller must do next.
enum class CommitOutcome : std::uint8_t {
  ok,
  conflict,  // another session changed a row or took a key; nothing was written: reload and decide again
  failed,    // an error of the store; nothing was written, and no crash can make it appear: the caller may retry
  fenced,    // another process has taken over the node number; nothing was written: call lease() again
  lost,      // a failure of the disk or the database left the result unknown: the process must stop and restart
};

/// The outcome of a commit, with an error message.
struct CommitResult {
  CommitOutcome outcome = CommitOutcome::ok;
  std::string message;  // for operators; empty if the outcome is ok
  /// Set if the outcome is failed and all writes will fail until the cause is removed. renew() then checks whether the
  /// store accepts writes again.
  std::optional<StoreFault> fault = std::nullopt;
};

/// A part of a store that can fail while the other parts work, such as a worker of a cluster. All rows of a merchant
/// are in one part.
using StorePart = std::int64_t;

/// A row whose due_at has passed.
struct DueRow {
  ObjectRef row;  // order, payment, authorization, capture, refund, reversal, delivery or hold
  MerchantId merchant_id;
  OrderId order_id;  // order of the row; 0 for a hold
  Time due_at;
  ChannelAccountId channel_account_id{};  // of a row with channel requests; 0 for other types and where unknown
};

/// Position of a row among the due rows of its type, which are sorted by due_at and id.
struct DuePlace {
  Time due_at;
  std::int64_t id = 0;
  friend auto operator<=>(const DuePlace&, const DuePlace&) = default;
};
inline DuePlace place_of(const DueRow& row) { return {row.due_at, row.row.value}; }

/// Maps an object type to the position after which its due rows are read. The rows of a type without an entry are read
/// from the first row.
using DueBehind = std::map<ObjectType, DuePlace>;

inline DuePlace behind_of(const DueBehind& behind, ObjectType type) {
  const auto at = behind.find(type);
  return at == behind.end() ? DuePlace{} : at->second;
}

/// Bounds of one expire() call.
struct ExpireStep {
  Time records_before;                // records created before this instant are deleted, with their idempotency keys
  Time deliveries_before;             // final deliveries with no event since this instant are deleted
  Time files_before;                  // files of statements received before this instant are deleted
  IdempotencyRecordId records_after;  // only idempotency records with larger ids are examined
  DeliveryId deliveries_after;        // only deliveries with larger ids are examined
  StatementId files_after;            // only files of statements with larger ids are examined
  std::size_t limit = 0;              // maximum number of records, and of deliveries, that are examined
  std::size_t files_limit = 0;        // maximum number of files that are examined
};

/// Result of one expire() call.
struct Expired {
  CommitResult result;
  std::size_t idempotency_records = 0;  // number of deleted idempotency records
  std::size_t deliveries = 0;           // number of deleted deliveries
  IdempotencyRecordId records_after;    // last idempotency record examined: the bound of the next step
  DeliveryId deliveries_after;          // last delivery examined: the bound of the next step
  std::size_t files = 0;                // number of deleted files of statements
  StatementId files_after;              // statement of the last file examined: the bound of the next step
  bool at_end = false;                  // whether all rows within the bounds have been examined
};

/// Makes the commits of a session durable. Used by one thread, which need not be the session's thread.
class Flusher {
 public:
  virtual ~Flusher() = default;

  /// Blocks until every commit made before the call survives a loss of power. After an error the state of the disk is
  /// unknown: the process must stop and restart.
  virtual Result<void> flush() = 0;
};

/// The connection of one lane to the store. Not thread safe.
class Session {
 public:
  virtual ~Session() = default;

  /// Loads all rows that `reads` names into `rows`, and records rows that do not exist as absent. The store may hold
  /// locks on the loaded rows until commit() or discard().
  virtual Result<void> load(const ReadSet& reads, WorkingSet& rows) = 0;
  /// Writes the changes in `rows` in one transaction. If the connection breaks before the reply to COMMIT arrives, the
  /// session reconnects and looks up the outcome before it returns. The row of the node contains the number of the last
  /// committed batch.
  virtual CommitResult commit(const WorkingSet& rows, const IdGenerator& ids) = 0;
  /// Whether the last load() or commit() that failed did so because of a part of the store: its statements failed or
  /// timed out, and the other parts may work. Nothing was written; the caller may execute the commands again, separated
  /// by parts_of(). False for a store with one part.
  virtual bool has_failed_in_part() const { return false; }
  /// The part of the store that contains the rows of each merchant, in the order of `merchants`. Implies discard().
  virtual Result<std::vector<StorePart>> parts_of(const std::vector<MerchantId>& merchants) {
    return std::vector<StorePart>(merchants.size());
  }
  /// Lets commit() return before the commit is durable. The caller must not expose a commit, or rows loaded after the
  /// commit, before the returned flusher has flushed it. Readers of this process also wait for the flush. Returns null
  /// if the store cannot flush separately: commit() then still returns only durable commits.
  virtual Result<std::unique_ptr<Flusher>> flush_apart() = 0;
  /// Ends a batch without writing, and releases the locks that load() acquired.
  virtual void discard() = 0;
  /// Leases a node number. Called at startup, and again after `fenced`. New ids must then contain node() and be later
  /// than ids_not_before().
  virtual Result<void> lease() = 0;
  /// Renews the lease; idle lanes must call it periodically. Returns `fenced` if the lease was lost. After a commit
  /// with a fault, writes to the store, and so shows whether the store accepts writes again.
  virtual CommitResult renew() = 0;
  /// Deletes expired idempotency records, final deliveries with their events and cases, and the files of compared or
  /// rejected statements, within the bounds of `step`, in one short transaction that is fenced like a commit. Keeps the
  /// file of a statement while another version of its day is expected or compared, because their lines are compared.
  /// Does nothing while another process expires rows.
  /// After `conflict` nothing was deleted. Keeps deliveries and files that the database role may not delete. Implies
  /// discard().
  virtual Expired expire(const ExpireStep& step) = 0;
  /// The leased node number, which new ids must contain.
  virtual std::int64_t node() const = 0;
  /// The instant up to which earlier holders of the node number may have created ids. New ids must be later.
  virtual Time ids_not_before() const = 0;
};

/// Bounds of one page of a list: at most `limit` rows, which follow the id `after` or precede the id `before` in the
/// list's order.
struct Page {
  std::size_t limit = 10;
  std::optional<std::int64_t> after;
  std::optional<std::int64_t> before;
};

/// Conditions that listed orders must meet. An empty member is no condition.
struct OrderFilter {
  std::optional<std::string> merchant_order_no;
  std::optional<OrderState> state;
  std::optional<Time> created_from;  // lower bound of created_at, inclusive
  std::optional<Time> created_to;    // upper bound of created_at, exclusive
};

/// Bounds on created_at of listed entries. An empty member is no bound.
struct EntryFilter {
  std::optional<Time> from;  // lower bound, inclusive
  std::optional<Time> to;    // upper bound, exclusive
};

/// Conditions that listed statements must meet. An empty member is no condition.
struct StatementFilter {
  std::optional<ChannelAccountId> channel_account_id;
  std::optional<StatementKind> kind;
  std::optional<std::string> from;  // lower bound of the date, inclusive
  std::optional<std::string> to;    // upper bound of the date, inclusive
  std::optional<StatementState> state;
};

/// Conditions that listed differences must meet. An empty member is no condition.
struct DifferenceFilter {
  std::optional<MerchantId> merchant_id;
  std::optional<ChannelAccountId> channel_account_id;
  std::optional<StatementKind> kind;
  std::optional<std::string> from;  // lower bound of the date, inclusive
  std::optional<std::string> to;    // upper bound of the date, inclusive
  std::optional<DifferenceClass> difference_class;
  std::optional<DifferenceState> state;
  std::optional<bool> changes_balance;
};

/// Bounds of the entries that unmatched_entries() reads: those with ids after `after` and up to `until`.
struct EntrySpan {
  EntryId after;
  EntryId until;
};

/// The ids of the entries that the commit which created a document can have posted for it: those of the next second. A
/// commit creates the ids of a document and of its entries one after the other.
constexpr EntrySpan span_of_posting(ObjectRef document) {
  const Time end = time_of_id(document.value) + std::chrono::seconds(1);
  return {EntryId{document.value}, EntryId{first_id_at(end) - 1}};
}

/// Entries of one type and currency: number and sum.
struct EntrySum {
  EntryType type = EntryType::receipt_accepted;
  Currency currency;
  std::int64_t entries = 0;
  MinorUnits amount = 0;  // a credit is positive, as in Entry
};

/// A change of an order after which the order is checked against the money identities.
struct ChangedOrder {
  EventId event;  // of the change; a store can name its first event instead of the one that requires the check
  OrderId order_id;
};

/// One page of a list, and whether further rows follow.
template <class T>
struct Listed {
  std::vector<T> rows;  // newest first, unless the function states another order
  bool has_more = false;
};

/// Reads committed rows. Not thread safe: use one per thread, or a ReaderPool.
class Reader {
 public:
  virtual ~Reader() = default;

  /// Declares that the caller looks only for rows of this merchant until the next call; empty: for rows of any
  /// merchant. A store that is distributed by merchant then sends look-ups by id or key to the merchant's shard alone,
  /// and may report rows of other merchants as absent. Other stores ignore it. Returns the previous value. Does not
  /// apply to load(), which has ReadSet::owners. Callers use a ReadScope.
  virtual std::optional<MerchantId> look_in(std::optional<MerchantId>) { return std::nullopt; }

  /// The order with all rows of its aggregate. All look-ups by id return empty for an unknown id.
  virtual Result<std::optional<OrderAggregate>> order(OrderId id) = 0;
  /// The archive record of an order that was removed from the store; empty if the order is not archived.
  virtual Result<std::optional<ArchivedOrder>> archived_order(OrderId id) = 0;
  /// The order whose aggregate contains the payment, refund, reversal or case `child`. Empty for other types and for an
  /// unknown id.
  virtual Result<std::optional<OrderId>> order_of(ObjectRef child) = 0;
  /// The merchant of the order. Reads one row, unlike order().
  virtual Result<std::optional<MerchantId>> merchant_of(OrderId id) = 0;
  virtual Result<std::optional<Merchant>> merchant(MerchantId id) = 0;
  virtual Result<std::optional<ApiKey>> api_key(const Hash16& hash) = 0;
  virtual Result<std::optional<ChannelAccount>> channel_account(ChannelAccountId id) = 0;
  /// All channel accounts, newest first. A store has at most limits::kChannelAccountsMax of them.
  virtual Result<std::vector<ChannelAccount>> channel_accounts() = 0;
  virtual Result<std::optional<ChannelRate>> channel_rate(ChannelRateId id) = 0;
  /// All channel rates, newest first. A store has about limits::kChannelRatesMax of them at most.
  virtual Result<std::vector<ChannelRate>> channel_rates() = 0;
  virtual Result<std::optional<Delivery>> delivery(DeliveryId id) = 0;
  virtual Result<std::optional<UnknownReceipt>> unknown_receipt(UnknownReceiptId id) = 0;
  /// Unknown receipts in state `state`, or in all states if `state` is empty. Newest first.
  virtual Result<Listed<UnknownReceipt>> unknown_receipts(std::optional<UnknownReceiptState> state,
                                                          const Page& page) = 0;
  virtual Result<std::optional<StatementAggregate>> statement(StatementId id) = 0;
  /// Statements that meet the filter, newest first.
  virtual Result<Listed<Statement>> statements(const StatementFilter& filter, const Page& page) = 0;
  /// The newest version of the statement of a day; empty if there is none.
  virtual Result<std::optional<Statement>> newest_statement(ChannelAccountId account, StatementKind kind,
                                                            const std::string& funds_account, const std::string& date,
                                                            StatementSource source) = 0;
  /// Statements that are due at `now`, sorted by due_at and id: at most `limit`, after the position `behind`.
  virtual Result<std::vector<Statement>> due_statements(Time now, std::size_t limit, const DuePlace& behind) = 0;
  /// One part of the file of a statement; empty if the statement has no such part.
  virtual Result<std::optional<StatementPart>> statement_part(StatementId id, std::int64_t part_no) = 0;
  /// The match of a line of a statement with a document of the merchant; empty if the line has none.
  virtual Result<std::optional<StatementMatch>> match_of_line(MerchantId merchant, const Hash16& line) = 0;
  virtual Result<std::optional<DifferenceAggregate>> difference(DifferenceId id) = 0;
  /// Differences that meet the filter, newest first.
  virtual Result<Listed<Difference>> differences(const DifferenceFilter& filter, const Page& page) = 0;
  /// Entries within the span that have no match with a statement of `kind`, oldest first, at most `limit`. Examines all
  /// entries of the span: callers keep it short.
  ///   trades  entries of the receivable accounts of the channel account whose document has no StatementMatch
  ///   funds   the same, whose document has no FundsMatch; without entries that a line of a statement posted
  /// REQUIRES: `kind` is not bank.
  virtual Result<std::vector<Entry>> unmatched_entries(ChannelAccountId account, StatementKind kind,
                                                       const EntrySpan& span, std::size_t limit) = 0;
  /// The matches that were recorded for a funds or bank statement, in the order of its lines, at most `limit`.
  virtual Result<std::vector<FundsMatch>> funds_matches(StatementId id, std::size_t limit) = 0;
  /// The ledger accounts of a channel account or bank account, in the books of all merchants, oldest first.
  virtual Result<std::vector<Account>> accounts_of_channel_account(ChannelAccountId id) = 0;
  /// The root of the entry that the commit which created the document posted for it: for example the order of a
  /// requested refund, also if the order is archived. 0 if that commit posted nothing for the document: a reversal is
  /// posted later. Reads the entries of span_of_posting().
  virtual Result<std::int64_t> root_of_posting(MerchantId merchant, ObjectRef document) = 0;
  /// Number and sum of the entries of these accounts that were created from `from` until before `to`, by type and
  /// currency. Examines all entries of that time.
  virtual Result<std::vector<EntrySum>> entry_sums(ChannelAccountId id, Time from, Time to) = 0;
  /// Changes of orders with event ids after `after` and before `before`, oldest first, at most `limit`: postings, and
  /// documents that succeeded. An order can have several.
  virtual Result<std::vector<ChangedOrder>> changed_orders(EventId after, EventId before, std::size_t limit) = 0;
  /// The entries of the journals that the events of the order name, sorted by id.
  virtual Result<std::vector<Entry>> order_entries(const Order& order) = 0;
  /// Orders with an unresolved case `identity`, oldest case first, at most `limit`.
  virtual Result<std::vector<OrderId>> disagreeing_orders(std::size_t limit) = 0;
  /// Loads all rows that `reads` names into `rows`, as Session::load() does, but committed rows and without locks.
  virtual Result<void> load(const ReadSet& reads, WorkingSet& rows) = 0;
  virtual Result<Listed<OrderAggregate>> orders(MerchantId merchant, const OrderFilter& filter, const Page& page) = 0;
  /// Events of one root, for example an order or a delivery: newest first unless `oldest_first`. If `object` is given,
  /// only the events of that object.
  virtual Result<Listed<Event>> events(std::int64_t root_id, std::optional<ObjectRef> object, const Page& page,
                                       bool oldest_first) = 0;
  /// The entries of the journal whose first entry is `first`, sorted by id. Empty if `first` does not begin a journal.
  virtual Result<std::vector<Entry>> journal(EntryId first) = 0;
  virtual Result<std::optional<Account>> account(AccountId id) = 0;
  /// Accounts that the merchant opened through the API, newest first.
  virtual Result<Listed<Account>> accounts(MerchantId merchant, const Page& page) = 0;
  /// Ledger accounts of the merchant's books: all accounts except user accounts, oldest first.
  virtual Result<std::vector<Account>> ledger_accounts(MerchantId merchant) = 0;
  /// Entries of the account within the bounds of `filter`, newest first. `account` is a row that was read before;
  /// entries posted since that read may be missing.
  virtual Result<Listed<Entry>> entries(const Account& account, const EntryFilter& filter, const Page& page) = 0;
  virtual Result<std::optional<Transfer>> transfer(TransferId id) = 0;
  virtual Result<std::optional<Hold>> hold(HoldId id) = 0;
  /// Holds of the account in state `state`, or in all states if `state` is empty. Newest first.
  virtual Result<Listed<Hold>> holds(AccountId account, std::optional<HoldState> state, const Page& page) = 0;
  /// The id of the object with the natural key; 0 if no object has the key.
  virtual Result<std::int64_t> named(const Hash16& key) = 0;
  virtual Result<std::optional<Price>> price(PriceId id) = 0;
  virtual Result<Listed<Price>> prices(MerchantId merchant, const Page& page) = 0;
  virtual Result<std::optional<Adjustment>> adjustment(AdjustmentId id) = 0;
  virtual Result<Listed<Adjustment>> adjustments(MerchantId merchant, std::optional<AdjustmentState> state,
                                                 const Page& page) = 0;
  virtual Result<std::vector<Fee>> fees(MerchantId merchant) = 0;
  /// Webhook endpoints of the merchant, except deleted endpoints. Oldest first.
  virtual Result<std::vector<WebhookEndpoint>> webhook_endpoints(MerchantId merchant) = 0;
  virtual Result<std::optional<Case>> find_case(CaseId id) = 0;
  /// Cases of the merchant in state `state`, or in all states if `state` is empty. Newest first.
  virtual Result<Listed<Case>> cases(MerchantId merchant, std::optional<CaseState> state, const Page& page) = 0;
  /// Deliveries of the merchant, newest first. If `order` is given, only the deliveries of that order.
  virtual Result<Listed<Delivery>> deliveries(MerchantId merchant, std::optional<OrderId> order, const Page& page) = 0;

  /// Rows that are due at `now`, oldest first. At most `limit` rows per type, so that each type is served. Reads each
  /// type after its position in `behind`, so that the caller can skip rows that must wait. While a part of the store
  /// fails, returns the rows of the other parts.
  virtual Result<std::vector<DueRow>> due(Time now, std::size_t limit, const DueBehind& behind) = 0;
  /// Checks with one cheap round trip whether the store is reachable.
  virtual Result<void> ping() = 0;
};

/// Calls Reader::look_in() for its lifetime. `merchant`: 0 leaves the reader as it is.
class ReadScope {
 public:
  ReadScope(Reader& reader, MerchantId merchant) {
    if (merchant.value == 0) return;
    before_ = reader.look_in(merchant);
    reader_ = &reader;
  }
  ~ReadScope() {
    if (reader_ != nullptr) reader_->look_in(before_);
  }
  ReadScope(const ReadScope&) = delete;
  ReadScope& operator=(const ReadScope&) = delete;

 private:
  Reader* reader_ = nullptr;
  std::optional<MerchantId> before_;
};

/// An open store: opens sessions and readers, and audits the rows. Thread safe.
class Store {
 public:
  virtual ~Store() = default;

  /// The number of lanes. The engine opens one session per lane.
  virtual std::size_t lanes() const = 0;
  virtual Result<std::unique_ptr<Session>> open_session() = 0;
  virtual Result<std::unique_ptr<Reader>> open_reader() = 0;
  /// Checks the invariants over a snapshot of the whole store. Violations are in the report; an error means that the
  /// audit could not run. `progress` may be empty.
  virtual Result<AuditReport> audit(const AuditProgress& progress) = 0;
  Result<AuditReport> audit() { return audit(AuditProgress()); }
};

/// The forms of store URLs, for error messages.
inline constexpr const char* kStoreUrls = "sqlite:PATH or postgres://USER@HOST/DATABASE";

/// Options for open_store().
struct StoreOptions {
  std::string url;         // see kStoreUrls; may contain a password, so it must not be logged or printed
  bool read_only = false;  // no sessions; a server may be using the store
  bool migrate = true;     // migrates an older schema; if false, an older schema is an error
  /// Compared with the database's clock at each commit and lease; null: not compared. SQLite has no other clock.
  /// Outlives the store.
  CheckedClock* clock = nullptr;
};

/// PostgreSQL with Citus only: migrates the schema and distributes its tables over the workers by merchant. This cannot
/// be undone. The database records it, and open_store() then uses the shards. Errors state what to do next.
Result<void> distribute_tables(const std::string& url);

/// PostgreSQL only: grants the database role `role` exactly the privileges that a Finality server needs.
Result<void> grant_running_role(const std::string& url, const std::string& role);

/// Opens the store at `options.url`. Errors state what to do next.
Result<std::unique_ptr<Store>> open_store(const StoreOptions& options);

}  // namespace finality
