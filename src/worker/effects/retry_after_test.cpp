#include "worker/effects/retry_after.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/limits.h"

namespace finality {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow{784'111'777'000};  // Sun, 06 Nov 1994 08:49:37 GMT in milliseconds

TEST(RetryAfter, ReadsSecondsAndDates) {
  struct Case {
    const char* field;
    std::optional<Duration> expected;
  };
  const Case cases[] = {
      {"0", 0ms},
      {"120", 120s},
      {"86400", 24h},
      {"86401", 24h},
      {"99999999999999999999999", 24h},
      {"Sun, 06 Nov 1994 08:50:37 GMT", 60s},
      {"Sun, 06 Nov 1994 08:49:37 GMT", 0ms},
      {"Sat, 05 Nov 1994 08:49:37 GMT", 0ms},
      {"Fri, 06 Nov 2099 08:49:37 GMT", 24h},
      {"", std::nullopt},
      {"-1", std::nullopt},
      {"1.5", std::nullopt},
      {" 1", std::nullopt},
      {"soon", std::nullopt},
      {"Sun, 06 Nov 1994 08:50:37 CET", std::nullopt},
      {"Sun, 06 Foo 1994 08:50:37 GMT", std::nullopt},
      {"Sun, 31 Feb 1994 08:50:37 GMT", std::nullopt},
      {"Sun, 06 Nov 1994 25:50:37 GMT", std::nullopt},
      {"Sun, 06 Nov 1994 08:50:37 GMT ", std::nullopt},
      {"Sunday, 06-Nov-94 08:49:37 GMT", std::nullopt},
  };
  for (const Case& row : cases) EXPECT_EQ(parse_retry_after(row.field, kNow), row.expected) << row.field;
}

TEST(RetryAfter, IsNeverNegativeNorLongerThanADay) {
  EXPECT_TRUE(rc::check("any field", [](const std::string& field) {
    const auto pause = parse_retry_after(field, kNow);
    if (pause) RC_ASSERT(*pause >= Duration{0} && *pause <= limits::kRetryAfterMax);
  }));
}

}  // namespace
}  // namespace finality
