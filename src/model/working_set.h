// Working set of a batch of commands: the rows in the read sets of the commands, as stored and with the changes of the
// batch so far.
//
// Each command runs in its own scope. accept() keeps the changes of the scope, and roll_back() discards them. A command
// sees the accepted changes of the previous commands. Reading a row that is in no read set aborts the process, so that
// it cannot be mistaken for a missing row. Each lane has its own working set; not thread safe.
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>

#include <vector>

#include "base/check.h"
#include "model/aggregate.h"
#include "model/natural_key.h"
#include "model/objects/account.h"
#include "model/objects/adjustment.h"
#include "model/objects/api_key.h"
#include "model/objects/channel_account.h"
#include "model/objects/channel_rate.h"
#include "model/objects/entry.h"
#include "model/objects/event.h"
#include "model/objects/fee.h"
#include "model/objects/hold.h"
#include "model/objects/idempotency_record.h"
#include "model/objects/identity_check.h"
#include "model/objects/merchant.h"
#include "model/objects/price.h"
#include "model/objects/transfer.h"
#include "model/objects/webhook_endpoint.h"
#include "model/slot_map.h"
#include "model/whole_order.h"

namespace finality {

/// The key and value types of a SlotMap.
template <class Map>
struct MapTraits;
template <class AKey, class T, class AHash>
struct MapTraits<SlotMap<AKey, T, AHash>> {
  using Key = AKey;
  using Value = T;
  using Hash = AHash;
};

class WorkingSet {
 public:
  SlotMap<OrderId, OrderAggregate> orders;
  SlotMap<DeliveryId, DeliveryAggregate> deliveries;
  SlotMap<UnknownReceiptId, UnknownReceiptAggregate> unknown_receipts;
  SlotMap<StatementId, StatementAggregate> statements;
  SlotMap<DifferenceId, DifferenceAggregate> differences;
  std::vector<Entry> entries;
  SlotMap<AccountId, Account> accounts;
  SlotMap<TransferId, Transfer> transfers;
  SlotMap<HoldId, Hold> holds;  // the version of the account also guards the hold
  SlotMap<PriceId, Price> prices;
  SlotMap<AdjustmentId, Adjustment> adjustments;
  SlotMap<MerchantId, Merchant> merchants;
  SlotMap<ApiKeyId, ApiKey> api_keys;
  SlotMap<ChannelAccountId, ChannelAccount> channel_accounts;
  SlotMap<ChannelRateId, ChannelRate> channel_rates;
  SlotMap<IdentityCheckId, IdentityCheck> identity_checks;
  SlotMap<MerchantId, std::vector<WebhookEndpoint>> endpoints;  // endpoints of each merchant, except deleted endpoints
  SlotMap<MerchantId, std::vector<Fee>> fees;                   // fees of each merchant
  std::vector<Event> events;
  std::vector<StatementPart> statement_parts;
  std::vector<RestoredOrder> restored_orders;  // archived orders; commands do not see their rows before the next batch
  SlotMap<std::int64_t, StatementMatch> statement_matches;               // by document_id
  SlotMap<std::int64_t, FundsMatch> funds_matches;                       // by document_id
  SlotMap<Hash16, Key, Hash16Hasher> keys;                               // natural keys, by hash
  SlotMap<Hash16, IdempotencyRecord, Hash16Hasher> idempotency_records;  // idempotency records, by key_hash
  SlotMap<PaymentId, OrderId> order_of_payment;

  void accept();
  void roll_back();
  /// Index of the first event, and of the first entry, of the current scope.
  std::size_t events_accepted() const { return events_accepted_; }
  std::size_t entries_accepted() const { return entries_accepted_; }

  /// Returns whether any accepted scope changed an object.
  bool changed() const { return changed_; }
  /// Returns whether any object was set by recall(). The commit must then check these objects even if nothing changed.
  bool any_recalled() const;
  void clear();

  /// The members in the order in which a commit writes them: roots before their children, entries before the accounts
  /// with the new balances, accounts before their holds.
  BOOST_DESCRIBE_CLASS(WorkingSet, (),
                       (orders, deliveries, unknown_receipts, statements, differences, entries, accounts, transfers,
                        holds, prices, adjustments, merchants, api_keys, channel_accounts, channel_rates,
                        identity_checks, endpoints, fees, events, statement_parts, restored_orders, statement_matches,
                        funds_matches, keys, idempotency_records, order_of_payment),
                       (), ())

