// Storage interface. Three classes, one per kind of user:
//   Session   one per lane: loads the rows a batch reads, commits the rows it changed
//   Reader    one per reader thread: look-ups and lists for the API; sees committed rows only
//   Store     opens sessions and readers
//
// Every implementation passes the contract suite in store/contract/store_contract.h.
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

namespace finality {

/// The outcome of a commit, and the caller's next step.
enum class CommitOutcome : std::uint8_t {
  ok,
  conflict,  // another session changed a root or took a key; nothing was written: reload and decide again
  failed,    // nothing was written
  fenced,    // another process holds this node's lease; nothing was written: call lease() again
  lost,      // the disk failed during the commit and the result is unknown: the process must stop and restart
};

/// The outcome of a commit, with the error message.
struct CommitResult {
  CommitOutcome outcome = CommitOutcome::ok;
  std::string message;  // for operators, when not ok
};

/// A row whose due_at has passed.
struct DueRow {
  ObjectRef row;  // order, payment, refund, reversal, delivery or hold
  MerchantId merchant_id;
  OrderId order_id;  // 0 for a hold
  Time due_at;
  ChannelAccountId channel_account_id{};  // of a payment, refund or reversal; 0 for other types and where unknown
};

/// Position of a row among the due rows of its type.
struct DuePlace {
  Time due_at;
  std::int64_t id = 0;
  friend auto operator<=>(const DuePlace&, const DuePlace&) = default;
};
inline DuePlace place_of(const DueRow& row) { return {row.due_at, row.row.value}; }

/// Position, per type, after which due rows are read. A type without an entry is read from its first row.
using DueBehind = std::map<ObjectType, DuePlace>;

inline DuePlace behind_of(const DueBehind& behind, ObjectType type) {
  const auto at = behind.find(type);
  return at == behind.end() ? DuePlace{} : at->second;
}

/// Bounds of one expire() call.
struct ExpireStep {
  Time records_before;                // older idempotency records are deleted, with their keys
  Time deliveries_before;             // finished deliveries whose last step is older are deleted, with steps and cases
  IdempotencyRecordId records_after;  // only rows with larger ids are examined
  DeliveryId deliveries_after;
  std::size_t limit = 0;  // maximum number of rows examined, per kind
};

/// Result of one expire() call.
struct Expired {
  CommitResult result;
  std::size_t idempotency_records = 0;  // deleted
  std::size_t deliveries = 0;           // deleted
  IdempotencyRecordId records_after;    // the last rows examined
  DeliveryId deliveries_after;
  bool at_end = false;  // no further rows within the bounds remain
};

/// Makes a session's commits durable. Used by one thread, which may differ from the session's.
class Flusher {
 public:
  virtual ~Flusher() = default;

  /// On return, everything committed before the call survives a loss of power. After an error the state of the disk is
  /// unknown: the process must stop and restart.
  virtual Result<void> flush() = 0;
};

/// One lane's connection. Not thread safe.
class Session {
 public:
  virtual ~Session() = default;

  /// Loads everything `reads` names into `rows`; missing rows are loaded as absent. The store may hold locks on the
  /// loaded rows until commit() or discard().
  virtual Result<void> load(const ReadSet& reads, WorkingSet& rows) = 0;
  /// Writes the changes in `rows` in one transaction. If the reply to COMMIT is lost (broken connection), the store
  /// resolves the outcome from the batch's id in the node's row before it returns.
  virtual CommitResult commit(const WorkingSet& rows, const IdGenerator& ids) = 0;
  /// Lets commit() return before the commit is durable. The caller then must not expose a commit, or rows loaded after
  /// it, before the returned flusher has flushed it. Readers of this process wait for the flush as well.
  /// Returns null if every commit of this store is durable on return; commit() is then unchanged.
  virtual Result<std::unique_ptr<Flusher>> flush_apart() = 0;
  /// Releases everything load() acquired, without writing.
  virtual void discard() = 0;
  /// Leases a node number: at startup, and again after `fenced`. New ids must then carry node() and be later than
  /// ids_not_before().
  virtual Result<void> lease() = 0;
  /// Renews the lease; idle lanes must call it periodically. Returns `fenced` if the lease was lost.
  virtual CommitOutcome renew() = 0;
  /// Deletes expired idempotency records and finished deliveries within `step`, in one short transaction that is fenced
  /// like a commit. Does nothing while another process expires rows. Returns `conflict` if it lost a race; nothing was
  /// deleted then. Keeps deliveries that the store does not let this session delete. Implies discard().
  virtual Expired expire(const ExpireStep& step) = 0;
  /// The leased node number.
  virtual std::int64_t node() const = 0;
  /// The instant up to which earlier holders of the node number may have created ids.
  virtual Time ids_not_before() const = 0;
};

/// Pagination of a list: the rows after (older than) or before (newer than) an id.
struct Page {
  std::size_t limit = 10;
  std::optional<std::int64_t> after;
  std::optional<std::int64_t> before;
};

/// Conditions on listed orders; an empty member does not restrict the list.
struct OrderFilter {
  std::optional<std::string> merchant_order_no;
  std::optional<OrderState> state;
  std::optional<Time> created_from;  // inclusive
  std::optional<Time> created_to;    // exclusive
};

/// Bounds on created_at of listed entries; an empty member is no bound.
struct EntryFilter {
  std::optional<Time> from;  // inclusive
  std::optional<Time> to;    // exclusive
};

/// One page of a list.
template <class T>
struct Listed {
  std::vector<T> rows;  // newest first
  bool has_more = false;
};

/// Reads committed rows. Not thread safe: use one per thread, or a ReaderPool.
class Reader {
 public:
  virtual ~Reader() = default;

