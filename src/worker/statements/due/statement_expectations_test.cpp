// Tests of the statements that are expected, with an engine and a store in memory.
#include "worker/statements/due/statement_expectations.h"

#include "worker/statements/statement_reports.h"
#include "worker/statements/test_matcher.h"

namespace finality {
namespace {

using namespace test;

constexpr StatementKind kBank[] = {StatementKind::bank};

Time at(const char* text) { return *parse_rfc3339(text); }

class StatementExpectationsTest : public MatcherTest {
 protected:
  void expect_at(const char* now) {
    const auto expected = expectations_.expect(*reader_, bank_, bank_plan_, at(now));
    EXPECT_TRUE(expected) << expected.error().message;
  }
  Statement upload(std::int64_t id, const std::string& date, StatementState state) {
    Statement statement;
    statement.id = StatementId{id};
    statement.channel_account_id = bank_.id;
    statement.kind = StatementKind::bank;
    statement.date = date;
    statement.source = StatementSource::uploaded;
    statement.state = state;
    const std::unique_lock lock(tables_->mutex);
    tables_->of<StatementAggregate>().insert_or_assign(statement.id, StatementAggregate{statement, {}, {}});
    return statement;
  }

  const ChannelAccount bank_{.id = ChannelAccountId{6},
                             .channel = "icbc",
                             .kind = std::string(kBankKind),
                             .created_at = at("2026-09-20T10:00:00+08:00")};
  StatementPlan bank_plan_{.uploaded_kinds = kBank,
                           .utc_offset = std::chrono::hours(8),
                           .late_after = std::chrono::days(2),
                           .are_uploads_expected = true};
  StatementExpectations expectations_{sender_};
};

TEST_F(StatementExpectationsTest, ADayWithoutAnUploadIsReportedOnce) {
  expect_at("2026-09-22T23:59:59+08:00");
  EXPECT_EQ(differences(), Found{});
  for (const char* now : {"2026-09-23T00:00:00+08:00", "2026-09-23T12:00:00+08:00"}) {
    expect_at(now);
    EXPECT_EQ(differences(), Found{"statement_missing open 2026-09-20"});
  }
  StatementExpectations of_next_start(sender_);
  EXPECT_TRUE(of_next_start.expect(*reader_, bank_, bank_plan_, at("2026-09-24T00:00:00+08:00")));
  EXPECT_EQ(differences(), (Found{"statement_missing open 2026-09-20", "statement_missing open 2026-09-21"}));
}

TEST_F(StatementExpectationsTest, ARejectedUploadDoesNotCount) {
  upload(1, "2026-09-20", StatementState::matched);
  upload(2, "2026-09-21", StatementState::rejected);
  expect_at("2026-09-24T00:00:00+08:00");
  EXPECT_EQ(differences(), Found{"statement_missing open 2026-09-21"});
}

TEST_F(StatementExpectationsTest, AnUploadThatIsRejectedAfterItsTimeIsReported) {
  upload(1, "2026-09-20", StatementState::received);
  upload(2, "2026-09-21", StatementState::matching);
  expect_at("2026-09-23T00:00:00+08:00");
  EXPECT_EQ(differences(), Found{}) << "the file may be usable";
  upload(1, "2026-09-20", StatementState::rejected);
  for (int call = 0; call < 2; ++call) {
    expect_at("2026-09-24T00:00:00+08:00");
    EXPECT_EQ(differences(), Found{"statement_missing open 2026-09-20"});
  }
  upload(2, "2026-09-21", StatementState::matched);
  upload(3, "2026-09-22", StatementState::received);
  expect_at("2026-09-25T00:00:00+08:00");
  upload(3, "2026-09-22", StatementState::rejected);
  upload(4, "2026-09-22", StatementState::matched);
  expect_at("2026-09-25T00:00:01+08:00");
  EXPECT_EQ(differences(), Found{"statement_missing open 2026-09-20"}) << "another file of the day is usable";
}

TEST_F(StatementExpectationsTest, ALateUploadEndsTheDifference) {
  expect_at("2026-09-23T00:00:00+08:00");
  const Statement late = upload(1, "2026-09-20", StatementState::matched);
  EXPECT_TRUE(StatementReports(*reader_, sender_).report_missing(late, DifferenceEvent::repair));
  EXPECT_EQ(differences(), Found{"statement_missing repaired 2026-09-20"});
}

TEST_F(StatementExpectationsTest, NothingIsReportedUnlessUploadsAreExpected) {
  bank_plan_.are_uploads_expected = false;
  expect_at("2026-09-30T00:00:00+08:00");
  EXPECT_EQ(differences(), Found{});
}

}  // namespace
}  // namespace finality
