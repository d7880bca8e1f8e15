// Opening a case in the exception queue, and taking it out again when it has settled itself: one per object and kind;
// further evidence is added to the one that is there.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "decide/order/order_writer.h"

namespace finality {

/// How long a case may lie before somebody should have looked at it.
inline constexpr Duration kCaseDueAfter = std::chrono::hours(24);

/// The type of the notification that tells of a new case.
inline constexpr const char* kCaseOpened = "case.opened";

/// The command's detail becomes evidence of the case, beside what is there. Tells the merchant (`case.opened`) when it
/// is new. REQUIRES: Context::detail is set.
void open_case(OrderWriter& writer, CaseKind kind, ObjectRef object);

/// Adds to the case of that kind and object among `cases`, which are those of `root`, or opens one. Answers with it,
/// and whether it is new. REQUIRES: as open_case().
std::pair<Case*, bool> add_case(Context& context, std::vector<Case>& cases, const Root& root, CaseKind kind,
                                ObjectRef object);

/// The same in the aggregate that is being written.
template <Aggregate T>
std::pair<Case*, bool> add_case(AggregateWriter<T>& writer, CaseKind kind, ObjectRef object) {
  return add_case(writer.context(), children_in<Case>(writer.aggregate()), writer.bump(), kind, object);
}

/// The case of that kind and object that is not resolved yet, if there is one.
Case* find_open_case(std::vector<Case>& cases, CaseKind kind, ObjectRef object);

/// What the case was about has ended well without operators: nobody need look at it any more. Does nothing when there
/// is no such case, or it is resolved.
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
