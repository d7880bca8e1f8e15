// Tests of what the server does with a statement whose parser was stopped, whose file exceeds its budget, or whose
// index cannot be made.
#include "worker/statements/statement_service.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "base/log.h"
#include "engine/test_engine.h"
#include "store/memory/store.h"
#include "worker/statements/sealed_file.h"
#include "worker/testing/fakes.h"

namespace finality {
namespace {

using namespace test;

/// Statements without lines, which are uploaded. A test sets what the parser does before it returns.
class ScriptedStatements final : public Statements {
 public:
  const StatementPlan& statement_plan() const override { return plan_; }
  Result<UpstreamRequest> request_of(const StatementCall&, Time) const override { return fail("not here"); }
  Result<StatementAnswer> statement_answer_of(const StatementCall&, const UpstreamResponse&, Time) const override {
    return fail("not here");
  }
  Result<std::string> file_of(const StatementLink&, const UpstreamResponse&, ParseBudget&) const override {
    return fail("not here");
  }
  Result<std::vector<StatementSums>> parse(const StatementCall&, std::string_view, ParseBudget& budget,
                                           const LineSink&) const override {
    ++parsed;
    if (auto done = on_parse(budget); !done) return std::unexpected(done.error());
    return std::vector<StatementSums>{};
  }

  std::function<Result<void>(ParseBudget&)> on_parse;
  mutable int parsed = 0;

 private:
  static constexpr StatementKind kUploaded[] = {StatementKind::trades};
  StatementPlan plan_{.kinds = {}, .uploaded_kinds = kUploaded};
};

class StatementServiceTest : public testing::Test {
 protected:
  StatementServiceTest() {
    log::set_level(log::Level::off);
    world_.policy.accounts["sandbox"] = account_;
    ReceiveStatement command{.day = {account_.id, "sandbox", StatementKind::trades, "", "2026-01-01"},
                             .source = StatementSource::uploaded};
    command.sha256 = sha256_hex("file");
    command.bytes = 4;
    command.parts = seal_file(key_, command.sha256, "file");
    const Reply received = world_.execute(Request{.command = std::move(command), .merchant_id = kPlatform});
    id_ = StatementId{received.object.value().value};
  }
  ~StatementServiceTest() override {
    world_.engine->drain();
    log::set_level(log::Level::info);
  }

  std::unique_ptr<StatementService> start_server() {
    return std::make_unique<StatementService>(StatementServiceOptions{.engine = *world_.engine,
                                                                      .store = store_,
                                                                      .sources = sources_,
                                                                      .policy = world_.policy,
                                                                      .clock = world_.clock,
                                                                      .client = client_,
                                                                      .key = key_});
  }
  Statement stored() {
    const std::shared_lock lock(tables_->mutex);
    return tables_->of<StatementAggregate>().at(id_).statement;
  }

  ChannelAccount account_{.id = ChannelAccountId{5}, .channel = "sandbox"};
  Secret key_ = statement_key_of(Secret("a secret of at least 32 characters"));
  ScriptedStatements statements_;
  StatementSources sources_{{"sandbox", &statements_}};
  fakes::FakeClient client_;
  std::shared_ptr<memory::Tables> tables_ = std::make_shared<memory::Tables>();
  memory::MemoryStore store_{tables_};
  EngineWorld world_{&store_};
  StatementId id_;
};

TEST_F(StatementServiceTest, AStatementWhoseParserWasStoppedIsReadAgainAfterTheNextStart) {
  auto server = start_server();
  statements_.on_parse = [&](ParseBudget& budget) {
    server->stop();
    return budget.spend(1);
  };
  EXPECT_FALSE(server->work());
  EXPECT_EQ(statements_.parsed, 1);
  EXPECT_EQ(stored().state, StatementState::matching) << "not rejected";
  EXPECT_FALSE(stored().failure);

  statements_.on_parse = [](ParseBudget& budget) { return budget.spend(1); };
  server = start_server();
  world_.clock.set(world_.clock.now() + std::chrono::minutes(6));  // the claim of the first server has ended
  server->work();
  EXPECT_GT(statements_.parsed, 1);
  EXPECT_EQ(stored().state, StatementState::matched);
}

TEST_F(StatementServiceTest, AFileAboveItsBudgetIsRejectedWithTheLimit) {
  statements_.on_parse = [](ParseBudget& budget) { return budget.spend(budget.limits().work_max + 1); };
  start_server()->work();
  EXPECT_EQ(stored().state, StatementState::rejected);
  EXPECT_TRUE(stored().failure.value_or("").contains("work limit")) << stored().failure.value_or("");
}

TEST_F(StatementServiceTest, AFailedIndexIsRememberedOnlyWhileTheStatementWaits) {
  const std::string second = "second file";
  ReceiveStatement command{.day = {account_.id, "sandbox", StatementKind::trades, "", "2026-01-01"},
                           .newest = id_,
                           .newest_version = 1,
                           .source = StatementSource::uploaded};
  command.sha256 = sha256_hex(second);
  command.bytes = std::ssize(second);
  const Secret other_key = statement_key_of(Secret("another secret of at least 32 characters"));
  command.parts = seal_file(other_key, command.sha256, second);
  const Reply received = world_.execute(Request{.command = std::move(command), .merchant_id = kPlatform});
  const auto waiting = [&]() -> Statement& {
    return tables_->of<StatementAggregate>().at(StatementId{received.object.value().value}).statement;
  };
  const auto set = [this](auto change) {
    const std::unique_lock lock(tables_->mutex);
    change();
  };
  // The first version is compared later, so the second one waits for it.
  const Time now = world_.clock.now();
  set([&] {
    tables_->of<StatementAggregate>().at(id_).statement.due_at = now + std::chrono::hours(2);
    waiting().due_at = now;
  });
  statements_.on_parse = [](ParseBudget& budget) { return budget.spend(1); };
  auto server = start_server();
  server->work();
  EXPECT_EQ(statements_.parsed, 0) << "the file is encrypted with another key";
  set([&] { tables_->statement_parts[{waiting().id, 0}].content = seal_file(key_, waiting().sha256, second).front(); });
  server->work();
  EXPECT_EQ(statements_.parsed, 0) << "it is not tried again while it waits";

  set([&] { waiting().due_at = now + std::chrono::hours(1); });
  server->work();
  set([&] { waiting().due_at = now; });
  server->work();
  EXPECT_EQ(statements_.parsed, 1);
  const std::shared_lock lock(tables_->mutex);
  EXPECT_GT(waiting().index_parts, 0);
}

}  // namespace
}  // namespace finality
