// Finds repairs of the books whose difference was not recorded, because the server stopped between the two commands.
// The line then agrees with the books, and its document has no match yet.
#pragma once

#include <optional>

#include "decide/statement/compare_line.h"
#include "worker/statements/match_task.h"

namespace finality {

/// Returns what the comparison of the line found before an earlier run of the same comparison booked evidence of the
/// line. Empty if the books had the document otherwise, if no earlier run was interrupted, or for an uploaded
/// statement, from which nothing is booked. `now`: what the comparison finds now. REQUIRES: `now` is a match, and
/// neither this run nor an earlier one has recorded it: matches are only committed after the differences of their
/// lines.
Result<std::optional<Comparison>> find_interrupted_repair(const MatchTask& task, const StatementLine& line,
                                                          const Comparison& now);

}  // namespace finality
