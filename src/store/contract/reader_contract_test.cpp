#include "store/contract/reader_contract.h"

namespace finality::store_contract {
namespace {

TEST_P(ReaderContract, FindsWholeRows) {
  const SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  Reader& reader = *this->reader_;
  const auto expect_found = [](const auto& found, const auto& expected) {
    ASSERT_TRUE(found.has_value());
    expect_same(&*found, expected);
  };
  expect_found(must(reader.order(all.order.order.id)), all.order);
  expect_found(must(reader.merchant(all.merchant.id)), all.merchant);
  expect_found(must(reader.api_key(all.api_key.hash)), all.api_key);
  expect_found(must(reader.channel_account(all.channel_account.id)), all.channel_account);
  expect_found(must(reader.delivery(all.delivery.delivery.id)), all.delivery.delivery);
  expect_found(must(reader.account(all.account.id)), all.account);
  const OrderAggregate& order = all.order;
  for (const ObjectRef child : {ObjectRef(order.payments.back().id), ObjectRef(order.authorizations.back().id),
                                ObjectRef(order.captures.back().id), ObjectRef(order.refunds.back().id),
                                ObjectRef(order.reversals.back().id), ObjectRef(order.cases.back().id)})
    EXPECT_EQ(must(reader.order_of(child)), order.order.id) << to_text(child);
  EXPECT_EQ(must(reader.merchant_of(order.order.id)), order.order.merchant_id);
  EXPECT_FALSE(must(reader.order_of(all.delivery.cases.back().id)));
  EXPECT_FALSE(must(reader.order_of(all.delivery.delivery.id)));
  expect_same(must(reader.webhook_endpoints(all.merchant.id)), all.endpoints);
  EXPECT_TRUE(reader.ping().has_value());
}

TEST_P(ReaderContract, FindsTheRowsOfTheDeclaredMerchant) {
  const std::vector<OrderAggregate> orders = this->write_orders(2);
  Reader& reader = *this->reader_;
  {
    const ReadScope own_rows(reader, kMerchant);
    for (const OrderAggregate& order : orders) {
      const auto found = must(reader.order(order.order.id));
      ASSERT_TRUE(found);
      expect_same(&*found, order);
      EXPECT_EQ(must(reader.order_of(order.payments.front().id)), order.order.id);
      EXPECT_EQ(must(reader.merchant_of(order.order.id)), kMerchant);
    }
    const ReadScope unchanged(reader, MerchantId{});
    EXPECT_EQ(found({}).size(), 2u);
  }
  const ReadScope of_another(reader, kOtherMerchant);
  EXPECT_EQ(must(reader.orders(kOtherMerchant, {}, {})).rows.size(), 2u);
  for (const OrderAggregate& order : must(reader.orders(kOtherMerchant, {}, {})).rows)
    EXPECT_TRUE(must(reader.order(order.order.id)));
}

TEST_P(ReaderContract, FindsNoMissingRows) {
  Reader& reader = *this->reader_;
  EXPECT_FALSE(must(reader.order(OrderId{1})));
  EXPECT_FALSE(must(reader.order_of(PaymentId{1})));
  EXPECT_FALSE(must(reader.order_of(AuthorizationId{1})));
  EXPECT_FALSE(must(reader.order_of(CaptureId{1})));
  EXPECT_FALSE(must(reader.merchant_of(OrderId{1})));
  EXPECT_FALSE(must(reader.merchant(MerchantId{2})));
  EXPECT_FALSE(must(reader.api_key(Hash16{})));
  EXPECT_FALSE(must(reader.channel_account(ChannelAccountId{1})));
  EXPECT_TRUE(must(reader.channel_accounts()).empty());
  EXPECT_FALSE(must(reader.channel_rate(ChannelRateId{1})));
  EXPECT_TRUE(must(reader.channel_rates()).empty());
  EXPECT_FALSE(must(reader.delivery(DeliveryId{1})));
  EXPECT_FALSE(must(reader.unknown_receipt(UnknownReceiptId{1})));
  EXPECT_TRUE(must(reader.unknown_receipts({}, {})).rows.empty());
  EXPECT_FALSE(must(reader.account(AccountId{1})));
  EXPECT_TRUE(must(reader.webhook_endpoints(MerchantId{1})).empty());
  EXPECT_TRUE(must(reader.journal(EntryId{1})).empty());
  EXPECT_TRUE(must(reader.due(kNow, 10, {})).empty());
  EXPECT_TRUE(must(reader.orders(MerchantId{1}, {}, {})).rows.empty());
  EXPECT_TRUE(must(reader.orders(MerchantId{1}, {.merchant_order_no = "A-1"}, {})).rows.empty());
  EXPECT_TRUE(must(reader.events(2, {}, {}, true)).rows.empty());
  EXPECT_TRUE(must(reader.deliveries(MerchantId{1}, {}, {})).rows.empty());
  EXPECT_TRUE(reader.ping().has_value());
}

TEST_P(ReaderContract, ANewStoreContainsThePlatformAndItsEvent) {
  const auto platform = must(this->reader_->merchant(kPlatform));
  ASSERT_TRUE(platform);
  EXPECT_EQ(platform->name, "platform");
  EXPECT_EQ(platform->version, 1);
  EXPECT_TRUE(platform->webhook_secret.reveal().empty());
  const auto events = must(this->reader_->events(kPlatform.value, {}, {}, true));
  ASSERT_EQ(events.rows.size(), 1U);
  const Event& event = events.rows.front();
  EXPECT_EQ(event.event, "created");
  EXPECT_EQ(event.to_state, "active");
  EXPECT_EQ(event.root_version, 1);
  EXPECT_EQ(event.at, platform->created_at);
}

TEST_P(ReaderContract, ListsUnknownReceiptsByState) {
  WorkingSet rows;
  std::vector<UnknownReceipt> written;
  for (int i = 0; i < 5; ++i) {
    UnknownReceipt& row = written.emplace_back(this->filler_.row<UnknownReceipt>());
    row.id = UnknownReceiptId{this->ids_->next()};
    row.merchant_id = kPlatform;
    row.state = i == 4       ? UnknownReceiptState::cancelled
                : i % 2 == 0 ? UnknownReceiptState::unassigned
                             : UnknownReceiptState::assigned;
    row.children = 0;
    rows.unknown_receipts.insert(row.id, {row, {}});
  }
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  expect_same(must(this->reader_->unknown_receipt(written[1].id)).value(), written[1]);
  const auto found = [&](std::optional<UnknownReceiptState> state, const Page& page) {
    return ids_of(must(this->reader_->unknown_receipts(state, page)), [](const UnknownReceipt& row) { return row.id; });
  };
  const auto id = [&](std::size_t i) { return written[i].id.value; };
  expect_pages({id(4), id(3), id(2), id(1), id(0)}, [&](const Page& page) { return found({}, page); });
  expect_pages({id(4)}, [&](const Page& page) { return found(UnknownReceiptState::cancelled, page); });
  expect_pages({id(3), id(1)}, [&](const Page& page) { return found(UnknownReceiptState::assigned, page); });
  expect_pages({id(2), id(0)}, [&](const Page& page) { return found(UnknownReceiptState::unassigned, page); });
}

TEST_P(ReaderContract, ListsAllChannelAccountsNewestFirst) {
  WorkingSet rows;
  std::vector<ChannelAccount> written;
  for (int i = 0; i < 3; ++i) {
    ChannelAccount& row = written.emplace_back(this->filler_.row<ChannelAccount>());
    row.id = ChannelAccountId{this->ids_->next()};
    rows.channel_accounts.insert(row.id, row);
  }
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  std::ranges::reverse(written);
  expect_same(must(this->reader_->channel_accounts()), written);
}

TEST_P(ReaderContract, ReadsAllChannelRatesNewestFirst) {
  WorkingSet rows;
  std::vector<ChannelRate> written;
  for (int i = 0; i < 3; ++i) {
    ChannelRate& row = written.emplace_back(this->filler_.row<ChannelRate>());
    row.id = ChannelRateId{this->ids_->next()};
    rows.channel_rates.insert(row.id, row);
  }
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  std::ranges::reverse(written);
  expect_same(must(this->reader_->channel_rates()), written);
  const auto first = must(this->reader_->channel_rate(written.front().id));
  ASSERT_TRUE(first);
  expect_same(*first, written.front());
}

// Two sessions can create the same rate concurrently. An absent method or currency is one value of the key.
TEST_P(ReaderContract, AChannelRateIsUniqueByAccountMethodCurrencyAndDate) {
  for (const bool optionals : {true, false}) {
    this->filler_.set_optionals(optionals);
    const ChannelRate rate = this->filler_.row<ChannelRate>();
    this->expect_second_loses({}, [&](WorkingSet& rows) {
      ChannelRate same = rate;
      same.id = ChannelRateId{this->ids_->next()};
      rows.channel_rates.insert(same.id, same);
    });
  }
  EXPECT_EQ(must(this->reader_->channel_rates()).size(), 2u);
}

TEST_P(ReaderContract, PagesThroughOrders) {
  std::vector<OrderAggregate> written = this->write_orders(6);
  std::ranges::reverse(written);
  std::vector<std::int64_t> newest_first;
  for (const OrderAggregate& aggregate : written) newest_first.push_back(aggregate.order.id.value);
  expect_pages(newest_first, [&](const Page& page) {
    return ids_of(this->orders({}, page), [](const OrderAggregate& row) { return row.order.id; });
  });
  const auto listed = this->orders({}, {.limit = 6});
  for (std::size_t i = 0; i < written.size(); ++i) expect_same(&listed.rows[i], written[i]);
}

TEST_P(ReaderContract, FiltersOrdersByState) {
  std::vector<OrderAggregate> written = this->write_orders(6);
  WorkingSet rows;
  for (const int i : {1, 3, 4}) {
    OrderAggregate& aggregate = written[static_cast<std::size_t>(i)];
    rows.orders.load(aggregate.order.id, aggregate);
    aggregate.order.version += 1;
    aggregate.order.state = OrderState::closed;
    rows.orders.change(aggregate.order.id) = aggregate;
  }
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  const auto id = [&](std::size_t i) { return written[i].order.id; };
  EXPECT_EQ(this->found({.state = OrderState::closed}), (std::vector{id(4), id(3), id(1)}));
  EXPECT_EQ(this->found({.state = OrderState::failed}), std::vector<OrderId>{});
  EXPECT_EQ(this->found({.state = OrderState::closed, .created_to = written[4].order.created_at}),
            (std::vector{id(3), id(1)}));
  const std::vector<std::int64_t> closed = {id(4).value, id(3).value, id(1).value};
  expect_pages(closed, [&](const Page& page) {
    return ids_of(this->orders({.state = OrderState::closed}, page),
                  [](const OrderAggregate& row) { return row.order.id; });
  });
}

TEST_P(ReaderContract, FiltersOrdersByTimeFromInclusiveToExclusive) {
  const std::vector<OrderAggregate> written = this->write_orders(5);
  const auto id = [&](std::size_t i) { return written[i].order.id; };
  const auto at = [&](std::size_t i) { return written[i].order.created_at; };
  EXPECT_EQ(this->found({.created_from = at(3)}), (std::vector{id(4), id(3)}));
  EXPECT_EQ(this->found({.created_to = at(1)}), (std::vector{id(0)}));
  EXPECT_EQ(this->found({.created_from = at(1), .created_to = at(3)}), (std::vector{id(2), id(1)}));
  EXPECT_EQ(this->found({.created_from = at(3) + Duration(1)}), (std::vector{id(4)}));
  EXPECT_EQ(this->found({.created_from = Time{-1}, .created_to = kNow}), std::vector<OrderId>{});
  EXPECT_EQ(this->found({.created_from = at(1)}, {.limit = 2, .after = id(4).value}), (std::vector{id(3), id(2)}));
  EXPECT_EQ(this->found({.created_from = at(1)}, {.limit = 2, .before = id(2).value}), (std::vector{id(4), id(3)}));
}

TEST_P(ReaderContract, FindsAnOrderByItsNumber) {
  const std::vector<OrderAggregate> written = this->write_orders(3);
  WorkingSet rows;
  for (const OrderAggregate& aggregate : written) {
    const Order& order = aggregate.order;
    const Hash16 hash = key_of_order_no(order.merchant_id, order.merchant_order_no);
    rows.keys.insert(hash, {hash, order.merchant_id, order.id.value});
  }
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  const Order& order = written[1].order;
  const OrderFilter by_number{.merchant_order_no = order.merchant_order_no};
  const auto listed = this->orders(by_number, {});
  ASSERT_EQ(listed.rows.size(), 1U);
  EXPECT_FALSE(listed.has_more);
  expect_same(&listed.rows.front(), written[1]);

  EXPECT_TRUE(must(this->reader_->orders(kOtherMerchant, by_number, {})).rows.empty());
  EXPECT_EQ(this->found(by_number, {.after = order.id.value}).size(), 0U);
  EXPECT_EQ(this->found(by_number, {.after = order.id.value + 1}).size(), 1U);
  EXPECT_EQ(this->found(by_number, {.before = order.id.value}).size(), 0U);
  EXPECT_EQ(this->found(by_number, {.before = order.id.value - 1}).size(), 1U);
  OrderFilter narrow = by_number;
  narrow.created_from = order.created_at + Duration(1);
  EXPECT_EQ(this->found(narrow).size(), 0U);
  narrow.created_from = order.created_at;
  EXPECT_EQ(this->found(narrow).size(), 1U);
  narrow.created_to = order.created_at;
  EXPECT_EQ(this->found(narrow).size(), 0U);
  narrow.created_to.reset();
  narrow.state = order.state;
  EXPECT_EQ(this->found(narrow).size(), 1U);
  narrow.state = order.state == OrderState::closed ? OrderState::failed : OrderState::closed;
  EXPECT_EQ(this->found(narrow).size(), 0U);
}

TEST_P(ReaderContract, PagesThroughEventsBothWaysAndByObject) {
  const ObjectRef objects[] = {OrderId{5}, PaymentId{6}, PaymentId{7}, OrderId{6}};
  WorkingSet rows;
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> of_payment;
  for (std::size_t i = 0; i < 8; ++i) {
    for (const std::int64_t root : {5, 9}) {
      Event event = this->filler_.row<Event>();
      event.id = EventId{this->ids_->next()};
      event.root_id = root;
      event.object_type = objects[i % 4].type;
      event.object_id = objects[i % 4].value;
      rows.events.push_back(event);
      if (root == 5) all.push_back(event.id.value);
      if (root == 5 && objects[i % 4] == objects[1]) of_payment.push_back(event.id.value);
    }
  }
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  for (const bool oldest_first : {true, false}) {
    SCOPED_TRACE(oldest_first ? "oldest first" : "newest first");
    const auto id_of = [](const Event& row) { return row.id; };
    expect_pages(
        all, [&](const Page& page) { return ids_of(must(this->reader_->events(5, {}, page, oldest_first)), id_of); });
    expect_pages(of_payment, [&](const Page& page) {
      return ids_of(must(this->reader_->events(5, objects[1], page, oldest_first)), id_of);
    });
    std::ranges::reverse(all);
    std::ranges::reverse(of_payment);
  }
}

TEST_P(ReaderContract, PagesThroughDeliveriesAlsoOfOneOrder) {
  WorkingSet rows;
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> of_order;
  for (int i = 0; i < 6; ++i) {
    for (const MerchantId merchant : {kMerchant, kOtherMerchant}) {
      Delivery delivery = this->filler_.row<Delivery>();
      delivery.id = DeliveryId{this->ids_->next()};
      delivery.merchant_id = merchant;
      delivery.order_id = OrderId{i % 2 + 1};
      rows.deliveries.insert(delivery.id, {delivery, {}});
      if (merchant != kMerchant) continue;
      all.insert(all.begin(), delivery.id.value);
      if (delivery.order_id == OrderId{2}) of_order.insert(of_order.begin(), delivery.id.value);
    }
  }
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  const auto id_of = [](const Delivery& row) { return row.id; };
  expect_pages(all,
               [&](const Page& page) { return ids_of(must(this->reader_->deliveries(kMerchant, {}, page)), id_of); });
  expect_pages(of_order, [&](const Page& page) {
    return ids_of(must(this->reader_->deliveries(kMerchant, OrderId{2}, page)), id_of);
  });
}

TEST_P(ReaderContract, ListsDueRowsInOrderAfterAPositionUpToTheLimitPerType) {
  WorkingSet rows;
  std::vector<DueRow> due_rows;
  for (int i = 0; i < 4; ++i) {
    Time at = kNow + std::chrono::seconds(7 * i);
    Delivery delivery = this->filler_.row<Delivery>();
    delivery.due_at = at;
    due_rows.push_back({delivery.id, delivery.merchant_id, delivery.order_id, at});

    OrderAggregate aggregate = this->new_order(kMerchant, kNow);
    const OrderId order = aggregate.order.id;
    const auto make_due = [&](auto& row) {
      at = at + std::chrono::seconds(1);
      row.due_at = at;
      row.order_id = order;
      row.channel_account_id = ChannelAccountId{static_cast<std::int64_t>(due_rows.size())};
      due_rows.push_back({row.id, row.merchant_id, order, at, row.channel_account_id});
    };
    aggregate.payments.front().due_at.reset();
    make_due(aggregate.payments.back());
    make_due(aggregate.authorizations.emplace_back(this->filler_.row<Authorization>()));
    make_due(aggregate.captures.emplace_back(this->filler_.row<Capture>()));
    make_due(aggregate.refunds.emplace_back(this->filler_.row<Refund>()));
    make_due(aggregate.reversals.emplace_back(this->filler_.row<Reversal>()));
    aggregate.order.due_at = at + std::chrono::seconds(1);
    due_rows.push_back({order, kMerchant, order, *aggregate.order.due_at});
    rows.orders.insert(order, aggregate);
    rows.deliveries.insert(delivery.id, {delivery, {}});

    Hold hold = this->filler_.row<Hold>();
    hold.due_at = at + std::chrono::milliseconds(1500);
    rows.holds.insert(hold.id, hold);
    due_rows.push_back({hold.id, hold.merchant_id, {}, *hold.due_at});
  }
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  const DuePlace later{kNow + std::chrono::seconds(10)};
  const DueRow& one = due_rows[1];
  for (const DueBehind& behind :
       {DueBehind{}, DueBehind{{ObjectType::delivery, {kNow + std::chrono::seconds(1)}}},
        DueBehind{{ObjectType::payment, later}}, DueBehind{{one.row.type, place_of(one)}},
        DueBehind{{one.row.type, {one.due_at, one.row.value - 1}}},
        DueBehind{{ObjectType::refund, later}, {ObjectType::reversal, later}, {ObjectType::delivery, later}},
        DueBehind{{ObjectType::authorization, later}, {ObjectType::capture, later}},
        DueBehind{{ObjectType::order, later}, {ObjectType::hold, later}}})
    for (std::size_t limit = 1; limit <= 5; ++limit)
      for (int second = -1; second <= 28; ++second) {
        const Time now = kNow + std::chrono::seconds(second);
        std::map<ObjectType, std::size_t> of_kind;
        std::vector<DueRow> expected;
        for (const DueRow& row : due_rows)
          if (place_of(row) > behind_of(behind, row.row.type) && row.due_at <= now && ++of_kind[row.row.type] <= limit)
            expected.push_back(row);
        const std::vector<DueRow> due = must(this->reader_->due(now, limit, behind));
        ASSERT_EQ(due.size(), expected.size()) << "limit " << limit << " at " << second;
        for (std::size_t i = 0; i < due.size(); ++i) {
          EXPECT_EQ(due[i].row, expected[i].row);
          EXPECT_EQ(due[i].merchant_id, expected[i].merchant_id);
          EXPECT_EQ(due[i].order_id, expected[i].order_id);
          EXPECT_EQ(due[i].due_at, expected[i].due_at);
          EXPECT_EQ(due[i].channel_account_id, expected[i].channel_account_id);
        }
      }
}

TEST_P(ReaderContract, AJournalIsCompleteEvenIfItsMillisecondRanOutOfNumbers) {
  WorkingSet rows;
  std::vector<std::vector<Entry>> journals;
  const std::int64_t numbers = std::int64_t{1} << kIdNumberBits;
  std::int64_t id = this->ids_->next();
  while (id % numbers != numbers - 4) id = this->ids_->next();
  for (int i = 0; i < 3; ++i) {
    auto& journal = journals.emplace_back();
    for (int line = 0; line < 2 + i; ++line) {
      Entry& entry = journal.emplace_back(this->filler_.row<Entry>());
      entry.id = EntryId{this->ids_->next()};
      entry.journal_id = journal.front().id;
      rows.entries.push_back(entry);
    }
  }
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  for (const auto& journal : journals) {
    expect_same(must(this->reader_->journal(journal.front().id)), journal);
    EXPECT_TRUE(must(this->reader_->journal(journal.back().id)).empty());
  }
}

TEST_P(ReaderContract, SeesCommittedRowsOnly) {
  const SampleRows all = make_sample_rows(this->filler_);
  this->expect_nothing_of(all);
  WorkingSet taken = this->load(all.reads());
  this->write(all);  // the reader was opened before this commit and must see the rows
  this->expect_stored(all);

  SampleRows refused = make_sample_rows(this->filler_);
  const OrderId id = refused.order.order.id;
  refused.order_key.hash = all.order_key.hash;
  refused.insert_into(taken = WorkingSet{});
  ASSERT_EQ(this->commit(taken), CommitOutcome::conflict);
  EXPECT_FALSE(must(this->reader_->order(id)));
}

TEST_P(ReaderContract, AnAggregateIsReadFromOneSnapshot) {
  constexpr std::int64_t kCommits = 200;
  OrderAggregate aggregate = this->new_order(kMerchant, kNow);
  const OrderId id = aggregate.order.id;
  aggregate.order.version = 1;
  const auto mark = [](OrderAggregate& order) {
    for (Payment& payment : order.payments) payment.version = order.order.version;
  };
  mark(aggregate);
  WorkingSet rows;
  rows.orders.insert(id, aggregate);
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);

  std::atomic<bool> written = true;
  std::jthread writer([&] {
    for (std::int64_t i = 0; i < kCommits; ++i) {
      WorkingSet next = this->load({.orders = {id}});
      OrderAggregate& order = next.orders.change(id);
      order.order.version += 1;
      mark(order);
      written = written && this->commit(next) == CommitOutcome::ok;
    }
  });
  std::int64_t version = 0;
  while (version <= kCommits && written) {
    const auto listed = this->orders({}, {}).rows;
    const auto found = must(this->reader_->order(id));
    for (const OrderAggregate* read : {&listed.front(), &*found}) {
      ASSERT_GE(read->order.version, version);
      version = read->order.version;
      for (const Payment& payment : read->payments) ASSERT_EQ(payment.version, version);
    }
  }
  EXPECT_TRUE(written);
}

}  // namespace
}  // namespace finality::store_contract
