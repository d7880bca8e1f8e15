// The rows of a store in memory, and what else a database keeps: which rows are due, which ids are taken, who holds
// which node.
#pragma once

#include <map>
#include <set>
#include <shared_mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/working_set.h"
#include "store/store.h"

namespace finality::memory {

template <class AnId, class Row>
using Rows = std::unordered_map<AnId, Row>;

/// Holds the tables for itself; readers share them with std::shared_lock.
class Exclusive {
 public:
  explicit Exclusive(std::shared_mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~Exclusive() { mutex_.unlock(); }
  Exclusive(const Exclusive&) = delete;
  Exclusive& operator=(const Exclusive&) = delete;

 private:
  std::shared_mutex& mutex_;
};

struct Node {
  std::int64_t token = 0;  // fencing: rises with every lease
  Time ids_until;
  bool leased = false;
};

/// What the tables have.
struct Contents {
  Rows<OrderId, OrderAggregate> orders;
  Rows<DeliveryId, DeliveryAggregate> deliveries;
  Rows<AccountId, Account> accounts;
  Rows<TransferId, Transfer> transfers;
  Rows<HoldId, Hold> holds;
  Rows<PriceId, Price> prices;
  Rows<MerchantId, Merchant> merchants;
  Rows<ApiKeyId, ApiKey> api_keys;
  Rows<MerchantId, std::vector<WebhookEndpoint>> endpoints;
  Rows<MerchantId, std::vector<Fee>> fees;
  std::unordered_map<Hash16, Key, Hash16Hasher> keys;
  std::unordered_map<Hash16, Answer, Hash16Hasher> answers;
  std::unordered_map<std::int64_t, std::vector<Event>> events;  // by root, in their order
  std::map<EntryId, Entry> entries;

  // What belongs to a root, by its own id.
  Rows<PaymentId, OrderId> order_of_payment;
  Rows<RefundId, OrderId> order_of_refund;
  Rows<ReversalId, OrderId> order_of_reversal;
  Rows<CaseId, std::int64_t> root_of_case;
  std::unordered_set<std::int64_t> answer_ids;
  std::unordered_set<std::int64_t> endpoint_ids;
  std::unordered_set<std::int64_t> fee_ids;
  std::unordered_set<Hash16, Hash16Hasher> api_key_hashes;

  std::map<std::pair<Time, ObjectRef>, DueRow> due;
  std::map<std::int64_t, Node> nodes;

  void set_due(const DueRow& row, const std::optional<Time>& before, const std::optional<Time>& after) {
    if (before == after) return;
    if (before) due.erase({*before, row.row});
    if (!after) return;
    DueRow& added = due[{*after, row.row}];
    added = row;
    added.due_at = *after;
  }
};

struct Tables : Contents {
  mutable std::shared_mutex mutex;  // of all of it
};

/// The row of that id, or null.
template <class Map>
auto* find_in(Map& map, const typename std::remove_const_t<Map>::key_type& id) {
  const auto at = map.find(id);
  return at == map.end() ? nullptr : &at->second;
}

}  // namespace finality::memory
