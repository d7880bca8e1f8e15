// Every row type, from the descriptions of the working set and its aggregates: what stores, archive, audit and their
// tests go through where they treat all rows alike.
#pragma once

#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>

#include "model/objects/archived_order.h"
#include "model/working_set.h"

namespace finality {

/// The row types in a value of the working set.
template <class T>
struct RowsIn {
  using type = boost::mp11::mp_list<>;  // of order_of_payment: no row of its own
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
template <Aggregate T>
struct RowsIn<T> {
  using type = boost::mp11::mp_push_front<ChildRows<T>, RootRow<T>>;
};
template <class Key, class T, class Hash>
struct RowsIn<SlotMap<Key, T, Hash>> : RowsIn<T> {};

template <class Descriptor>
using RowsInMember = typename RowsIn<MemberType<Descriptor>>::type;

/// What a commit writes, in the order in which it writes them. A type that is the child of several roots comes after
/// the last of them, so that two commits wait for each other's roots before they wait for anything of them.
using WrittenRows = boost::mp11::mp_reverse<boost::mp11::mp_unique<boost::mp11::mp_reverse<
    boost::mp11::mp_apply<boost::mp11::mp_append, boost::mp11::mp_transform<RowsInMember, WorkingSetMembers>>>>>;

/// All that a store keeps.
using RowTypes = boost::mp11::mp_push_back<WrittenRows, ArchivedOrder>;

/// Whether rows of the type have a machine, which machine_of(row.state) is.
template <class Row>
inline constexpr bool kHasMachine = requires(Row row) { machine_of(row.state); };

/// Calls visit(std::type_identity<Row>()) for each row type of `List`.
template <class List, class Visit>
constexpr void for_each_row_type(Visit visit) {
  boost::mp11::mp_for_each<boost::mp11::mp_transform<std::type_identity, List>>(visit);
}

}  // namespace finality
