// Tests of the comparison of statements of trades with the books, with an engine and a store in memory.
#include "worker/statements/statement_matcher.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "engine/test_engine.h"
#include "store/memory/store.h"
#include "worker/engine_command_sender.h"

namespace finality {
namespace {

using namespace test;

constexpr std::int64_t kFee = 12'000;  // StatementLine::fee_e5 of 0.6 % of kAmount

class StatementMatcherTest : public testing::Test {
 protected:
  StatementMatcherTest() {
    world_.policy.accounts["sandbox"] = account_;
    payment_ = PaymentId{world_.execute(world_.payment_for(world_.new_order())).object->value};
  }
  ~StatementMatcherTest() override { world_.engine->drain(); }

  StatementLine payment_line(std::int64_t fee_e5 = kFee) const {
    return {.line_no = 1,
            .kind = LineKind::payment,
            .channel_trade_no = "T1",
            .out_trade_no = out_number(kMerchant, payment_.value),
            .currency = kCny,
            .amount = kAmount,
            .fee_e5 = fee_e5,
            .at = test::kNow};
  }
  /// Compares the only line of the statement of that day.
  MatchCounts compare(std::int64_t id, const std::string& date, const StatementLine& line) {
    Statement statement;
    statement.id = StatementId{id};
    statement.merchant_id = kPlatform;
    statement.channel_account_id = account_.id;
    statement.channel = account_.channel;
    statement.date = date;
    store(statement);
    StatementMatcher matcher({.statement = statement,
                              .account = account_,
                              .plan = plan_,
                              .rates = rates_,
                              .earlier = {},
                              .reader = *reader_,
                              .commands = sender_});
    EXPECT_TRUE(matcher.add(line));
    EXPECT_TRUE(matcher.finish_lines());
    EXPECT_TRUE(sender_.settle());
    return matcher.counts();
  }
  void store(const Statement& statement) {
    const std::unique_lock lock(tables_->mutex);
    tables_->of<StatementAggregate>().insert_or_assign(statement.id, StatementAggregate{statement, {}, {}});
  }
  /// Class, state and day of all differences.
  std::set<std::string> differences() {
    const std::shared_lock lock(tables_->mutex);
    std::set<std::string> all;
    for (const auto& [id, aggregate] : tables_->of<DifferenceAggregate>()) {
      const Difference& row = aggregate.difference;
      EXPECT_TRUE(
          all.insert(fmt::format("{} {} {}", name_of(row.difference_class), name_of(row.state), row.date)).second);
    }
    return all;
  }

  static std::shared_ptr<memory::Tables> tables_with_merchant() {
    auto tables = std::make_shared<memory::Tables>();
    for (const auto& [id, merchant] : World().store.merchants) tables->of<Merchant>().emplace(id, merchant);
    return tables;
  }

  std::shared_ptr<memory::Tables> tables_ = tables_with_merchant();
  memory::MemoryStore store_{tables_};
  EngineWorld world_{&store_};
  std::unique_ptr<Reader> reader_ = std::move(*store_.open_reader());
  EngineCommandSender sender_{*world_.engine, [](Duration) { return false; }, CauseKind::statement};
  const ChannelAccount account_{.id = ChannelAccountId{5}, .channel = "sandbox", .kind = "sandbox"};
  const StatementPlan plan_{};
  std::vector<ChannelRate> rates_{
      {.id = ChannelRateId{1}, .channel_account_id = account_.id, .basis_points = 60, .from_date = "2026-01-01"}};
  PaymentId payment_;
};

using Found = std::set<std::string>;

TEST_F(StatementMatcherTest, ALineThatRepairsTheBooksAndHasAnotherFeeHasTwoDifferences) {
  for (int run = 0; run < 2; ++run) {
    const MatchCounts counts = compare(1, "2026-09-21", payment_line(0));
    EXPECT_EQ(differences(), (Found{"late_status repaired 2026-09-21", "cost_mismatch open 2026-09-21"}));
    EXPECT_EQ(counts.differences, 1);
    EXPECT_EQ(counts.repaired, 0);
    EXPECT_EQ(counts.recorded, 1);
  }
}

TEST_F(StatementMatcherTest, ALineOfAnotherDayIsADuplicateAlthoughItsDifferenceHasEnded) {
  EXPECT_EQ(compare(1, "2026-09-21", payment_line()).repaired, 1);
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(compare(2, "2026-09-22", payment_line()).differences, 1);
    EXPECT_EQ(differences(), (Found{"late_status repaired 2026-09-21", "duplicate_at_channel open 2026-09-22"}));
  }
  EXPECT_EQ(compare(1, "2026-09-21", payment_line()).repaired, 1) << "its line has the match";
  EXPECT_EQ(differences().size(), 2U);
}

TEST_F(StatementMatcherTest, AnotherFeeEndsWhenTheRateIsCorrected) {
  world_.execute(world_.evidence_command(payment_, paid("T1")));
  compare(1, "2026-09-21", payment_line(0));
  EXPECT_EQ(differences(), Found{"cost_mismatch open 2026-09-21"});
  rates_.front().basis_points = 0;
  EXPECT_EQ(compare(1, "2026-09-21", payment_line(0)).matched, 1);
  EXPECT_EQ(differences(), Found{"cost_mismatch repaired 2026-09-21"});
}

}  // namespace
}  // namespace finality
