// Store contract tests of the look-ups of the identity job: changed orders, their postings, and orders with a case.
#include "store/contract/reader_contract.h"

namespace finality::store_contract {
namespace {

class Changes {
 public:
  Changes(RowFiller& filler, IdGenerator& ids) : filler_(filler), ids_(ids) {}

  Event& add(OrderId order, std::string to_state, std::optional<EntryId> journal = {}) {
    Event& row = events.emplace_back(filler_.row<Event>());
    row.root_id = order.value;
    row.id = EventId{ids_.next()};
    row.merchant_id = kMerchant;
    row.root_type = ObjectType::order;
    row.to_state = std::move(to_state);
    row.journal_id = journal;
    return row;
  }
  // A journal of `count` entries. Returns its id.
  EntryId add_journal(int count) {
    EntryId journal;
    for (int i = 0; i < count; ++i) {
      Entry& row = entries.emplace_back(filler_.row<Entry>());
      row.id = EntryId{ids_.next()};
      if (!journal) journal = row.id;
      row.journal_id = journal;
      row.merchant_id = kMerchant;
    }
    return journal;
  }
  WorkingSet rows() const {
    WorkingSet all;
    all.events = events;
    all.entries = entries;
    return all;
  }

  std::vector<Event> events;
  std::vector<Entry> entries;

 private:
  RowFiller& filler_;
  IdGenerator& ids_;
};

constexpr OrderId kFirst{1001};
constexpr OrderId kSecond{1002};

TEST_P(ReaderContract, FindsOrdersThatWerePostedOrSucceeded) {
  Changes all(this->filler_, *this->ids_);
  all.add(kFirst, "pending");
  all.add(kFirst, "pending", all.add_journal(2));
  all.add(kSecond, "succeeded");
  all.add(kFirst, "succeeded", all.add_journal(2));
  all.add(kSecond, "succeeded").root_type = ObjectType::transfer;
  ASSERT_EQ(this->commit(all.rows()), CommitOutcome::ok);
  const auto id = [&](std::size_t i) { return all.events[i].id; };
  const auto found = [&](EventId after, EventId before, std::size_t limit) {
    std::vector<std::pair<EventId, OrderId>> changes;
    for (const ChangedOrder& one : must(this->reader_->changed_orders(after, before, limit)))
      changes.emplace_back(one.event, one.order_id);
    return changes;
  };
  using Found = std::vector<std::pair<EventId, OrderId>>;
  const EventId end{kLargestId};
  EXPECT_EQ(found({}, end, 10), (Found{{id(1), kFirst}, {id(2), kSecond}, {id(3), kFirst}}));
  EXPECT_EQ(found({}, end, 2), (Found{{id(1), kFirst}, {id(2), kSecond}}));
  EXPECT_EQ(found(id(1), id(3), 10), (Found{{id(2), kSecond}}));
}

TEST_P(ReaderContract, FindsOrdersWithAFinalStateThatWasNotPosted) {
  Changes all(this->filler_, *this->ids_);
  for (const std::string_view state : {"processing", "failed", "returned", "settled_offline", "resolved", "open"})
    all.add(kFirst, std::string(state));
  ASSERT_EQ(this->commit(all.rows()), CommitOutcome::ok);
  std::vector<EventId> found;
  for (const ChangedOrder& one : must(this->reader_->changed_orders({}, EventId{kLargestId}, 10)))
    found.push_back(one.event);
  EXPECT_EQ(found, (std::vector{all.events[1].id, all.events[2].id, all.events[3].id, all.events[4].id}));
}

TEST_P(ReaderContract, ReadsThePostingsThatTheEventsOfAnOrderName) {
  Changes all(this->filler_, *this->ids_);
  all.add(kFirst, "pending", all.add_journal(2));
  all.add(kSecond, "pending", all.add_journal(2));
  all.add(kFirst, "succeeded");
  all.add(kFirst, "succeeded", all.add_journal(4));
  const EntryId last = all.entries.back().journal_id;
  all.add(kFirst, "succeeded", last);  // named twice, read once
  all.add_journal(2);                  // no event names it
  ASSERT_EQ(this->commit(all.rows()), CommitOutcome::ok);
  Order order;
  order.id = kFirst;
  order.merchant_id = kMerchant;
  std::vector<Entry> expected;
  for (const std::size_t i : {0, 1, 4, 5, 6, 7}) expected.push_back(all.entries[i]);
  expect_same(must(this->reader_->order_entries(order)), expected);
  order.id = OrderId{1};
  EXPECT_TRUE(must(this->reader_->order_entries(order)).empty());
}

TEST_P(ReaderContract, ListsOrdersWithAnUnresolvedCaseIdentity) {
  const auto order_with = [&](CaseKind kind, CaseState state) {
    OrderAggregate order = this->new_order(kMerchant, kNow);
    Case row = this->filler_.template row<Case>();
    row.id = CaseId{this->ids_->next()};
    row.root_id = order.order.id.value;
    row.merchant_id = kMerchant;
    row.kind = kind;
    row.state = state;
    order.cases = {row};
    order.order.children = presence_of(order);
    return order;
  };
  const OrderAggregate open = order_with(CaseKind::identity, CaseState::open);
  const OrderAggregate resolved = order_with(CaseKind::identity, CaseState::resolved);
  const OrderAggregate other = order_with(CaseKind::invariant_violation, CaseState::open);
  const OrderAggregate proposed = order_with(CaseKind::identity, CaseState::proposed);
  WorkingSet rows;
  for (const OrderAggregate& order : {open, resolved, other, proposed}) rows.orders.insert(order.order.id, order);
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  EXPECT_EQ(must(this->reader_->disagreeing_orders(10)), (std::vector{open.order.id, proposed.order.id}));
  EXPECT_EQ(must(this->reader_->disagreeing_orders(1)), std::vector{open.order.id});
}

}  // namespace
}  // namespace finality::store_contract
