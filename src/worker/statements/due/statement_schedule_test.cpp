#include "worker/statements/due/statement_schedule.h"

#include <gtest/gtest.h>

namespace finality {
namespace {

using namespace std::chrono_literals;

const StatementPlan kPlan{
    .utc_offset = 8h, .ready_after = 10h, .retry_every = 30min, .late_after = 12h, .history_days = 90};
const std::string kDay = "2026-09-20";

Time at(const char* text) { return *parse_rfc3339(text); }

TEST(StatementSchedule, TheFirstDownloadIsInTheMorningAfterTheDay) {
  EXPECT_EQ(ready_at(kPlan, kDay), at("2026-09-21T10:00:00+08:00"));
  EXPECT_EQ(late_at(kPlan, kDay), at("2026-09-21T12:00:00+08:00"));
}

TEST(StatementSchedule, AReceivedStatementHasAnHourToBeCompared) {
  EXPECT_EQ(compared_late_at(kPlan, kDay, at("2026-09-21T10:01:00+08:00")), at("2026-09-21T12:00:00+08:00"));
  EXPECT_EQ(compared_late_at(kPlan, kDay, at("2026-09-21T11:30:00+08:00")), at("2026-09-21T12:30:00+08:00"));
  EXPECT_EQ(compared_late_at(kPlan, kDay, at("2026-10-30T15:00:00+08:00")), at("2026-10-30T16:00:00+08:00"));
}

TEST(StatementSchedule, DownloadsBecomeLessFrequent) {
  const struct {
    const char* now;
    const char* next;
  } rows[] = {{"2026-09-20T15:00:00+08:00", "2026-09-21T10:00:00+08:00"},
              {"2026-09-21T10:00:00+08:00", "2026-09-21T10:30:00+08:00"},
              {"2026-09-21T17:59:00+08:00", "2026-09-21T18:29:00+08:00"},
              {"2026-09-21T18:00:00+08:00", "2026-09-21T19:00:00+08:00"},
              {"2026-09-24T09:59:00+08:00", "2026-09-24T10:59:00+08:00"},
              {"2026-09-24T10:00:00+08:00", "2026-09-25T10:00:00+08:00"}};
  for (const auto& row : rows) EXPECT_EQ(next_download(kPlan, kDay, at(row.now)), at(row.next)) << row.now;
}

TEST(StatementSchedule, NoDownloadFollowsTheHistoryOfTheChannel) {
  EXPECT_TRUE(next_download(kPlan, kDay, at("2026-12-19T00:00:00+08:00") - 1ms));
  EXPECT_FALSE(next_download(kPlan, kDay, at("2026-12-20T00:00:00+08:00")));
}

TEST(StatementSchedule, DaysAreExpectedFromTheFirstOneToYesterday) {
  const auto days = expected_days(kPlan, at("2026-09-18T23:00:00Z"), at("2026-09-21T01:00:00+08:00"));
  ASSERT_TRUE(days);
  EXPECT_EQ(days->first, "2026-09-19");
  EXPECT_EQ(days->last, "2026-09-20");
  EXPECT_FALSE(expected_days(kPlan, at("2026-09-21T00:30:00+08:00"), at("2026-09-21T01:00:00+08:00")));
  EXPECT_EQ(expected_days(kPlan, at("2020-01-01T00:00:00Z"), at("2026-09-21T01:00:00+08:00"))->first, "2026-06-23");
}

TEST(StatementSchedule, UploadsAreOverdueAfterTheirTime) {
  StatementPlan plan{.utc_offset = 8h, .late_after = std::chrono::days(3), .are_uploads_expected = true};
  const Time first = at("2026-09-20T10:00:00+08:00");
  EXPECT_FALSE(overdue_days(plan, first, at("2026-09-24T00:00:00+08:00") - 1ms));
  const auto days = overdue_days(plan, first, at("2026-09-25T00:00:00+08:00"));
  ASSERT_TRUE(days);
  EXPECT_EQ(days->first, "2026-09-20");
  EXPECT_EQ(days->last, "2026-09-21");
  const auto limited = overdue_days(plan, first, at("2026-12-05T12:00:00+08:00"));
  ASSERT_TRUE(limited);
  EXPECT_EQ(limited->first, "2026-11-01");
  EXPECT_EQ(limited->last, "2026-12-01");
  plan.are_uploads_expected = false;
  EXPECT_FALSE(overdue_days(plan, first, at("2026-09-25T00:00:00+08:00")));
}

}  // namespace
}  // namespace finality
