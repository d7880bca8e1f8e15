// Aggregates: what is loaded, decided on and guarded together. The root's version guards every row of its aggregate, so
// a decision such as "this order has no open payment" cannot be overtaken. An aggregate is described by its members:
// first the root, then a list for each child type. Stores, archive, audit and their tests go through these lists, so
// that a child type is added by adding a member here; a case can be the child of any root.
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>

#include <algorithm>
#include <optional>
#include <vector>

#include "model/objects/case.h"
#include "model/objects/delivery.h"
#include "model/objects/order.h"
#include "model/objects/payment.h"
#include "model/objects/receipt.h"
#include "model/objects/refund.h"
#include "model/objects/return.h"
#include "model/objects/reversal.h"

namespace finality {

/// The row of that id among `rows`, or null.
template <class Rows, class AnId>
auto* find_row(Rows& rows, AnId id) {
  const auto at = std::ranges::find(rows, id, [](const auto& row) { return row.id; });
  return at == rows.end() ? nullptr : &*at;
}

struct OrderAggregate {
  Order order;
  std::vector<Payment> payments;  // by their ids, as all rows here
  std::vector<Receipt> receipts;
  std::vector<Refund> refunds;
  std::vector<Reversal> reversals;
  std::vector<Return> returns;
  std::vector<Case> cases;
};
BOOST_DESCRIBE_STRUCT(OrderAggregate, (), (order, payments, receipts, refunds, reversals, returns, cases))

struct DeliveryAggregate {
  Delivery delivery;
  std::vector<Case> cases;
};
BOOST_DESCRIBE_STRUCT(DeliveryAggregate, (), (delivery, cases))

/// A root with its children.
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

/// Calls visit(name, member) for the list of each child type, in the order of the description: `aggregate.*member` is
/// the list.
template <Aggregate T, class Visit>
constexpr void for_each_child_type(Visit visit) {
  boost::mp11::mp_for_each<boost::mp11::mp_pop_front<AggregateMembers<T>>>(
      [&](auto member) { visit(std::string_view(member.name), member.pointer); });
}

/// The row type of a list of children, by its member pointer.
template <class Row, Aggregate T>
Row row_type_of(std::vector<Row> T::* member);
template <class Member>
using ChildRow = decltype(row_type_of(std::declval<Member>()));

template <class Descriptor>
using ChildRowOf = ChildRow<std::remove_const_t<decltype(Descriptor::pointer)>>;
/// The child row types of an aggregate.
template <Aggregate T>
using ChildRows = boost::mp11::mp_transform<ChildRowOf, boost::mp11::mp_pop_front<AggregateMembers<T>>>;

/// The id of a child's root.
template <StoredRow Row>
std::int64_t root_id_of(const Row& row) {
  if constexpr (RowTraits<Row>::options.parent == "order_id")
    return row.order_id.value;
  else
    return row.root_id;
}

/// The list of the children of that type. REQUIRES: the aggregate has such children.
template <StoredRow Row, class T>
auto& children_in(T& aggregate) {
  using Found = std::remove_const_t<T>;
  return aggregate.*boost::mp11::mp_at<boost::mp11::mp_pop_front<AggregateMembers<Found>>,
                                       boost::mp11::mp_find<ChildRows<Found>, Row>>::pointer;
}

/// Whether no two child types have one bit.
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
static_assert(are_bits_distinct<OrderAggregate>() && are_bits_distinct<DeliveryAggregate>());

/// What the root's `children` has to be: the bits of the types that it has children of. Kept by the working set.
template <Aggregate T>
std::int64_t presence_of(const T& aggregate) {
  std::int64_t bits = 0;
  for_each_child_type<T>([&](std::string_view, auto member) {
    if (!(aggregate.*member).empty()) bits |= kPresence<ChildRow<decltype(member)>>;
  });
  return bits;
}

/// Whether the root has children of that type.
template <StoredRow Child, StoredRow Root>
bool has_children(const Root& root) {
  return (root.children & kPresence<Child>) != 0;
}

/// All aggregates.
using Aggregates = boost::mp11::mp_list<OrderAggregate, DeliveryAggregate>;

/// Calls visit(std::type_identity<T>()) for each.
template <class Visit>
constexpr void for_each_aggregate_type(Visit visit) {
  boost::mp11::mp_for_each<boost::mp11::mp_transform<std::type_identity, Aggregates>>(visit);
}

template <class T, StoredRow Row>
inline constexpr bool kHasChildType = boost::mp11::mp_contains<ChildRows<T>, Row>::value;

/// The type of the root in whose aggregate an object of that type is: its own where it is a root, or is loaded alone.
/// An object may have a case, which is then in this aggregate too.
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

/// The root in whose aggregate the case is.
inline ObjectRef root_of_case(const Case& row) { return {root_type_of(row.object_type), row.root_id}; }

}  // namespace finality
