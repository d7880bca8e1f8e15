// The store: where rows live. Three faces, each for one kind of user:
//   Session   one lane's: load what a batch needs, commit what it changed
//   Reader    many readers': look-ups and lists for the API; sees committed rows only
//   Store     opens the others
//
// Contract suite: store/contract/store_contract.h; every store passes it.
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

enum class CommitOutcome : std::uint8_t {
  ok,
  conflict,  // somebody else changed a root or took a key: reload and decide again
  failed,    // nothing was written
  fenced,    // this node's lease is somebody else's now: nothing was written; lease() again
  lost,      // the disk failed under the commit: only a restart can tell, so the process must stop
};

struct CommitResult {
  CommitOutcome outcome = CommitOutcome::ok;
  std::string message;  // for operators, when not ok
};

/// A row whose time has come.
struct DueRow {
  ObjectRef row;  // order, payment, refund, reversal, delivery or hold
  MerchantId merchant_id;
  OrderId order_id;  // 0 of a hold
  Time due_at;
  ChannelAccountId
      channel_account_id{};  // of a payment, a refund, a reversal; 0 of the others, and where it is unknown
};

/// Where a row stands among the due ones of its type.
struct DuePlace {
  Time due_at;
  std::int64_t id = 0;
  friend auto operator<=>(const DuePlace&, const DuePlace&) = default;
};
inline DuePlace place_of(const DueRow& row) { return {row.due_at, row.row.value}; }

/// Behind which place rows of a type are read; types without an entry are read from the first row on.
using DueBehind = std::map<ObjectType, DuePlace>;

inline DuePlace behind_of(const DueBehind& behind, ObjectType type) {
  const auto at = behind.find(type);
  return at == behind.end() ? DuePlace{} : at->second;
}

/// How far one expire() goes, and from where it goes on.
struct ExpireStep {
  Time records_before;                // what was answered before it goes, with its idempotency key
  Time deliveries_before;             // finished deliveries whose last step is before it go, with their steps and cases
  IdempotencyRecordId records_after;  // only rows behind these are looked at
  DeliveryId deliveries_after;
  std::size_t limit = 0;  // rows of either kind that are looked at
};

/// What one expire() came to.
struct Expired {
  CommitResult result;
  std::size_t idempotency_records = 0;  // deleted
  std::size_t deliveries = 0;           // deleted
  IdempotencyRecordId records_after;    // the last ones that were looked at
  DeliveryId deliveries_after;
  bool at_end = false;  // nothing older is behind them
};

/// Brings to the disk what a session has committed. Used by one thread, which may be another one than the session's.
class Flusher {
 public:
  virtual ~Flusher() = default;

  /// What was committed before the call survives a loss of power when it returns. After an error only a restart can
  /// tell what is there, so the process must stop.
  virtual Result<void> flush() = 0;
};

/// One lane's connection. Not thread safe.
class Session {
 public:
  virtual ~Session() = default;

  /// Loads everything `reads` names into `rows`, what does not exist as absent. What was loaded may stay locked for
  /// others until commit() or discard().
  virtual Result<void> load(const ReadSet& reads, WorkingSet& rows) = 0;
  /// Writes what `rows` changed, in one transaction: all or nothing. An answer that was lost on the way (the
  /// connection broke, the disk failed) is found out before this returns: by the batch's id in the node's row.
  virtual CommitResult commit(const WorkingSet& rows, const IdGenerator& ids) = 0;
  /// From now on commit() need not wait for the disk: whoever asks for it tells nobody of a commit, or of what was
  /// loaded after one, before the flusher has brought it there. Readers of this process wait for that as well.
  /// Nothing where every commit is durable when it returns; then it stays so.
  virtual Result<std::unique_ptr<Flusher>> flush_apart() = 0;
  /// Ends what load() began without writing anything.
  virtual void discard() = 0;
  /// Leases a node number: at the start, and again after `fenced`. Ids are made from then on under node(), none at or
  /// before ids_not_before().
  virtual Result<void> lease() = 0;
  /// Says that the lease is still needed. Called now and then while nothing is committed; `fenced` when it was lost.
  virtual CommitOutcome renew() = 0;
  /// Deletes what has been kept long enough, as far as `step` goes, in one short transaction, fenced as a commit is.
  /// While another process does the same it does nothing. `conflict`: it lost a race, and nothing was deleted. Where
  /// the store does not let this session delete deliveries, they stay. Ends what load() began, as discard() does.
  virtual Expired expire(const ExpireStep& step) = 0;
  virtual std::int64_t node() const = 0;
  virtual Time ids_not_before() const = 0;
};

/// Where a list goes on: after (older than) or before (newer than) an id.
struct Page {
  std::size_t limit = 10;
  std::optional<std::int64_t> after;
  std::optional<std::int64_t> before;
};

struct OrderFilter {
  std::optional<std::string> merchant_order_no;
  std::optional<OrderState> state;
  std::optional<Time> created_from;  // inclusive
  std::optional<Time> created_to;    // exclusive
};

struct EntryFilter {
  std::optional<Time> from;  // inclusive
  std::optional<Time> to;    // exclusive
};

