// Store contract suites on the in-memory store, and tests of its node leases, simulated loss of power and audit.
#include "store/memory/store.h"

#include "store/contract/account_contract.h"
#include "store/contract/expiry_contract.h"

namespace finality::store_contract {
namespace {

class MemoryPlace final : public Place {
 public:
  std::unique_ptr<Store> open() override { return std::make_unique<memory::MemoryStore>(tables_); }
  std::unique_ptr<Session> take_over(Store& store, const Session& held) override {
    return dynamic_cast<memory::MemoryStore&>(store).take_over(held.node());
  }

 private:
  std::shared_ptr<memory::Tables> tables_ = std::make_shared<memory::Tables>();
};

/// Opens an in-memory store with a simulated disk. Readers see flushed rows only.
class FlushedPlace final : public Place {
 public:
  std::unique_ptr<Store> open() override { return std::make_unique<memory::MemoryStore>(tables_, disk_); }
  std::unique_ptr<Session> take_over(Store& store, const Session& held) override {
    return dynamic_cast<memory::MemoryStore&>(store).take_over(held.node());
  }

 private:
  std::shared_ptr<memory::Tables> tables_ = std::make_shared<memory::Tables>();
  std::shared_ptr<memory::Disk> disk_ = std::make_shared<memory::Disk>();
};

INSTANTIATE_TEST_SUITE_P(Memory, StoreContract, testing::Values(make_place<MemoryPlace>));
INSTANTIATE_TEST_SUITE_P(MemoryFlushedApart, StoreContract, testing::Values(make_place<FlushedPlace>));
INSTANTIATE_TEST_SUITE_P(MemoryFlushedApart, ExpiryContract, testing::Values(make_place<FlushedPlace>));
INSTANTIATE_TEST_SUITE_P(Memory, ReaderContract, testing::Values(make_place<MemoryPlace>));
INSTANTIATE_TEST_SUITE_P(Memory, AccountContract, testing::Values(make_place<MemoryPlace>));
INSTANTIATE_TEST_SUITE_P(Memory, ExpiryContract, testing::Values(make_place<MemoryPlace>));

TEST(MemoryStoreTest, SessionsOpenAtTheSameTimeHaveDifferentNodes) {
  memory::MemoryStore store;
  auto first = must(store.open_session());
  const auto second = must(store.open_session());
  EXPECT_NE(first->node(), second->node());
  const std::int64_t freed = first->node();
  first.reset();
  EXPECT_EQ(must(store.open_session())->node(), freed);
}

TEST(MemoryStoreTest, ASessionThatLostItsNodeIsFencedAndLeasesAnother) {
  memory::MemoryStore store;
  const auto held = must(store.open_session());
  EXPECT_EQ(held->renew().outcome, CommitOutcome::ok);
  const auto successor = store.take_over(held->node());
  EXPECT_EQ(held->renew().outcome, CommitOutcome::fenced);
  must(held->lease());
  EXPECT_EQ(held->renew().outcome, CommitOutcome::ok);
  EXPECT_NE(held->node(), successor->node());
}

TEST(MemoryStoreTest, ALossOfPowerDropsUnflushedRows) {
  memory::MemoryStore store(std::make_shared<memory::Tables>(), std::make_shared<memory::Disk>());
  RowFiller filler{true};
  const Account first = filler.row<Account>();
  const Account second = filler.row<Account>();
  Time latest;
  {
    const auto session = must(store.open_session());
    const auto flusher = must(session->flush_apart());
    IdGenerator ids(session->node(), session->ids_not_before());
    const auto write = [&](const Account& account) {
      ids.advance(Time{1'800'000'000'000});
      WorkingSet rows;
      rows.accounts.insert(account.id, account);
      ASSERT_EQ(session->commit(rows, ids).outcome, CommitOutcome::ok);
    };
    write(first);
    must(flusher->flush());
    latest = ids.latest();
    write(second);
    EXPECT_FALSE(must(must(store.open_reader())->account(second.id)).has_value());
  }
  store.lose_power();
  const auto again = must(store.open_session());
  EXPECT_EQ(again->node(), 0);
  EXPECT_GT(again->ids_not_before(), latest);
  WorkingSet rows;
  ReadSet reads;
  reads.accounts = {first.id, second.id};
  must(again->load(reads, rows));
  EXPECT_NE(rows.accounts.find(first.id), nullptr);
  EXPECT_EQ(rows.accounts.find(second.id), nullptr);
}

TEST(MemoryStoreTest, AuditFindsABalanceThatIsNotTheSumOfItsEntries) {
  memory::MemoryStore store;
  const auto session = must(store.open_session());
  IdGenerator ids(session->node(), session->ids_not_before());
  RowFiller filler{true};
  const Account account = filler.row<Account>();
  WorkingSet rows;
  rows.accounts.insert(account.id, account);
  ASSERT_EQ(session->commit(rows, ids).outcome, CommitOutcome::ok);
  const AuditReport report = must(store.audit({}));
  ASSERT_EQ(report.violations.size(), 1U);
  EXPECT_EQ(report.violations.front().object_id, to_text(account.id));
}

}  // namespace
}  // namespace finality::store_contract
