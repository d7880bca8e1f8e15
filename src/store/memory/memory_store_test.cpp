// The contract of stores on rows in memory, and what is its own.
#include "store/memory/memory_store.h"

#include "store/account_contract.h"
#include "store/expiry_contract.h"

namespace finality::store_contract {
namespace {

class MemoryPlace {
 public:
  std::unique_ptr<Store> open() { return std::make_unique<memory::MemoryStore>(tables_); }
  std::unique_ptr<Session> take_over(Store& store, const Session& held) {
    return dynamic_cast<memory::MemoryStore&>(store).take_over(held.node());
  }

 private:
  std::shared_ptr<memory::Tables> tables_ = std::make_shared<memory::Tables>();
};

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, StoreContract, MemoryPlace);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, ReaderContract, MemoryPlace);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, AccountContract, MemoryPlace);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, ExpiryContract, MemoryPlace);

TEST(MemoryStoreTest, SessionsThatAreOpenTogetherHaveNodesOfTheirOwn) {
  memory::MemoryStore store;
  auto first = must(store.open_session());
  const auto second = must(store.open_session());
  EXPECT_NE(first->node(), second->node());
  const std::int64_t freed = first->node();
  first.reset();
  EXPECT_EQ(must(store.open_session())->node(), freed);
}

TEST(MemoryStoreTest, WhoLostItsNodeFindsOutAndLeasesAnother) {
  memory::MemoryStore store;
  const auto held = must(store.open_session());
  EXPECT_EQ(held->renew(), CommitOutcome::ok);
  const auto successor = store.take_over(held->node());
  EXPECT_EQ(held->renew(), CommitOutcome::fenced);
  must(held->lease());
  EXPECT_EQ(held->renew(), CommitOutcome::ok);
  EXPECT_NE(held->node(), successor->node());
}

TEST(MemoryStoreTest, ABalanceThatItsEntriesDoNotExplainIsFound) {
  memory::MemoryStore store;
  const auto session = must(store.open_session());
  IdGenerator ids(session->node(), session->ids_not_before());
  RowFiller filler{true};
  const Account account = filler.row<Account>();
  WorkingSet rows;
  rows.accounts.insert(account.id, account);
  ASSERT_EQ(session->commit(rows, ids).outcome, CommitOutcome::ok);
  const AuditReport report = must(store.audit());
  ASSERT_EQ(report.violations.size(), 1U);
  EXPECT_EQ(report.violations.front().object_id, to_text(account.id));
}

}  // namespace
}  // namespace finality::store_contract