 private:
  bool changed_ = false;
  std::size_t events_accepted_ = 0;
  std::size_t entries_accepted_ = 0;
  std::size_t parts_accepted_ = 0;
  std::size_t restored_accepted_ = 0;
};

using WorkingSetMembers = boost::describe::describe_members<WorkingSet, boost::describe::mod_public>;

template <class Descriptor>
using MemberType = std::remove_cvref_t<decltype(std::declval<WorkingSet&>().*Descriptor::pointer)>;

template <class T>
inline constexpr bool kSlotMap = requires { typename MapTraits<T>::Value; };

/// Calls visit(member) for each map and list of the working set, in the order in which a commit writes them.
template <class Rows, class Visit>
void for_each_member(Rows& rows, Visit visit) {
  boost::mp11::mp_for_each<WorkingSetMembers>([&](auto member) { visit(rows.*member.pointer); });
}

/// Calls visit(map) for each map, in the order in which a commit writes the maps.
template <class Rows, class Visit>
void for_each_map(Rows& rows, Visit visit) {
  for_each_member(rows, [&]<class Member>(Member& member) {
    if constexpr (kSlotMap<std::remove_const_t<Member>>) visit(member);
  });
}

/// Predicate for mp_copy_if_q: whether a member is a SlotMap for which `Is<MapTraits<Map>>` is true.
template <template <class> class Is>
struct IsMap {
  template <class Descriptor>
  static constexpr bool holds() {
    if constexpr (kSlotMap<MemberType<Descriptor>>)
      return Is<MapTraits<MemberType<Descriptor>>>::value;
    else
      return false;
  }
  template <class Descriptor>
  using fn = boost::mp11::mp_bool<holds<Descriptor>()>;
};
/// The first SlotMap of the working set for which `Is<MapTraits<Map>>` is true.
template <template <class> class Is>
using MapWhere = boost::mp11::mp_front<boost::mp11::mp_copy_if_q<WorkingSetMembers, IsMap<Is>>>;

template <class AKey>
struct ByKey {
  template <class Traits>
  using fn = std::is_same<typename Traits::Key, AKey>;
};
template <class T>
struct ByValue {
  template <class Traits>
  using fn = std::is_same<typename Traits::Value, T>;
};

/// Returns the map whose key is AnId. For MerchantId, returns the map of merchants, not of their endpoints or fees.
template <class AnId, class Rows>
auto& map_by(Rows& rows) {
  return rows.*MapWhere<ByKey<AnId>::template fn>::pointer;
}

/// Returns the map whose values have type T: an aggregate, a row, or a merchant's list of rows.
template <class T, class Rows>
auto& map_of(Rows& rows) {
  return rows.*MapWhere<ByValue<T>::template fn>::pointer;
}

/// Calls visit(map, id) once, with the map of the aggregates to which `root` belongs and the id of `root`. Does nothing
/// if these aggregates have no children of type `Child`.
template <StoredRow Child, class Rows, class Visit>
void with_map_of_root(Rows& rows, ObjectRef root, Visit visit) {
  for_each_aggregate_type([&]<class T>(std::type_identity<T>) {
    using RootId = decltype(RootRow<T>::id);
    if constexpr (kHasChildType<T, Child>)
      if (root.type == RootId::type) visit(map_of<T>(rows), RootId{root.value});
  });
}

/// Returns the child with that id in the aggregate of `root`, or null. REQUIRES: the aggregate was loaded.
template <StoredRow Child>
const Child* find_child(const WorkingSet& rows, ObjectRef root, decltype(Child::id) id) {
  const Child* found = nullptr;
  with_map_of_root<Child>(rows, root, [&](const auto& map, auto root_id) {
    if (const auto* aggregate = map.find(root_id)) found = find_row(children_in<Child>(*aggregate), id);
  });
  return found;
}

/// Returns the child with that id in the aggregate of `root`, for modification. REQUIRES: the child exists. The
/// reference is valid until the scope ends.
template <StoredRow Child>
Child& change_child(WorkingSet& rows, ObjectRef root, decltype(Child::id) id) {
  Child* found = nullptr;
  with_map_of_root<Child>(
      rows, root, [&](auto& map, auto root_id) { found = find_row(children_in<Child>(map.change(root_id)), id); });
  FINALITY_CHECK(found != nullptr, "a child was changed that does not exist");
  return *found;
}

}  // namespace finality
