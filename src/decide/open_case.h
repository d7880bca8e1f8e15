// Opening a case on the exception desk, and taking it off again when it has settled itself: one per object and kind;
// further evidence is added to the one that is there.
#pragma once

#include <string_view>

#include "decide/order_writer.h"

namespace finality {

/// How long a case may lie before somebody should have looked at it.
inline constexpr Duration kCaseDueAfter = std::chrono::hours(24);

/// The type of the notification that tells of a new case.
inline constexpr std::string_view kCaseOpened = "case.opened";

/// `evidence_json` is one JSON object, shown beside the others. Tells the merchant (`case.opened`) when it is new.
void open_case(OrderWriter& writer, CaseKind kind, ObjectRef object, std::string_view evidence_json);

/// Adds to the case of that kind and object among `cases`, or opens one. Answers with it, and whether it is new.
std::pair<Case*, bool> add_case(Context& context, std::vector<Case>& cases, const Root& root, CaseKind kind,
                                ObjectRef object, std::string_view evidence_json);

/// The case of that kind and object that is not resolved yet, if there is one.
Case* find_open_case(std::vector<Case>& cases, CaseKind kind, ObjectRef object);

/// What the case was about has ended well without the desk: nobody need look at it any more. `writer` is the
/// aggregate's, `cases` are its cases. Does nothing when there is no such case, or it is resolved.
template <class Writer>
void settle_case(Writer& writer, std::vector<Case>& cases, CaseKind kind, ObjectRef object) {
  Case* row = find_open_case(cases, kind, object);
  if (row == nullptr) return;
  row->resolution = "settled";
  row->note.reset();
  row->proposed_by.reset();
  writer.step(*row, CaseEvent::settled);
}

}  // namespace finality
