// Test fixture of the comparisons of statements with the books: an engine and a store in memory.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "engine/test_engine.h"
#include "store/memory/store.h"
#include "worker/engine_command_sender.h"

namespace finality::test {

class MatcherTest : public testing::Test {
 protected:
  MatcherTest() {
    world_.policy.accounts["sandbox"] = account_;
    payment_ = PaymentId{world_.execute(world_.payment_for(world_.new_order())).object->value};
  }
  ~MatcherTest() override { world_.engine->drain(); }

  StatementLine payment_line() const {
    return {.line_no = 1,
            .kind = LineKind::payment,
            .channel_trade_no = "T1",
            .out_trade_no = out_number(kMerchant, payment_.value),
            .currency = kCny,
            .amount = kAmount,
            .at = test::kNow};
  }
  /// Returns a statement of that day, which the store contains.
  Statement add_statement(std::int64_t id, const std::string& date, StatementKind kind = StatementKind::trades) {
    Statement statement;
    statement.id = StatementId{id};
    statement.channel_account_id = account_.id;
    statement.channel = account_.channel;
    statement.kind = kind;
    statement.date = date;
    const std::unique_lock lock(tables_->mutex);
    tables_->of<StatementAggregate>().insert_or_assign(statement.id, StatementAggregate{statement, {}, {}});
    return statement;
  }
  /// Marks a statement of the store as compared.
  void set_matched(const Statement& statement) {
    const std::unique_lock lock(tables_->mutex);
    tables_->of<StatementAggregate>().at(statement.id).statement.state = StatementState::matched;
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
  /// The amount of the only difference of that class.
  MinorUnits amount_of(DifferenceClass difference_class) {
    const std::shared_lock lock(tables_->mutex);
    MinorUnits amount = 0;
    for (const auto& [id, aggregate] : tables_->of<DifferenceAggregate>())
      if (aggregate.difference.difference_class == difference_class) amount = aggregate.difference.amount;
    return amount;
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
  PaymentId payment_;
};

using Found = std::set<std::string>;

}  // namespace finality::test
