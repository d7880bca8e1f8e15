// Store contract tests, part 1: rows that a session loads and commits. Every store must pass all four parts. Part 2
// tests readers (store/contract/reader_contract.h), part 3 accounts and money movements
// (store/contract/account_contract.h), part 4 expiry (store/contract/expiry_contract.h).
//
// The test of a store implements Place and instantiates all four suites:
//
//   class MyPlace final : public Place { … };
//   INSTANTIATE_TEST_SUITE_P(Name, StoreContract, testing::Values(make_place<MyPlace>));
//   … ReaderContract, AccountContract, ExpiryContract
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "store/testing/sample_rows.h"

namespace finality::store_contract {

/// Opens the store under test; each test has a separate Place.
class Place {
 public:
  virtual ~Place() = default;
  /// Opens the store: empty the first time, then with its previous contents. Only one store is open at a time.
  virtual std::unique_ptr<Store> open() = 0;
  /// Opens a session that takes over the node number that `held` still holds, as if the lease had expired.
  virtual std::unique_ptr<Session> take_over(Store& store, const Session& held) = 0;
};

using MakePlace = std::unique_ptr<Place> (*)();

template <class P>
std::unique_ptr<Place> make_place() {
  return std::make_unique<P>();
}

class StoreContract : public testing::TestWithParam<MakePlace> {
 protected:
  void SetUp() override { open(); }

  void open() {
    store_ = place_->open();
    ASSERT_NE(store_, nullptr);
    session_ = must(store_->open_session());
    reader_ = must(store_->open_reader());
    ids_ = std::make_unique<IdGenerator>(session_->node(), session_->ids_not_before());
    ids_->advance(kNow);
  }
  void reopen() {
    reader_.reset();
    session_.reset();
    store_.reset();
    open();
  }

  WorkingSet load(const ReadSet& reads) {
    WorkingSet rows;
    must(session_->load(reads, rows));
    return rows;
  }
  CommitOutcome commit(const WorkingSet& rows) { return session_->commit(rows, *ids_).outcome; }
  void write(const SampleRows& all) {
    WorkingSet rows = load(all.reads());
    fill(rows, all);
    ASSERT_EQ(commit(rows), CommitOutcome::ok);
  }
  /// Inserts `all` into `rows`. REQUIRES: `rows` has been loaded, and none of the rows in `all` exists.
  static void fill(WorkingSet& rows, const SampleRows& all) {
    rows.endpoints = {};
    rows.fees = {};
    all.insert_into(rows);
  }

