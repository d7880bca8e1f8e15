// Opening a case on the exception desk: one per object and kind; further evidence is added to the one that is there.
#pragma once

#include <string_view>

#include "decide/order_writer.h"

namespace finality {

/// How long a case may lie before somebody should have looked at it.
inline constexpr Duration kCaseDueAfter = std::chrono::hours(24);

/// `evidence_json` is one JSON object, shown beside the others. Tells the merchant (`case.opened`) when it is new.
void open_case(OrderWriter& writer, CaseKind kind, ObjectRef object, std::string_view evidence_json);

/// Adds to the case of that kind and object among `cases`, or opens one. Answers with it, and whether it is new.
std::pair<Case*, bool> add_case(Context& context, std::vector<Case>& cases, const Root& root, CaseKind kind,
                                ObjectRef object, std::string_view evidence_json);

}  // namespace finality
