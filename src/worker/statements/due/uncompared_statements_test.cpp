// Tests of the reports about statements that are not compared, with an engine and a store in memory.
#include "worker/statements/due/uncompared_statements.h"

#include "worker/statements/statement_reports.h"
#include "worker/statements/test_matcher.h"

namespace finality {
namespace {

using namespace test;

Time at(const char* text) { return *parse_rfc3339(text); }

class UncomparedStatementsTest : public MatcherTest {
 protected:
  // The statement of a day that was received in the morning after it.
  static Statement received(StatementState state = StatementState::matching) {
    Statement statement;
    statement.id = StatementId{1 << 22};
    statement.channel_account_id = ChannelAccountId{5};
    statement.date = "2026-09-20";
    statement.state = state;
    statement.received_at = at("2026-09-21T10:00:00+08:00");
    return statement;
  }
  void report(const Statement& statement, const char* now) {
    const auto reported = uncompared_.report_if_late(*reader_, statement, kPlan, at(now));
    EXPECT_TRUE(reported) << reported.error().message;
  }

  static constexpr StatementPlan kPlan{.utc_offset = std::chrono::hours(8), .late_after = std::chrono::hours(12)};
  UncomparedStatements uncompared_{sender_};
};

TEST_F(UncomparedStatementsTest, AReceivedStatementIsReportedAfterItsTime) {
  report(received(), "2026-09-21T11:59:59+08:00");
  EXPECT_EQ(differences(), Found{});
  for (const char* now : {"2026-09-21T12:00:00+08:00", "2026-09-21T12:05:00+08:00"}) {
    report(received(), now);
    EXPECT_EQ(differences(), Found{"statement_missing open 2026-09-20"});
  }
}

TEST_F(UncomparedStatementsTest, AStatementThatWaitsForAnotherOneIsReported) {
  report(received(StatementState::received), "2026-09-21T12:00:00+08:00");
  EXPECT_EQ(differences(), Found{"statement_missing open 2026-09-20"});
}

TEST_F(UncomparedStatementsTest, ALateStatementHasAnHourToBeCompared) {
  Statement late = received();
  late.received_at = at("2026-09-30T10:00:00+08:00");
  report(late, "2026-09-30T10:59:59+08:00");
  EXPECT_EQ(differences(), Found{});
  report(late, "2026-09-30T11:00:00+08:00");
  EXPECT_EQ(differences(), Found{"statement_missing open 2026-09-20"});
}

TEST_F(UncomparedStatementsTest, AStatementWithoutAComparisonIsNotReported) {
  using S = StatementState;
  for (const S state : {S::expected, S::downloading, S::matched, S::rejected, S::empty})
    report(received(state), "2026-09-25T12:00:00+08:00");
  EXPECT_EQ(differences(), Found{});
}

TEST_F(UncomparedStatementsTest, AnUploadOfABankIsReportedAndOneOfAChannelIsNot) {
  Statement upload = received();
  upload.source = StatementSource::uploaded;
  report(upload, "2026-09-25T12:00:00+08:00");
  EXPECT_EQ(differences(), Found{}) << "the download of the day reports it";
  upload.kind = StatementKind::bank;
  report(upload, "2026-09-25T12:00:00+08:00");
  EXPECT_EQ(differences(), Found{"statement_missing open 2026-09-20"});
}

TEST_F(UncomparedStatementsTest, TheReportEndsWhenTheStatementIsCompared) {
  const Statement statement = received();
  report(statement, "2026-09-21T12:00:00+08:00");
  ASSERT_TRUE(StatementReports(*reader_, sender_).report_missing(statement, DifferenceEvent::repair));
  uncompared_.forget(statement.id);
  EXPECT_EQ(differences(), Found{"statement_missing repaired 2026-09-20"});
}

}  // namespace
}  // namespace finality
