#include "base/parse_budget.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/limits.h"

namespace finality {
namespace {

TEST(ParseBudget, LimitsGrowWithTheFileUpToTheUnpackedMaximum) {
  EXPECT_EQ(parse_limits_of(0).output_bytes_max, limits::kParseOutputBase);
  EXPECT_EQ(parse_limits_of(10).output_bytes_max, limits::kParseOutputBase + 10 * limits::kParseOutputPerByte);
  for (const std::size_t large : {limits::kStatementBytesMax, std::numeric_limits<std::size_t>::max()})
    EXPECT_EQ(parse_limits_of(large).output_bytes_max, limits::kStatementUnpackedMax);
  EXPECT_EQ(parse_limits_of(10).work_max, limits::kParseWorkPerByte * parse_limits_of(10).output_bytes_max);
}

TEST(ParseBudget, ErrorsNameTheLimit) {
  ParseBudget budget({.input_bytes = 7, .output_bytes_max = 100, .work_max = 1000});
  EXPECT_TRUE(budget.check_output(100));
  EXPECT_EQ(budget.check_output(101).error().message,
            "the unpacked file exceeds the output limit of 100 bytes for a file of 7 bytes");
  EXPECT_TRUE(budget.spend(999));
  EXPECT_TRUE(budget.spend(1));
  EXPECT_EQ(budget.spend(1).error().message, "the file exceeds the work limit of 1000 units for a file of 7 bytes");
  EXPECT_FALSE(budget.spend(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_EQ(budget.work(), 1000U);
  EXPECT_FALSE(budget.is_stopped()) << "a limit is no stop";
}

TEST(ParseBudget, AStopFailsTheNextStep) {
  std::stop_source stop;
  ParseBudget budget(100, stop.get_token());
  EXPECT_TRUE(budget.spend(1));
  EXPECT_FALSE(budget.is_stopped());
  stop.request_stop();
  EXPECT_FALSE(budget.spend(1));
  EXPECT_TRUE(budget.is_stopped());
  EXPECT_EQ(budget.work(), 1U);
}

}  // namespace
}  // namespace finality
