#include "worker/identity/identity_service.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/testing/recorded_log.h"
#include "engine/test_engine.h"
#include "store/memory/store.h"
#include "worker/testing/fakes.h"

namespace finality {
namespace {

using namespace test;

struct ReadFaults {
  std::set<OrderId> damaged;  // orders that cannot be read
  int lost = 0;               // further reads of orders that fail because the connection is lost
  bool is_down = false;       // no reader can be opened
};

class FaultyReader final : public fakes::FakeReader {
 public:
  FaultyReader(fakes::DueRows& due, ReadFaults& faults, std::unique_ptr<Reader> real)
      : fakes::FakeReader(due), faults_(faults), real_(std::move(real)) {}

  Result<std::optional<OrderAggregate>> order(OrderId id) override {
    if (faults_.is_down) return fail("the store is down");
    if (faults_.damaged.contains(id)) return fail("damaged row");
    if (faults_.lost > 0 && faults_.lost-- > 0) return fail("connection lost");
    return real_->order(id);
  }
  Result<std::vector<ChangedOrder>> changed_orders(EventId after, EventId before, std::size_t limit) override {
    return real_->changed_orders(after, before, limit);
  }
  Result<std::vector<Entry>> order_entries(const Order& order) override { return real_->order_entries(order); }
  Result<std::vector<OrderId>> disagreeing_orders(std::size_t limit) override {
    return real_->disagreeing_orders(limit);
  }
  Result<void> load(const ReadSet& reads, WorkingSet& rows) override { return real_->load(reads, rows); }

 private:
  ReadFaults& faults_;
  std::unique_ptr<Reader> real_;
};

class FaultyStore final : public Store {
 public:
  explicit FaultyStore(Store& real) : real_(real) {}

  std::size_t lanes() const override { return real_.lanes(); }
  Result<std::unique_ptr<Session>> open_session() override { return real_.open_session(); }
  Result<std::unique_ptr<Reader>> open_reader() override {
    if (faults.is_down) return fail("the store is down");
    auto reader = real_.open_reader();
    if (!reader) return reader;
    return std::make_unique<FaultyReader>(due_, faults, std::move(*reader));
  }
  Result<AuditReport> audit(const AuditProgress& progress) override { return real_.audit(progress); }

  ReadFaults faults;

 private:
  Store& real_;
  fakes::DueRows due_;
};

// Servers that share a store in memory. Pauses are a thousandth of those in production.
class IdentityServiceTest : public testing::Test {
 protected:
  IdentityServiceTest() {
    log::set_level(log::Level::off);
    world_.policy.time_scale = 1000;
    begin();
  }
  ~IdentityServiceTest() override {
    world_.engine->drain();
    log::set_level(log::Level::info);
  }

  // The first round begins the check: it covers the changes from now on.
  void begin() {
    EXPECT_FALSE(service_.work());
    later();
  }
  void later() { world_.clock.set(world_.clock.now() + 1s); }
  // Checks the changes so far.
  void check() {
    later();
    EXPECT_FALSE(service_.work());
  }

  OrderId paid_order() {
    const OrderId order = world_.new_order();
    const PaymentId payment{world_.execute(world_.payment_for(order)).object->value};
    EXPECT_EQ(world_.execute(world_.evidence_command(payment, paid("T" + std::to_string(++trades_)))).status, 200);
    return order;
  }
  Reply refund(OrderId order, MinorUnits amount) {
    const PaymentId payment = stored(order).payments.front().id;
    return world_.execute(
        CreateRefund{kMerchant, payment, amount, "R" + std::to_string(++refunds_), {}, "sandbox", kCny});
  }
  OrderAggregate stored(OrderId order) {
    const std::shared_lock lock(tables_->mutex);
    return tables_->of<OrderAggregate>().at(order);
  }
  void damage(OrderId order, MinorUnits paid_amount) {
    const std::unique_lock lock(tables_->mutex);
    tables_->of<OrderAggregate>().at(order).order.paid_amount = paid_amount;
  }
  std::uint64_t orders() const { return service_.counters().orders; }
  std::uint64_t violations() const { return service_.counters().violations; }
  std::uint64_t disagreeing() const { return service_.counters().disagreeing; }

  static std::shared_ptr<memory::Tables> tables_with_merchant() {
    auto tables = std::make_shared<memory::Tables>();
    tables->of<Merchant>() = {};
    for (const auto& [id, merchant] : World().store.merchants) tables->of<Merchant>().emplace(id, merchant);
    return tables;
  }

