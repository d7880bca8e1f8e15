#include "store/contract/account_contract.h"

namespace finality::store_contract {
namespace {

TEST_P(AccountContract, LoadingAHoldLoadsItsAccounts) {
  const auto [account, credit, hold] = this->write_hold();
  const Key key = this->write_key(hold.id.value);
  for (const ReadSet& reads : {ReadSet{.holds = {hold.id}}, ReadSet{.keys = {{key.hash, ObjectType::hold}}}}) {
    const WorkingSet rows = this->load(reads);
    expect_same(rows.holds.find(hold.id), hold);
    expect_same(rows.accounts.find(account.id), account);
    expect_same(rows.accounts.find(credit.id), credit);
  }
}

TEST_P(AccountContract, LoadingATransferLoadsItsAccounts) {
  const auto [account, credit, hold] = this->write_hold();
  Transfer transfer = this->new_row<Transfer>();
  transfer.debit_account_id = account.id;
  transfer.credit_account_id = credit.id;
  WorkingSet rows;
  rows.transfers.insert(transfer.id, transfer);
  this->write_rows(rows);
  const Key key = this->write_key(transfer.id.value);
  rows = this->load({.keys = {{key.hash, ObjectType::transfer}}});
  expect_same(rows.transfers.find(transfer.id), transfer);
  expect_same(rows.accounts.find(account.id), account);
  expect_same(rows.accounts.find(credit.id), credit);
}

TEST_P(AccountContract, LoadingATombstoneLoadsNoAccounts) {
  Transfer tombstone = this->new_row<Transfer>();
  tombstone.debit_account_id.reset();
  tombstone.credit_account_id.reset();
  WorkingSet rows;
  rows.transfers.insert(tombstone.id, tombstone);
  this->write_rows(rows);
  const Key key = this->write_key(tombstone.id.value);
  rows = this->load({.keys = {{key.hash, ObjectType::transfer}}});
  expect_same(rows.transfers.find(tombstone.id), tombstone);
}

TEST_P(AccountContract, AccountsAreLoadedByTheirIds) {
  const auto [account, credit, hold] = this->write_hold();
  const AccountId absent{this->ids_->next()};
  const WorkingSet rows = this->load({.accounts = {account.id, absent, account.id}});
  expect_same(rows.accounts.find(account.id), account);
  EXPECT_EQ(rows.accounts.find(absent), nullptr);
  EXPECT_FALSE(rows.accounts.loaded(credit.id));
}

TEST_P(AccountContract, APriceIsLoadedByItsName) {
  const Price price = this->new_row<Price>();
  WorkingSet rows;
  rows.prices.insert(price.id, price);
  this->write_rows(rows);
  const Key key = this->write_key(price.id.value);
  expect_same(this->load({.keys = {{key.hash, ObjectType::price}}}).prices.find(price.id), price);
}

TEST_P(AccountContract, LoadingAMerchantLoadsOnlyItsOwnFees) {
  const std::vector<Fee> fees = this->write_fees(kMerchant, 3);
  this->write_fees(kOtherMerchant, 1);
  expect_same(*this->load({.merchants = {kMerchant}}).fees.find(kMerchant), fees);
  expect_same(must(this->reader_->fees(kMerchant)), fees);
}

TEST_P(AccountContract, AFeeAddedLaterIsWrittenAndTheOthersStay) {
  std::vector<Fee> fees = this->write_fees(kMerchant, 2);
  fees.push_back(this->new_fee(kMerchant));
  this->filler_.change(fees.front());
  fees.front().version += 1;
  WorkingSet rows = this->load({.merchants = {kMerchant}});
  rows.fees.change(kMerchant) = fees;
  this->write_rows(rows);
  expect_same(must(this->reader_->fees(kMerchant)), fees);
}

TEST_P(AccountContract, AChannelHasOneFee) {
  const std::vector<Fee> fees = this->write_fees(kMerchant, 1);
  const std::string channel = this->new_fee(kMerchant).channel;
  this->expect_second_loses({.merchants = {kMerchant}}, [&](WorkingSet& rows) {
    Fee fee = this->new_fee(kMerchant);
    fee.channel = channel;
    rows.fees.change(kMerchant).push_back(fee);
  });
  EXPECT_EQ(must(this->reader_->fees(kMerchant)).size(), fees.size() + 1);
}

TEST_P(AccountContract, OfTwoChangesToOneRootTheSecondConflicts) {
  const SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  this->expect_second_loses(all.reads(), [&](WorkingSet& rows) {
    rows.transfers.change(all.transfer.id).state = TransferState::reversed;
    rows.transfers.change(all.transfer.id).version += 1;
  });
  this->expect_second_loses(all.reads(), [&](WorkingSet& rows) {
    rows.prices.change(all.price.id).amount += 1;
    rows.prices.change(all.price.id).version += 1;
  });
  this->expect_second_loses(all.reads(), [&](WorkingSet& rows) {
    rows.adjustments.change(all.adjustment.id).state = AdjustmentState::posted;
    rows.adjustments.change(all.adjustment.id).version += 1;
  });
  this->expect_second_loses(all.reads(), [&](WorkingSet& rows) {
    rows.fees.change(all.merchant.id).back().fixed += 1;
    rows.fees.change(all.merchant.id).back().version += 1;
  });
}

// The first writer posts a transfer from the account, the second writer locks the account. The second commit must
// conflict.
TEST_P(AccountContract, OfTwoWritersOnOneAccountTheSecondConflicts) {
  const auto [account, credit, hold] = this->write_hold();
  WorkingSet payer = this->load({.accounts = {account.id}});
  WorkingSet locker = this->load({.accounts = {account.id}});
  Account& paid = payer.accounts.change(account.id);
  paid.balance -= 1;
  paid.version += 1;
  Account& locked = locker.accounts.change(account.id);
  locked.lock_owner = "another holder";
  locked.lock_number += 1;
  locked.version += 1;
  EXPECT_EQ(this->commit(payer), CommitOutcome::ok);
  EXPECT_EQ(this->commit(locker), CommitOutcome::conflict);
  const auto found = must(this->reader_->account(account.id));
  ASSERT_TRUE(found);
  expect_same(*found, paid);
}

TEST_P(AccountContract, AHoldChangedUnderAnOldVersionOfItsAccountConflicts) {
  const auto [account, credit, hold] = this->write_hold();
  const auto end = [&](WorkingSet& rows, HoldState state, MinorUnits posted) {
    Hold& ended = rows.holds.change(hold.id);
    ended.state = state;
    ended.posted_amount = posted;
    ended.due_at.reset();
    ended.version += 1;
    rows.accounts.change(account.id).held -= hold.amount;
    rows.accounts.change(account.id).version += 1;
  };
  WorkingSet poster = this->load({.holds = {hold.id}});
  WorkingSet voider = this->load({.holds = {hold.id}});
  end(poster, HoldState::posted, 5);
  end(voider, HoldState::voided, 0);
  EXPECT_EQ(this->commit(poster), CommitOutcome::ok);
  EXPECT_EQ(this->commit(voider), CommitOutcome::conflict);
  const WorkingSet rows = this->load({.holds = {hold.id}});
  expect_same(rows.holds.find(hold.id), *poster.holds.find(hold.id));
  expect_same(rows.accounts.find(account.id), *poster.accounts.find(account.id));
}

TEST_P(AccountContract, AHoldMadeUnderAnOldVersionOfItsAccountIsNotWritten) {
  const auto [account, credit, hold] = this->write_hold();
  std::vector<Hold> made;
  this->expect_second_loses({.accounts = {account.id}}, [&](WorkingSet& rows) {
    const Hold& another = made.emplace_back(this->new_hold(account, credit));
    rows.holds.insert(another.id, another);
    rows.accounts.change(account.id).held += another.amount;
    rows.accounts.change(account.id).version += 1;
  });
  EXPECT_TRUE(must(this->reader_->hold(made.front().id)));
  EXPECT_FALSE(must(this->reader_->hold(made.back().id)));
  const auto found = must(this->reader_->account(account.id));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->held, account.held + made.front().amount);
}

TEST_P(AccountContract, AReferenceIsTakenOnce) {
  const auto take = [&](const Hash16& hash) {
    return [this, hash](WorkingSet& rows) { rows.keys.insert(hash, {hash, kMerchant, this->filler_.number()}); };
  };
  const auto new_hash = [this] { return this->filler_.row<Key>().hash; };
  const Hash16 hashes[] = {new_hash(), new_hash(), new_hash()};
  this->expect_second_loses({.keys = {{hashes[0], ObjectType::transfer}}}, take(hashes[0]));
  this->expect_second_loses({.keys = {{hashes[1], ObjectType::hold}}}, take(hashes[1]));
  this->expect_second_loses({.keys = {{hashes[2], ObjectType::price}}}, take(hashes[2]));
}

TEST_P(AccountContract, LoadingMoreKeepsUncommittedChanges) {
  const SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  WorkingSet rows = this->load(all.reads());
  rows.transfers.change(all.transfer.id).state = TransferState::reversed;
  rows.holds.change(all.hold.id).posted_amount = 1;
  rows.prices.change(all.price.id).amount = 2;
  rows.fees.change(all.merchant.id).clear();
  must(this->session_->load(all.reads(), rows));
  EXPECT_EQ(rows.transfers.find(all.transfer.id)->state, TransferState::reversed);
  EXPECT_EQ(rows.holds.find(all.hold.id)->posted_amount, 1);
  EXPECT_EQ(rows.prices.find(all.price.id)->amount, 2);
  EXPECT_TRUE(rows.fees.find(all.merchant.id)->empty());
}

TEST_P(AccountContract, AReaderFindsWholeRows) {
  const SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  const auto expect_found = [](const auto& found, const auto& expected) {
    ASSERT_TRUE(found.has_value());
    expect_same(*found, expected);
  };
  Reader& reader = *this->reader_;
  expect_found(must(reader.transfer(all.transfer.id)), all.transfer);
  expect_found(must(reader.hold(all.hold.id)), all.hold);
  expect_found(must(reader.price(all.price.id)), all.price);
  expect_found(must(reader.adjustment(all.adjustment.id)), all.adjustment);
  for (const Key& key : all.keys()) EXPECT_EQ(must(reader.named(key.hash)), key.id);
}

TEST_P(AccountContract, AReaderFindsNoMissingRows) {
  Reader& reader = *this->reader_;
  EXPECT_FALSE(must(reader.transfer(TransferId{1})));
  EXPECT_FALSE(must(reader.hold(HoldId{1})));
  EXPECT_FALSE(must(reader.price(PriceId{1})));
  EXPECT_FALSE(must(reader.adjustment(AdjustmentId{1})));
  EXPECT_EQ(must(reader.named(Hash16{})), 0);
  EXPECT_TRUE(must(reader.accounts(kMerchant, {})).rows.empty());
  EXPECT_TRUE(must(reader.ledger_accounts(kMerchant)).empty());
  EXPECT_TRUE(must(reader.entries(this->new_account(), {}, {})).rows.empty());
  EXPECT_TRUE(must(reader.holds(AccountId{1}, {}, {})).rows.empty());
  EXPECT_TRUE(must(reader.prices(kMerchant, {})).rows.empty());
  EXPECT_TRUE(must(reader.adjustments(kMerchant, {}, {})).rows.empty());
  EXPECT_TRUE(must(reader.fees(kMerchant)).empty());
}

TEST_P(AccountContract, PagesThroughTheAccountsThatTheMerchantOpened) {
  WorkingSet rows;
  std::vector<std::int64_t> newest_first;
  std::vector<Account> of_books;
  for (int i = 0; i < 5; ++i) {
    const Account opened = this->new_account();
    const Account others[] = {this->new_account(kMerchant, AccountKind::suspense), this->new_account(kOtherMerchant)};
    rows.accounts.insert(opened.id, opened);
    for (const Account& other : others) rows.accounts.insert(other.id, other);
    newest_first.insert(newest_first.begin(), opened.id.value);
    of_books.push_back(others[0]);
  }
  this->write_rows(rows);
  expect_same(must(this->reader_->ledger_accounts(kMerchant)), of_books);
  expect_pages(newest_first, [&](const Page& page) {
    return ids_of(must(this->reader_->accounts(kMerchant, page)), [](const Account& row) { return row.id; });
  });
  const auto listed = must(this->reader_->accounts(kMerchant, {.limit = 1}));
  expect_same(listed.rows.front(), *rows.accounts.find(listed.rows.front().id));
}

TEST_P(AccountContract, PagesThroughAStatementByTimeFromInclusiveToExclusive) {
  const auto at = [](int second) { return kNow + std::chrono::seconds(second); };
  Account account = this->new_account_without_entries();
  Account another = this->new_account_without_entries();
  WorkingSet rows;
  std::vector<std::int64_t> all;
  for (int i = 0; i < 6; ++i) {
    this->ids_->advance(at(i));
    all.insert(all.begin(), this->post(rows, account, at(i)));
    this->post(rows, another, at(i));
  }
  this->write_rows(rows);
  using Ids = std::vector<std::int64_t>;
  const auto expect_statement = [&](const EntryFilter& filter, const Ids& expected) {
    expect_pages(expected, [&](const Page& page) {
      return ids_of(must(this->reader_->entries(account, filter, page)), [](const Entry& row) { return row.id; });
    });
  };
  expect_statement({}, all);
  expect_statement({.from = at(2)}, {all.begin(), all.begin() + 4});
  expect_statement({.from = at(2) + Duration(1)}, {all.begin(), all.begin() + 3});
  expect_statement({.to = at(2)}, {all.begin() + 4, all.end()});
  expect_statement({.from = at(1), .to = at(4)}, {all.begin() + 2, all.begin() + 5});
  EXPECT_TRUE(must(this->reader_->entries(account, {.from = at(6)}, {})).rows.empty());
  EXPECT_TRUE(must(this->reader_->entries(account, {.to = at(0)}, {})).rows.empty());
}

// The statement has 1000 entries over about three hours, so that pages start at, before and between indexed entries.
// Every hundredth entry has an id one hour ahead of its created_at.
TEST_P(AccountContract, PagesThroughALongStatementBothWaysByAnyTimes) {
  constexpr std::size_t kEntries = 1000;
  const auto at = [](std::size_t i) { return kNow + std::chrono::seconds(10 * i + i * i % 7); };
  Account account = this->new_account_without_entries();
  Account another = this->new_account_without_entries();
  WorkingSet rows;
  for (std::size_t i = 0; i < kEntries; ++i) {
    this->ids_->advance(at(i));
    this->post(rows, account, i % 100 == 50 ? at(i) - std::chrono::hours(1) : at(i));
    this->post(rows, another, at(i));
  }
  this->write_rows(rows);
  const auto expected = [&](const EntryFilter& filter, const Page& page) {
    std::vector<std::int64_t> found;
    for (const Entry& row : rows.entries)
      if (row.account_id == account.id && (!filter.from || row.created_at >= *filter.from) &&
          (!filter.to || row.created_at < *filter.to) && (!page.after || row.id.value < *page.after) &&
          (!page.before || row.id.value > *page.before))
        found.push_back(row.id.value);
    const bool has_more = found.size() > page.limit;
    if (has_more && page.before) found.resize(page.limit);
    std::ranges::reverse(found);
    if (has_more && !page.before) found.resize(page.limit);
    return std::pair(found, has_more);
  };
  const EntryFilter filters[] = {{},
                                 {.to = at(300)},
                                 {.to = at(700)},
                                 {.from = at(650)},
                                 {.from = at(200), .to = at(600)},
                                 {.from = at(kEntries)},
                                 {.to = kNow - std::chrono::hours(2)},
                                 {.to = Time{253'402'300'799'000}}};  // end of the year 9999
  // Each combination of filter and limit tests pages at every 293rd entry. The first of these entries differs for each
  // combination, so that all combinations together test many positions.
  constexpr std::size_t kStep = 293;
  std::size_t first_place = 0;
  for (const EntryFilter& filter : filters)
    for (const std::size_t limit : {1, 10, 100}) {
      first_place = (first_place + 97) % kStep;
      const auto expect_page = [&](const Page& page) {
        const auto found = must(this->reader_->entries(account, filter, page));
        EXPECT_EQ(ids_of(found, [](const Entry& row) { return row.id; }), expected(filter, page))
            << (&filter - filters) << " limit " << limit << " after " << page.after.value_or(0) << " before "
            << page.before.value_or(0);
      };
      expect_page({.limit = limit});
      for (std::size_t place = first_place; place < rows.entries.size(); place += kStep) {
        expect_page({.limit = limit, .after = rows.entries[place].id.value});
        expect_page({.limit = limit, .before = rows.entries[place].id.value});
      }
    }
}

// In a damaged store, an entry may have its own id or a later id as previous_id. The statement ends there instead of
// repeating entries without end.
TEST_P(AccountContract, AStatementEndsWhereItsChainIsBroken) {
  Account account = this->new_account_without_entries();
  WorkingSet rows;
  const std::int64_t first = this->post(rows, account, kNow);
  const std::int64_t last = this->post(rows, account, kNow);
  rows.entries.front().previous_id = EntryId{last};
  this->write_rows(rows);
  EXPECT_EQ(ids_of(must(this->reader_->entries(account, {}, {})), [](const Entry& row) { return row.id; }).first,
            (std::vector{last, first}));
}

// The time in an id can be later than created_at: after a restart, or if a millisecond has no sequence numbers left.
TEST_P(AccountContract, AStatementFiltersByCreatedAtNotById) {
  this->ids_->advance(kNow + std::chrono::seconds(10));
  Account account = this->new_account_without_entries();
  WorkingSet rows;
  this->post(rows, account, kNow);
  this->write_rows(rows);
  const auto count = [&](const EntryFilter& filter) {
    return must(this->reader_->entries(account, filter, {})).rows.size();
  };
  EXPECT_EQ(count({.from = kNow, .to = kNow + Duration(1)}), 1U);
  EXPECT_EQ(count({.from = kNow + Duration(1)}), 0U);
  EXPECT_EQ(count({.to = kNow}), 0U);
}

TEST_P(AccountContract, PagesThroughHoldsAlsoByTheirState) {
  const auto [account, credit, first] = this->write_hold();
  WorkingSet rows = this->load({.accounts = {account.id, credit.id}});
  std::vector<std::int64_t> all = {first.id.value};
  std::map<HoldState, std::vector<std::int64_t>> by_state = {{first.state, {first.id.value}}};
  for (int i = 0; i < 6; ++i) {
    Hold hold = this->new_hold(account, credit);
    hold.state = i % 2 == 0 ? HoldState::held : HoldState::expired;
    const Hold foreign = this->new_hold(credit, account);
    rows.holds.insert(hold.id, hold);
    rows.holds.insert(foreign.id, foreign);
    all.insert(all.begin(), hold.id.value);
    by_state[hold.state].insert(by_state[hold.state].begin(), hold.id.value);
  }
  rows.accounts.change(account.id).version += 1;
  rows.accounts.change(credit.id).version += 1;
  this->write_rows(rows);
  const auto expect_holds = [&](std::optional<HoldState> state, const std::vector<std::int64_t>& expected) {
    expect_pages(expected, [&](const Page& page) {
      return ids_of(must(this->reader_->holds(account.id, state, page)), [](const Hold& row) { return row.id; });
    });
  };
  expect_holds({}, all);
  for (const HoldState state : {HoldState::held, HoldState::expired}) expect_holds(state, by_state[state]);
}

TEST_P(AccountContract, PagesThroughPrices) {
  WorkingSet rows;
  std::vector<std::int64_t> newest_first;
  for (int i = 0; i < 5; ++i)
    for (const MerchantId merchant : {kMerchant, kOtherMerchant}) {
      Price price = this->new_row<Price>();
      price.merchant_id = merchant;
      rows.prices.insert(price.id, price);
      if (merchant == kMerchant) newest_first.insert(newest_first.begin(), price.id.value);
    }
  this->write_rows(rows);
  expect_pages(newest_first, [&](const Page& page) {
    return ids_of(must(this->reader_->prices(kMerchant, page)), [](const Price& row) { return row.id; });
  });
}

TEST_P(AccountContract, PagesThroughAdjustmentsAlsoByTheirState) {
  WorkingSet rows;
  std::vector<std::int64_t> newest_first;
  std::map<AdjustmentState, std::vector<std::int64_t>> by_state;
  for (int i = 0; i < 6; ++i)
    for (const MerchantId merchant : {kMerchant, kOtherMerchant}) {
      Adjustment adjustment = this->new_row<Adjustment>();
      adjustment.merchant_id = merchant;
      adjustment.state = i % 2 == 0 ? AdjustmentState::proposed : AdjustmentState::posted;
      rows.adjustments.insert(adjustment.id, adjustment);
      if (merchant != kMerchant) continue;
      newest_first.insert(newest_first.begin(), adjustment.id.value);
      auto& of_state = by_state[adjustment.state];
      of_state.insert(of_state.begin(), adjustment.id.value);
    }
  this->write_rows(rows);
  const auto expect_adjustments = [&](std::optional<AdjustmentState> state, const std::vector<std::int64_t>& expected) {
    expect_pages(expected, [&](const Page& page) {
      return ids_of(must(this->reader_->adjustments(kMerchant, state, page)),
                    [](const Adjustment& row) { return row.id; });
    });
  };
  expect_adjustments({}, newest_first);
  for (const auto& [state, expected] : by_state) expect_adjustments(state, expected);
}

TEST_P(AccountContract, AHoldIsDueAtItsDueAtAndHasNoOrder) {
  const Account account = this->new_account();
  const Account credit = this->new_account();
  WorkingSet rows;
  rows.accounts.insert(account.id, account);
  rows.accounts.insert(credit.id, credit);
  std::vector<Hold> due;
  for (int i = 0; i < 3; ++i) {
    Hold hold = this->new_hold(account, credit);
    hold.due_at = kNow + std::chrono::seconds(2 - i);
    due.insert(due.begin(), hold);
    rows.holds.insert(hold.id, hold);
    Hold over = this->new_hold(account, credit);
    over.due_at.reset();
    rows.holds.insert(over.id, over);
  }
  this->write_rows(rows);
  EXPECT_TRUE(must(this->reader_->due(kNow - Duration(1), 10, {})).empty());
  const auto found = must(this->reader_->due(kNow + std::chrono::seconds(2), 10, {}));
  ASSERT_EQ(found.size(), due.size());
  for (std::size_t i = 0; i < due.size(); ++i) {
    EXPECT_EQ(found[i].row, ObjectRef(due[i].id));
    EXPECT_EQ(found[i].merchant_id, due[i].merchant_id);
    EXPECT_EQ(found[i].order_id, OrderId{});
    EXPECT_EQ(found[i].due_at, due[i].due_at);
  }
}

}  // namespace
}  // namespace finality::store_contract