template <class T>
struct Listed {
  std::vector<T> rows;  // newest first
  bool has_more = false;
};

/// Reads committed rows. Not thread safe: use one per thread, or take them from a ReaderPool.
class Reader {
 public:
  virtual ~Reader() = default;

  virtual Result<std::optional<OrderAggregate>> order(OrderId id) = 0;
  /// Where an order went that is not here any more, because it was archived.
  virtual Result<std::optional<ArchivedOrder>> archived_order(OrderId id) = 0;
  /// The order whose aggregate a payment, refund, reversal or case belongs to; empty for other kinds.
  virtual Result<std::optional<OrderId>> order_of(ObjectRef child) = 0;
  virtual Result<std::optional<Merchant>> merchant(MerchantId id) = 0;
  virtual Result<std::optional<ApiKey>> api_key(const Hash16& hash) = 0;
  virtual Result<std::optional<ChannelAccount>> channel_account(ChannelAccountId id) = 0;
  /// All of them, newest first: there are at most limits::kChannelAccountsMax.
  virtual Result<std::vector<ChannelAccount>> channel_accounts() = 0;
  virtual Result<std::optional<Delivery>> delivery(DeliveryId id) = 0;
  virtual Result<Listed<OrderAggregate>> orders(MerchantId merchant, const OrderFilter& filter, const Page& page) = 0;
  /// Of one root (an order or a delivery), oldest first when `oldest_first`; of one object in it when given.
  virtual Result<Listed<Event>> events(std::int64_t root_id, std::optional<ObjectRef> object, const Page& page,
                                       bool oldest_first) = 0;
  virtual Result<std::vector<Entry>> journal(EntryId first) = 0;
  virtual Result<std::optional<Account>> account(AccountId id) = 0;
  /// The accounts that the merchant opened.
  virtual Result<Listed<Account>> accounts(MerchantId merchant, const Page& page) = 0;
  /// The statement of an account as it was read: its entries within the times, newest first. What was posted since then
  /// need not be among them.
  virtual Result<Listed<Entry>> entries(const Account& account, const EntryFilter& filter, const Page& page) = 0;
  virtual Result<std::optional<Transfer>> transfer(TransferId id) = 0;
  virtual Result<std::optional<Hold>> hold(HoldId id) = 0;
  virtual Result<Listed<Hold>> holds(AccountId account, std::optional<HoldState> state, const Page& page) = 0;
  /// What a natural key names, 0 when nothing.
  virtual Result<std::int64_t> named(const Hash16& key) = 0;
  virtual Result<std::optional<Price>> price(PriceId id) = 0;
  virtual Result<Listed<Price>> prices(MerchantId merchant, const Page& page) = 0;
  virtual Result<std::vector<Fee>> fees(MerchantId merchant) = 0;
  virtual Result<std::vector<WebhookEndpoint>> webhook_endpoints(MerchantId merchant) = 0;
  virtual Result<std::optional<Case>> find_case(CaseId id) = 0;
  virtual Result<Listed<Case>> cases(MerchantId merchant, std::optional<CaseState> state, const Page& page) = 0;
  virtual Result<Listed<Delivery>> deliveries(MerchantId merchant, std::optional<OrderId> order, const Page& page) = 0;

  /// Rows due at `now`, oldest first, at most `limit` of each type: many of one type hide none of another. Each type
  /// from its instant in `from` on only, so that rows that have to wait need not hide later ones.
  virtual Result<std::vector<DueRow>> due(Time now, std::size_t limit, const DueBehind& behind) = 0;
  /// A cheap round trip: is the store there?
  virtual Result<void> ping() = 0;
};

/// Opens sessions and readers. Thread safe.
class Store {
 public:
  virtual ~Store() = default;

  virtual std::size_t lanes() const = 0;
  virtual Result<std::unique_ptr<Session>> open_session() = 0;
  virtual Result<std::unique_ptr<Reader>> open_reader() = 0;
  /// Every invariant over the whole store, as of now. `progress` may be empty.
  virtual Result<AuditReport> audit(const AuditProgress& progress) = 0;
  Result<AuditReport> audit() { return audit(AuditProgress()); }
};

/// What a store's URL looks like, for people.
inline constexpr const char* kStoreUrls = "sqlite:PATH or postgres://USER@HOST/DATABASE";

struct StoreOptions {
  std::string url;         // see kStoreUrls; may hold a password, so it is never shown
  bool read_only = false;  // for `verify` beside a running server
  bool migrate = true;     // bring the schema up to date; otherwise an old one is an error
};

/// PostgreSQL with Citus only: brings the schema up to date and spreads its tables over the machines by merchant. There
/// is no way back. The store remembers it: whoever opens it later goes by shards.
Result<void> distribute_tables(const std::string& url);

/// PostgreSQL only: lets the database's role `role` run Finality, and not more.
Result<void> grant_running_role(const std::string& url, const std::string& role);

/// Opens the store that `url` names. An error says what to do next.
Result<std::unique_ptr<Store>> open_store(const StoreOptions& options);

}  // namespace finality
