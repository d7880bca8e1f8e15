// Interface for moving whole orders out of a store and back. It reads all rows of an order, checks whether the order
// can be archived, and removes or restores the rows.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/objects/archived_order.h"
#include "model/objects/channel_account.h"
#include "model/whole_order.h"

namespace finality::store {

using finality::WholeDelivery;
using finality::WholeOrder;

/// Whether the order can be archived. Every row must be in a final state and not due. No receipt may be in suspense and
/// no case open. The order must not be parked. All events of the order and its deliveries must be older than `before`.
/// The presence bits must match the rows.
bool is_over(const WholeOrder& order, Time before);

/// Whether the channel may still refund or dispute a payment of the order: a receipt was paid after `paid_after`.
bool is_refundable(const WholeOrder& order, Time paid_after);

/// Reads, removes and restores whole orders of a store. At most one archivist at a time may use a store. Not thread
/// safe.
class Archivist {
 public:
  /// Returns whether an order may be removed. The argument is the order as it is in the store at the time of removal.
  using IsRemovable = std::function<bool(const WholeOrder&)>;

  virtual ~Archivist() = default;

  /// Returns the ids of final orders above `after` that were created before `before` and are not due: oldest first, at
  /// most `limit`. The caller must read() each order and archive it only if is_over() returns true.
  virtual Result<std::vector<OrderId>> candidates(OrderId after, Time before, std::size_t limit) = 0;
  /// Returns those orders in `ids` that wait for statements, sorted by id: a receipt, a succeeded refund or a succeeded
  /// reversal has neither a match with a line of a statement nor a repaired or resolved difference, although its
  /// channel account provides statements of trades; or one of them, or a return, has neither of a funds statement,
  /// although the account provides those. Documents from before the account's first statement of the kind do not wait.
  /// A match is never removed, so an order that does not change never waits again.
  virtual Result<std::vector<OrderId>> waiting(const std::vector<OrderId>& ids) = 0;
  /// Reads the orders in one snapshot. Returns the orders that exist, sorted by id.
  virtual Result<std::vector<WholeOrder>> read(const std::vector<OrderId>& ids) = 0;
  /// Returns the archive records of those orders in `ids` that are archived.
  virtual Result<std::vector<ArchivedOrder>> archived(const std::vector<OrderId>& ids) = 0;
  /// Removes the orders for which `is_removable` returns true, in one transaction, and returns their ids. Records
  /// `archive` and `now` for each order, and points all its natural keys to the order's id. Keeps an order that another
  /// writer changes meanwhile. After an error nothing is removed, unless only the reply to COMMIT was lost: archived()
  /// returns the orders if the transaction was committed.
  virtual Result<std::vector<OrderId>> remove(const std::vector<OrderId>& ids, const std::string& archive, Time now,
                                              const IsRemovable& is_removable) = 0;
  /// Inserts every row of an archived order, points its natural keys to their objects again, and deletes its row of
  /// archived_orders, in one transaction. Fails if that row does not name `archive`, or if a row is already in the
  /// store. After an error nothing is changed, unless only the reply to COMMIT was lost: read() returns the order if
  /// the transaction was committed.
  virtual Result<void> restore(const WholeOrder& order, const std::string& archive) = 0;
};

/// Opens an archivist for the store at `url`. A SQLite store must not be in use by a server. A PostgreSQL store may be
/// in use; the role must own the tables. Error messages state what to do.
Result<std::unique_ptr<Archivist>> open_archivist(const std::string& url);

/// The two ids to which a natural key can map: `id`, the object that the key names, while the order is in the store;
/// `order_id` while the order is archived.
struct RenamedKey {
  Hash16 hash{};
  std::int64_t id = 0;
  OrderId order_id;
};

/// Returns the natural keys of an order and of its receipts, refunds, captures and channel settlements.
std::vector<RenamedKey> keys_of(const OrderAggregate& order);

/// Returns the row that stays in the store for an order that is moved to the archive.
ArchivedOrder archive_record_of(const OrderAggregate& order, Time now, const std::string& archive);

}  // namespace finality::store
