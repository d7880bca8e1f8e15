// Type lists of all row types, derived from the members of the working set and of its aggregates. Stores, archive,
// audit and their tests iterate over these lists to handle each row type in the same way.
#pragma once

#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>

#include "model/objects/archived_order.h"
#include "model/objects/change.h"
#include "model/working_set.h"

namespace finality {

/// The row types that a value of type T of the working set contains.
template <class T>
struct RowsIn {
  using type = boost::mp11::mp_list<>;  // for order_of_payment, which contains ids only
};
template <StoredRow Row>
struct RowsIn<Row> {
  using type = boost::mp11::mp_list<Row>;
};
template <>
struct RowsIn<IdempotencyRecord> {
  using type = boost::mp11::mp_list<IdempotencyKey, IdempotencyRecord>;
};
template <class Row>
struct RowsIn<std::vector<Row>> {
  using type = boost::mp11::mp_list<Row>;
};
template <>
struct RowsIn<std::vector<Event>> {
  using type = boost::mp11::mp_list<Change>;  // the row that stores the events
};
template <>
struct RowsIn<std::vector<RestoredOrder>> {
  using type = boost::mp11::mp_list<>;  // its rows have the types of the maps
};
template <Aggregate T>
struct RowsIn<T> {
  using type = boost::mp11::mp_push_front<ChildRows<T>, RootRow<T>>;
};
template <class Key, class T, class Hash>
struct RowsIn<SlotMap<Key, T, Hash>> : RowsIn<T> {};

template <class Descriptor>
using RowsInMember = typename RowsIn<MemberType<Descriptor>>::type;

/// The row types that a commit writes, in write order. A child type of several aggregates comes after the last of their
/// roots. Concurrent commits therefore lock all roots before the child rows.
using WrittenRows = boost::mp11::mp_reverse<boost::mp11::mp_unique<boost::mp11::mp_reverse<
    boost::mp11::mp_apply<boost::mp11::mp_append, boost::mp11::mp_transform<RowsInMember, WorkingSetMembers>>>>>;

/// All row types that a store contains.
using RowTypes = boost::mp11::mp_push_back<WrittenRows, ArchivedOrder>;

/// All row types that archives and audits contain: a store has events only as a view of its changes.
using DescribedRows = boost::mp11::mp_push_back<RowTypes, Event>;

/// Whether rows of the type have a state machine. machine_of(row.state) returns it.
template <class Row>
inline constexpr bool kHasMachine = requires(Row row) { machine_of(row.state); };

/// Calls visit(std::type_identity<Row>()) for each row type of `List`.
template <class List, class Visit>
constexpr void for_each_row_type(Visit visit) {
  boost::mp11::mp_for_each<boost::mp11::mp_transform<std::type_identity, List>>(visit);
}

}  // namespace finality