  /// The order with all rows of its aggregate. This and the other look-ups by id return empty for an unknown id.
  virtual Result<std::optional<OrderAggregate>> order(OrderId id) = 0;
  /// The archive that holds an order which was removed from the store; empty if the order is not archived.
  virtual Result<std::optional<ArchivedOrder>> archived_order(OrderId id) = 0;
  /// The order whose aggregate contains a payment, refund, reversal or case; empty for other types.
  virtual Result<std::optional<OrderId>> order_of(ObjectRef child) = 0;
  virtual Result<std::optional<Merchant>> merchant(MerchantId id) = 0;
  virtual Result<std::optional<ApiKey>> api_key(const Hash16& hash) = 0;
  virtual Result<std::optional<ChannelAccount>> channel_account(ChannelAccountId id) = 0;
  /// All channel accounts, newest first; at most limits::kChannelAccountsMax exist.
  virtual Result<std::vector<ChannelAccount>> channel_accounts() = 0;
  virtual Result<std::optional<Delivery>> delivery(DeliveryId id) = 0;
  virtual Result<Listed<OrderAggregate>> orders(MerchantId merchant, const OrderFilter& filter, const Page& page) = 0;
  /// Events of one root (an order or a delivery), newest first unless `oldest_first`; only those of `object` if given.
  virtual Result<Listed<Event>> events(std::int64_t root_id, std::optional<ObjectRef> object, const Page& page,
                                       bool oldest_first) = 0;
  /// The entries of the posting whose first entry is `first`, in the order of their ids.
  virtual Result<std::vector<Entry>> journal(EntryId first) = 0;
  virtual Result<std::optional<Account>> account(AccountId id) = 0;
  /// Accounts opened by the merchant.
  virtual Result<Listed<Account>> accounts(MerchantId merchant, const Page& page) = 0;
  /// Entries of the account within the filter's times, newest first. `account` is the row as it was read; entries
  /// posted since that read may be missing.
  virtual Result<Listed<Entry>> entries(const Account& account, const EntryFilter& filter, const Page& page) = 0;
  virtual Result<std::optional<Transfer>> transfer(TransferId id) = 0;
  virtual Result<std::optional<Hold>> hold(HoldId id) = 0;
  /// Holds of the account, in any state if `state` is empty.
  virtual Result<Listed<Hold>> holds(AccountId account, std::optional<HoldState> state, const Page& page) = 0;
  /// The id that a natural key names; 0 if the key is unused.
  virtual Result<std::int64_t> named(const Hash16& key) = 0;
  virtual Result<std::optional<Price>> price(PriceId id) = 0;
  virtual Result<Listed<Price>> prices(MerchantId merchant, const Page& page) = 0;
  virtual Result<std::vector<Fee>> fees(MerchantId merchant) = 0;
  /// Webhook endpoints of the merchant without deleted endpoints, oldest first.
  virtual Result<std::vector<WebhookEndpoint>> webhook_endpoints(MerchantId merchant) = 0;
  virtual Result<std::optional<Case>> find_case(CaseId id) = 0;
  /// Cases of the merchant, in any state if `state` is empty.
  virtual Result<Listed<Case>> cases(MerchantId merchant, std::optional<CaseState> state, const Page& page) = 0;
  /// Deliveries of the merchant, only those of `order` if given.
  virtual Result<Listed<Delivery>> deliveries(MerchantId merchant, std::optional<OrderId> order, const Page& page) = 0;

  /// Rows due at `now`, oldest first, at most `limit` per type, so that many rows of one type do not hide another type.
  /// Each type is read after its position in `behind`, so that rows which must wait do not hide later rows.
  virtual Result<std::vector<DueRow>> due(Time now, std::size_t limit, const DueBehind& behind) = 0;
  /// Cheap round trip that checks whether the store is reachable.
  virtual Result<void> ping() = 0;
};

/// Opens sessions and readers. Thread safe.
class Store {
 public:
  virtual ~Store() = default;

  /// The number of lanes, each with one session.
  virtual std::size_t lanes() const = 0;
  virtual Result<std::unique_ptr<Session>> open_session() = 0;
  virtual Result<std::unique_ptr<Reader>> open_reader() = 0;
  /// Checks every invariant over a snapshot of the whole store. `progress` may be empty.
  virtual Result<AuditReport> audit(const AuditProgress& progress) = 0;
  Result<AuditReport> audit() { return audit(AuditProgress()); }
};

/// Accepted store URLs, for messages.
inline constexpr const char* kStoreUrls = "sqlite:PATH or postgres://USER@HOST/DATABASE";

/// How to open a store.
struct StoreOptions {
  std::string url;         // see kStoreUrls; may hold a password, so it is never printed
  bool read_only = false;  // for `verify` beside a running server
  bool migrate = true;     // bring the schema up to date; otherwise an old schema is an error
};

/// PostgreSQL with Citus only: brings the schema up to date and distributes its tables over the workers by merchant.
/// Irreversible. The store records it, and every later open uses the shards.
Result<void> distribute_tables(const std::string& url);

/// PostgreSQL only: grants the database role `role` the privileges to run Finality, and no others.
Result<void> grant_running_role(const std::string& url, const std::string& role);

/// Opens the store at `options.url`. Errors state what to do next.
Result<std::unique_ptr<Store>> open_store(const StoreOptions& options);

}  // namespace finality
