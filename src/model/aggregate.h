// Aggregates: a root row and its child rows, loaded and versioned together. The root's version guards every row of the
// aggregate, so a concurrent write cannot invalidate a decision such as "this order has no open payment". The members
// of an aggregate are first the root, then one list per child type. Stores, archive, audit and their tests iterate over
// these lists: a new member adds a child type everywhere.
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>

#include <algorithm>
#include <optional>
#include <vector>

#include "model/objects/authorization.h"
#include "model/objects/capture.h"
#include "model/objects/case.h"
#include "model/objects/channel_settlement.h"
#include "model/objects/delivery.h"
#include "model/objects/difference.h"
#include "model/objects/order.h"
#include "model/objects/payment.h"
#include "model/objects/receipt.h"
#include "model/objects/refund.h"
#include "model/objects/return.h"
#include "model/objects/reversal.h"
#include "model/objects/statement.h"
#include "model/objects/unknown_receipt.h"

namespace finality {

/// Returns the row with that id in `rows`, or null. The pointer is valid until `rows` changes.
template <class Rows, class AnId>
auto* find_row(Rows& rows, AnId id) {
  const auto at = std::ranges::find(rows, id, [](const auto& row) { return row.id; });
  return at == rows.end() ? nullptr : &*at;
}

/// An order with its payments or authorizations, refunds and other child rows.
struct OrderAggregate {
  Order order;
  std::vector<Payment> payments;  // this and all following lists are ordered by id
  std::vector<Authorization> authorizations;
  std::vector<Capture> captures;
  std::vector<Receipt> receipts;
  std::vector<Refund> refunds;
  std::vector<Reversal> reversals;
  std::vector<Return> returns;
  std::vector<ChannelSettlement> channel_settlements;
  std::vector<Case> cases;
};
BOOST_DESCRIBE_STRUCT(OrderAggregate, (),
                      (order, payments, authorizations, captures, receipts, refunds, reversals, returns,
                       channel_settlements, cases))

/// A delivery with its exception cases.
struct DeliveryAggregate {
  Delivery delivery;
  std::vector<Case> cases;
};
BOOST_DESCRIBE_STRUCT(DeliveryAggregate, (), (delivery, cases))

/// An unknown receipt with its exception case.
struct UnknownReceiptAggregate {
  UnknownReceipt unknown_receipt;
  std::vector<Case> cases;
};
BOOST_DESCRIBE_STRUCT(UnknownReceiptAggregate, (), (unknown_receipt, cases))

/// A statement with its totals and movements.
struct StatementAggregate {
  Statement statement;
  std::vector<StatementTotal> totals;
  std::vector<StatementMovement> movements;
};
BOOST_DESCRIBE_STRUCT(StatementAggregate, (), (statement, totals, movements))

/// A difference with its exception case.
struct DifferenceAggregate {
  Difference difference;
  std::vector<Case> cases;
};
BOOST_DESCRIBE_STRUCT(DifferenceAggregate, (), (difference, cases))

/// A type that consists of a root row and its lists of child rows.
template <class T>
concept Aggregate = boost::describe::has_describe_members<T>::value && !StoredRow<T>;

template <Aggregate T>
using AggregateMembers = boost::describe::describe_members<T, boost::describe::mod_public>;

template <Aggregate T>
const auto& root_of(const T& aggregate) {
  return aggregate.*boost::mp11::mp_first<AggregateMembers<T>>::pointer;
}
template <Aggregate T>
auto& root_of(T& aggregate) {
  return aggregate.*boost::mp11::mp_first<AggregateMembers<T>>::pointer;
}
template <Aggregate T>
using RootRow = std::remove_cvref_t<decltype(root_of(std::declval<T>()))>;

/// Calls visit(name, member) for each child type of T, in the order of the members. `aggregate.*member` is the list of
/// its rows.
template <Aggregate T, class Visit>
constexpr void for_each_child_type(Visit visit) {
  boost::mp11::mp_for_each<boost::mp11::mp_pop_front<AggregateMembers<T>>>(
      [&](auto member) { visit(std::string_view(member.name), member.pointer); });
}

/// Row type of the list that the member pointer points to. Used unevaluated, so it has no definition.
template <class Row, Aggregate T>
Row row_type_of(std::vector<Row> T::* member);
template <class Member>
using ChildRow = decltype(row_type_of(std::declval<Member>()));

template <class Descriptor>
using ChildRowOf = ChildRow<std::remove_const_t<decltype(Descriptor::pointer)>>;
/// List of the child row types of an aggregate.
template <Aggregate T>
using ChildRows = boost::mp11::mp_transform<ChildRowOf, boost::mp11::mp_pop_front<AggregateMembers<T>>>;

/// Returns the id of the root to which the child row belongs.
template <StoredRow Row>
std::int64_t root_id_of(const Row& row) {
  if constexpr (RowTraits<Row>::options.parent == "order_id")
    return row.order_id.value;
  else if constexpr (RowTraits<Row>::options.parent == "statement_id")
    return row.statement_id.value;
  else
    return row.root_id;
}

/// Returns the list of the aggregate's children of type `Row`. REQUIRES: `Row` is a child type of the aggregate.
template <StoredRow Row, class T>
auto& children_in(T& aggregate) {
  using Found = std::remove_const_t<T>;
  return aggregate.*boost::mp11::mp_at<boost::mp11::mp_pop_front<AggregateMembers<Found>>,
                                       boost::mp11::mp_find<ChildRows<Found>, Row>>::pointer;
}

/// Returns whether no two child types of the aggregate share a presence bit.
template <Aggregate T>
constexpr bool are_bits_distinct() {
  std::int64_t bits = 0;
  bool distinct = true;
  for_each_child_type<T>([&](std::string_view, auto member) {
    constexpr std::int64_t kBit = kPresence<ChildRow<decltype(member)>>;
    distinct = distinct && (bits & kBit) == 0;
    bits |= kBit;
  });
  return distinct;
}
static_assert(are_bits_distinct<OrderAggregate>() && are_bits_distinct<DeliveryAggregate>() &&
              are_bits_distinct<UnknownReceiptAggregate>() && are_bits_distinct<StatementAggregate>() &&
              are_bits_distinct<DifferenceAggregate>());

/// Computes the root's `children` column: the presence bits of all child types that have rows. SlotMap::accept() sets
/// the column.
template <Aggregate T>
std::int64_t presence_of(const T& aggregate) {
  std::int64_t bits = 0;
  for_each_child_type<T>([&](std::string_view, auto member) {
    if (!(aggregate.*member).empty()) bits |= kPresence<ChildRow<decltype(member)>>;
  });
  return bits;
}

/// Returns whether the root has children of type `Child`, according to its `children` column.
template <StoredRow Child, StoredRow Root>
bool has_children(const Root& root) {
  return (root.children & kPresence<Child>) != 0;
}

/// List of all aggregate types.
using Aggregates = boost::mp11::mp_list<OrderAggregate, DeliveryAggregate, UnknownReceiptAggregate, StatementAggregate,
                                        DifferenceAggregate>;

/// Calls visit(std::type_identity<T>()) for each aggregate type T.
template <class Visit>
constexpr void for_each_aggregate_type(Visit visit) {
  boost::mp11::mp_for_each<boost::mp11::mp_transform<std::type_identity, Aggregates>>(visit);
}

template <class T, StoredRow Row>
inline constexpr bool kHasChildType = boost::mp11::mp_contains<ChildRows<T>, Row>::value;

/// Returns the root type of the aggregate that contains objects of that type. A type that is no child type of an
/// aggregate is its own root type. The cases of an object are in the object's aggregate.
constexpr ObjectType root_type_of(ObjectType type) {
  ObjectType found = type;
  for_each_aggregate_type([&]<class T>(std::type_identity<T>) {
    for_each_child_type<T>([&](std::string_view, auto member) {
      using Row = ChildRow<decltype(member)>;
      if (type == decltype(Row::id)::type && !std::is_same_v<Row, Case>) found = decltype(RootRow<T>::id)::type;
    });
  });
  return found;
}

/// Returns the object of the case.
inline ObjectRef object_of(const Case& row) { return {row.object_type, row.object_id}; }

/// Returns the root of the aggregate that contains the case.
inline ObjectRef root_of_case(const Case& row) { return {root_type_of(row.object_type), row.root_id}; }

}  // namespace finality
