#include "base/parse_budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"

namespace finality {

ParseLimits parse_limits_of(std::size_t input_bytes) {
  const std::size_t counted = std::min(input_bytes, limits::kStatementUnpackedMax / limits::kParseOutputPerByte);
  const std::size_t output =
      std::min(limits::kParseOutputBase + limits::kParseOutputPerByte * counted, limits::kStatementUnpackedMax);
  return {.input_bytes = input_bytes,
          .output_bytes_max = output,
          .work_max = limits::kParseWorkPerByte * std::uint64_t{output}};
}

Result<void> ParseBudget::check_output(std::uint64_t bytes) const {
  if (bytes <= limits_.output_bytes_max) return {};
  return fail(fmt::format("the unpacked file exceeds the output limit of {} bytes for a file of {} bytes",
                          limits_.output_bytes_max, limits_.input_bytes));
}

Result<void> ParseBudget::spend(std::uint64_t units) {
  if (is_stopped_ || stop_.stop_requested()) {
    is_stopped_ = true;
    return fail("the parser was stopped before the end of the file");
  }
  if (units > limits_.work_max - work_)
    return fail(fmt::format("the file exceeds the work limit of {} units for a file of {} bytes", limits_.work_max,
                            limits_.input_bytes));
  work_ += units;
  return {};
}

}  // namespace finality
