// Opens cases in the exception queue, and resolves cases whose problem ended without an operator. Each object has at
// most one open case per kind. Further evidence is added to that case.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "decide/order/order_writer.h"

namespace finality {

/// Time within which operators should resolve a new case.
inline constexpr Duration kCaseDueAfter = std::chrono::hours(24);

/// The type of the notification of a new case.
inline constexpr const char* kCaseOpened = "case.opened";

/// Opens a case about `object`, or adds evidence to its open case of that kind. The evidence is Context::detail.
/// Notifies the merchant of a new case (`case.opened`). REQUIRES: Context::detail is set.
void open_case(OrderWriter& writer, CaseKind kind, ObjectRef object);

/// As open_case(), but without a notification. `cases`: the cases of the aggregate with the root `root`. Returns the
/// case and whether it is new. The pointer is valid until a case is added.
std::pair<Case*, bool> add_case(Context& context, std::vector<Case>& cases, const Root& root, CaseKind kind,
                                ObjectRef object);

/// Calls add_case() with the cases of the writer's aggregate.
template <Aggregate T>
std::pair<Case*, bool> add_case(AggregateWriter<T>& writer, CaseKind kind, ObjectRef object) {
  return add_case(writer.context(), children_in<Case>(writer.aggregate()), writer.bump(), kind, object);
}

/// Returns the unresolved case of that kind and object, or null.
const Case* find_open_case(const std::vector<Case>& cases, CaseKind kind, ObjectRef object);
Case* find_open_case(std::vector<Case>& cases, CaseKind kind, ObjectRef object);

/// Resolves the open case of that kind and object as `settled`: its problem has ended without an operator. Does nothing
/// when no such case is open.
template <Aggregate T>
void settle_case(AggregateWriter<T>& writer, CaseKind kind, ObjectRef object) {
  Case* row = find_open_case(children_in<Case>(writer.aggregate()), kind, object);
  if (row == nullptr) return;
  row->resolution = "settled";
  row->note.reset();
  row->proposed_by.reset();
  row->assign_to.reset();
  writer.step(*row, CaseEvent::settled);
}

}  // namespace finality
