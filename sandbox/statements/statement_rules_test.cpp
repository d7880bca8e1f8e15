#include "sandbox/statements/statement_rules.h"

#include "sandbox/testing/test_ledger.h"

namespace finality::sandbox {
namespace {

class StatementRulesTest : public TestLedger {
 protected:
  FileState state_at(std::string_view time, const std::string& channel = "sandbox") {
    jump_to(time);
    return file_state(ledger_, channel, "2026-03-02", day("2026-03-02"));
  }
  void set(DayFault fault) { ledger_.statement_tables().add_fault("sandbox", "2026-03-02", fault); }
};

TEST_F(StatementRulesTest, FeesAreRoundedHalfUp) {
  EXPECT_EQ(channel_fee(0), 0);
  EXPECT_EQ(channel_fee(83), 0);   // 0.498
  EXPECT_EQ(channel_fee(84), 1);   // 0.504
  EXPECT_EQ(channel_fee(250), 2);  // 1.5
  EXPECT_EQ(channel_fee(10'000), 60);
}

TEST_F(StatementRulesTest, AFileIsReadyInTheMorningAfterItsDay) {
  EXPECT_EQ(state_at("2026-03-02 12:00:00"), FileState::not_ready);
  EXPECT_EQ(state_at("2026-03-03 08:59:59", "alipay#2"), FileState::not_ready);
  EXPECT_EQ(state_at("2026-03-03 09:00:00", "alipay#2"), FileState::final);
  EXPECT_EQ(state_at("2026-03-03 09:59:59", "wechatpay"), FileState::not_ready);
  EXPECT_EQ(state_at("2026-03-03 10:00:00", "wechatpay"), FileState::final);
  EXPECT_EQ(state_at("2026-03-03 09:59:59"), FileState::not_ready);
  EXPECT_EQ(state_at("2026-03-03 10:00:00"), FileState::final);
}

TEST_F(StatementRulesTest, FaultsMoveTheTimeOfTheFile) {
  set(DayFault::late_file);
  EXPECT_EQ(state_at("2026-03-03 17:59:59"), FileState::not_ready);
  EXPECT_EQ(state_at("2026-03-03 18:00:00"), FileState::final);
  set(DayFault::early_file);
  EXPECT_EQ(state_at("2026-03-02 12:00:00"), FileState::final);
  set(DayFault::missing_day);
  EXPECT_EQ(state_at("2026-04-03 00:00:00"), FileState::not_ready);
}

TEST_F(StatementRulesTest, ASecondVersionReplacesTheFirstAfterFourHours) {
  set(DayFault::second_version);
  EXPECT_EQ(state_at("2026-03-03 10:00:00"), FileState::first_version);
  EXPECT_EQ(state_at("2026-03-03 13:59:59"), FileState::first_version);
  EXPECT_EQ(state_at("2026-03-03 14:00:00"), FileState::final);
}

TEST_F(StatementRulesTest, AWithdrawnLineVanishesAfterFourHours) {
  set(DayFault::withdrawn_line);
  EXPECT_EQ(state_at("2026-03-03 09:59:59"), FileState::not_ready);
  EXPECT_EQ(state_at("2026-03-03 10:00:00"), FileState::final);
  EXPECT_EQ(state_at("2026-03-03 13:59:59"), FileState::final);
  EXPECT_EQ(state_at("2026-03-03 14:00:00"), FileState::shortened);
}

TEST_F(StatementRulesTest, AFaultAffectsOneAccountAndDay) {
  set(DayFault::missing_day);
  EXPECT_EQ(state_at("2026-03-03 10:00:00", "sandbox2"), FileState::final);
  EXPECT_EQ(file_state(ledger_, "sandbox", "2026-03-01", day("2026-03-01")), FileState::final);
}

}  // namespace
}  // namespace finality::sandbox