  std::shared_ptr<memory::Tables> tables_ = tables_with_merchant();
  memory::MemoryStore store_{tables_};
  FaultyStore faulty_{store_};
  EngineWorld world_{&store_};
  IdentityService service_{
      {.engine = *world_.engine, .store = faulty_, .policy = world_.policy, .clock = world_.clock}};
  int trades_ = 0;
  int refunds_ = 0;
};

TEST_F(IdentityServiceTest, FindsNothingInOrdersThatAgree) {
  const OrderId order = paid_order();
  paid_order();
  refund(order, 500);
  check();
  EXPECT_EQ(orders(), 2u);
  EXPECT_EQ(violations(), 0u);
  EXPECT_TRUE(stored(order).cases.empty());
  check();
  EXPECT_EQ(orders(), 2u) << "an order that has not changed is not checked again";
}

TEST_F(IdentityServiceTest, OpensOneCaseAboutADamagedOrder) {
  const OrderId sound = paid_order();
  const OrderId order = paid_order();
  damage(order, 1);
  check();
  EXPECT_EQ(violations(), 1u);
  ASSERT_EQ(stored(order).cases.size(), 1u);
  const Case row = stored(order).cases.front();
  EXPECT_EQ(row.kind, CaseKind::identity);
  EXPECT_NE(row.evidence.find("has paid_amount 1 and accepted receipts of 1999"), std::string::npos) << row.evidence;
  EXPECT_TRUE(stored(sound).cases.empty());

  refund(order, 100);
  check();
  check();
  EXPECT_EQ(violations(), 1u);
  EXPECT_EQ(disagreeing(), 1u);
  EXPECT_EQ(stored(order).cases.size(), 1u);
}

TEST_F(IdentityServiceTest, OpensACaseAboutAnOrderThatViolatesAnInvariantOfTheEngine) {
  const OrderId order = paid_order();
  {
    const std::unique_lock lock(tables_->mutex);
    tables_->of<OrderAggregate>().at(order).order.state = OrderState::closed;
  }
  check();
  ASSERT_EQ(stored(order).cases.size(), 1u);
  EXPECT_EQ(stored(order).cases.front().kind, CaseKind::identity);
  EXPECT_FALSE(stored(order).order.parked);
}

TEST_F(IdentityServiceTest, SettlesTheCaseOfARepairedOrderWithoutAChange) {
  const OrderId order = paid_order();
  damage(order, 1);
  check();
  ASSERT_EQ(stored(order).cases.size(), 1u);
  damage(order, kAmount);
  check();
  EXPECT_EQ(stored(order).cases.front().state, CaseState::resolved);
  EXPECT_EQ(stored(order).cases.front().resolution, "settled");
  check();
  EXPECT_EQ(disagreeing(), 0u);
}

TEST_F(IdentityServiceTest, SkipsAnOrderThatCannotBeRead) {
  const OrderId unreadable = paid_order();
  const OrderId damaged = paid_order();
  damage(damaged, 1);
  faulty_.faults.damaged = {unreadable};
  log::set_level(log::Level::error);
  {
    const RecordedLog lines;
    check();
    EXPECT_TRUE(lines.contains(to_text(unreadable))) << lines.text();
    EXPECT_TRUE(lines.contains("damaged row")) << lines.text();
  }
  log::set_level(log::Level::off);
  EXPECT_EQ(violations(), 2u);
  EXPECT_EQ(stored(damaged).cases.size(), 1u) << "the later order is checked";
  check();
  EXPECT_EQ(violations(), 2u) << "the check has advanced";
}

TEST_F(IdentityServiceTest, AFailureOfOneReadSkipsNoOrder) {
  const OrderId order = paid_order();
  damage(order, 1);
  faulty_.faults.lost = 1;
  check();
  EXPECT_EQ(violations(), 1u);
  EXPECT_EQ(stored(order).cases.size(), 1u);
}

TEST_F(IdentityServiceTest, AStoreThatIsDownSkipsNoOrder) {
  paid_order();
  faulty_.faults.is_down = true;
  check();
  EXPECT_EQ(orders(), 0u);
  EXPECT_EQ(violations(), 0u);
  faulty_.faults.is_down = false;
  check();
  EXPECT_EQ(orders(), 1u);
  EXPECT_EQ(violations(), 0u);
}

TEST_F(IdentityServiceTest, WaitsUntilOlderChangesAreCommitted) {
  paid_order();
  EXPECT_FALSE(service_.work());
  EXPECT_EQ(orders(), 0u);
  check();
  EXPECT_EQ(orders(), 1u);
}

TEST_F(IdentityServiceTest, ChecksMoreChangesThanAPageInFurtherRounds) {
  for (std::size_t i = 0; i < limits::kChangedOrdersMax; ++i) paid_order();  // each is several changes
  later();
  int rounds = 1;
  while (service_.work()) ++rounds;
  EXPECT_GT(rounds, 1);
  EXPECT_GE(orders(), limits::kChangedOrdersMax);
}

TEST_F(IdentityServiceTest, MeasuresTheLag) {
  check();
  const Duration settled = service_.lag();
  EXPECT_LT(settled, 1s);
  world_.clock.set(world_.clock.now() + 10s);
  EXPECT_EQ(service_.lag(), settled + 10s) << "no round";
  EXPECT_FALSE(service_.work());
  EXPECT_EQ(service_.lag(), settled) << "nothing has changed";
}

TEST_F(IdentityServiceTest, OneOfTwoServersChecksAndTheOtherTakesOver) {
  IdentityService other({.engine = *world_.engine, .store = store_, .policy = world_.policy, .clock = world_.clock});
  paid_order();
  later();
  EXPECT_FALSE(service_.work());
  paid_order();
  world_.clock.set(world_.clock.now() + 100ms);
  EXPECT_FALSE(other.work());
  EXPECT_EQ(other.counters().orders, 0u) << "the claim of the first server holds";
  EXPECT_GT(other.lag(), Duration{0});
  later();
  EXPECT_FALSE(other.work());
  EXPECT_EQ(other.counters().orders, 1u) << "the position of the first server";
  EXPECT_EQ(orders(), 1u);
}

TEST_F(IdentityServiceTest, ItsThreadChecksUntilItIsStopped) {
  const OrderId order = paid_order();
  damage(order, 1);
  later();
  service_.start();
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (stored(order).cases.empty() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  service_.stop();
  EXPECT_EQ(stored(order).cases.size(), 1u);
}

}  // namespace
}  // namespace finality
