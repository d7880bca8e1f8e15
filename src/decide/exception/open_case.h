// Opens cases in the exception queue, and resolves those whose problem ended without operators. Each object has at most
// one open case per kind, to which further evidence is added.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "decide/order/order_writer.h"

namespace finality {

/// Time after which an operator should have handled a case.
inline constexpr Duration kCaseDueAfter = std::chrono::hours(24);

/// The type of the notification of a new case.
inline constexpr const char* kCaseOpened = "case.opened";

/// Opens a case, or adds to the open one, with the command's detail as evidence. Notifies the merchant of a new case
/// (`case.opened`). REQUIRES: Context::detail is set.
void open_case(OrderWriter& writer, CaseKind kind, ObjectRef object);

/// Adds evidence to the open case of that kind and object in `cases`, the cases of `root`, or opens one. Returns the
/// case and whether it is new. REQUIRES: as open_case().
std::pair<Case*, bool> add_case(Context& context, std::vector<Case>& cases, const Root& root, CaseKind kind,
                                ObjectRef object);

/// add_case() for the cases of the writer's aggregate.
template <Aggregate T>
std::pair<Case*, bool> add_case(AggregateWriter<T>& writer, CaseKind kind, ObjectRef object) {
  return add_case(writer.context(), children_in<Case>(writer.aggregate()), writer.bump(), kind, object);
}

/// The unresolved case of that kind and object, or null.
Case* find_open_case(std::vector<Case>& cases, CaseKind kind, ObjectRef object);

/// Resolves the case as `settled`, because its problem has ended without operators. Has no effect without an unresolved
/// case of that kind and object.
template <Aggregate T>
void settle_case(AggregateWriter<T>& writer, CaseKind kind, ObjectRef object) {
  Case* row = find_open_case(children_in<Case>(writer.aggregate()), kind, object);
  if (row == nullptr) return;
  row->resolution = "settled";
  row->note.reset();
  row->proposed_by.reset();
  writer.step(*row, CaseEvent::settled);
}

}  // namespace finality