  void expect_stored(const SampleRows& all) {
    const WorkingSet rows = load(all.reads());
    expect_same(rows.orders.find(all.order.order.id), all.order);
    expect_same(rows.deliveries.find(all.delivery.delivery.id), all.delivery);
    expect_same(rows.unknown_receipts.find(all.unknown_receipt.unknown_receipt.id), all.unknown_receipt);
    expect_same(rows.statements.find(all.statement.statement.id), all.statement);
    expect_same(rows.differences.find(all.difference.difference.id), all.difference);
    expect_same(rows.statement_matches.find(all.statement_match.document_id), all.statement_match);
    expect_same(rows.funds_matches.find(all.funds_match.document_id), all.funds_match);
    expect_same(rows.accounts.find(all.account.id), all.account);
    expect_same(rows.transfers.find(all.transfer.id), all.transfer);
    expect_same(rows.holds.find(all.hold.id), all.hold);
    expect_same(rows.prices.find(all.price.id), all.price);
    expect_same(rows.adjustments.find(all.adjustment.id), all.adjustment);
    expect_same(rows.merchants.find(all.merchant.id), all.merchant);
    expect_same(rows.api_keys.find(all.api_key.id), all.api_key);
    expect_same(rows.channel_accounts.find(all.channel_account.id), all.channel_account);
    expect_same(rows.channel_rates.find(all.channel_rate.id), all.channel_rate);
    expect_same(rows.identity_checks.find(all.identity_check.id), all.identity_check);
    expect_same(*rows.endpoints.find(all.merchant.id), all.endpoints);
    expect_same(*rows.fees.find(all.merchant.id), all.fees);
    for (const Key& key : all.keys()) expect_same(rows.keys.find(key.hash), key);
    expect_same(rows.idempotency_records.find(all.answer.key_hash), all.answer);
    expect_same(must(reader_->events(all.event.root_id, {}, {}, true)).rows, {all.event});
    expect_same(must(reader_->journal(all.entry.id)), {all.entry});
  }
  void expect_nothing_of(const SampleRows& all) {
    const WorkingSet rows = load(all.reads());
    EXPECT_EQ(rows.orders.find(all.order.order.id), nullptr);
    EXPECT_EQ(rows.deliveries.find(all.delivery.delivery.id), nullptr);
    EXPECT_EQ(rows.unknown_receipts.find(all.unknown_receipt.unknown_receipt.id), nullptr);
    EXPECT_EQ(rows.statements.find(all.statement.statement.id), nullptr);
    EXPECT_EQ(rows.differences.find(all.difference.difference.id), nullptr);
    EXPECT_EQ(rows.statement_matches.find(all.statement_match.document_id), nullptr);
    EXPECT_EQ(rows.funds_matches.find(all.funds_match.document_id), nullptr);
    EXPECT_FALSE(rows.accounts.loaded(all.account.id));  // not loaded: no key, transfer or hold names it
    EXPECT_FALSE(rows.prices.loaded(all.price.id));      // not loaded: no key names it
    EXPECT_EQ(rows.adjustments.find(all.adjustment.id), nullptr);
    EXPECT_EQ(rows.transfers.find(all.transfer.id), nullptr);
    EXPECT_EQ(rows.holds.find(all.hold.id), nullptr);
    EXPECT_EQ(rows.merchants.find(all.merchant.id), nullptr);
    EXPECT_EQ(rows.api_keys.find(all.api_key.id), nullptr);
    EXPECT_EQ(rows.channel_accounts.find(all.channel_account.id), nullptr);
    EXPECT_EQ(rows.identity_checks.find(all.identity_check.id), nullptr);
    EXPECT_FALSE(rows.channel_rates.loaded(all.channel_rate.id));  // not loaded: no key names it
    EXPECT_TRUE(rows.endpoints.find(all.merchant.id)->empty());
    EXPECT_TRUE(rows.fees.find(all.merchant.id)->empty());
    for (const Key& key : all.keys()) EXPECT_EQ(rows.keys.find(key.hash), nullptr);
    EXPECT_EQ(rows.idempotency_records.find(all.answer.key_hash), nullptr);
    EXPECT_EQ(rows.order_of_payment.find(all.order.payments.front().id), nullptr);
    EXPECT_TRUE(must(reader_->events(all.event.root_id, {}, {}, true)).rows.empty());
    EXPECT_TRUE(must(reader_->journal(all.entry.id)).empty());
    EXPECT_FALSE(must(reader_->account(all.account.id)));
  }
  std::map<std::string, std::int64_t> rows_by_table() {
    const AuditReport report = must(store_->audit());
    return {report.checked.begin(), report.checked.end()};
  }

  /// Loads the rows twice and changes both copies. Expects the first commit to succeed and the second to conflict and
  /// write nothing.
  void expect_second_loses(const ReadSet& reads, const std::function<void(WorkingSet&)>& change) {
    WorkingSet first = load(reads);
    WorkingSet second = load(reads);
    change(first);
    change(second);
    second.events.push_back(filler_.row<Event>());
    EXPECT_EQ(commit(first), CommitOutcome::ok);
    EXPECT_EQ(commit(second), CommitOutcome::conflict);
    EXPECT_TRUE(must(reader_->events(second.events.back().root_id, {}, {}, true)).rows.empty());
  }

  std::unique_ptr<Place> place_ = GetParam()();
  std::unique_ptr<Store> store_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<IdGenerator> ids_;
  RowFiller filler_{true};
};

}  // namespace finality::store_contract
