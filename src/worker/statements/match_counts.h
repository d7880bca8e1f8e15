// Result of the comparison of a statement.
#pragma once

#include <cstdint>

namespace finality {

/// Number of lines by result, as StepStatement stores them.
struct MatchCounts {
  std::int64_t lines = 0;
  std::int64_t matched = 0;
  std::int64_t repaired = 0;
  std::int64_t carried = 0;      // documents that no line reports, and that a later statement can still contain
  std::int64_t differences = 0;  // lines that operators must look at
  std::int64_t recorded = 0;     // matches with the id of this statement
};

}  // namespace finality
