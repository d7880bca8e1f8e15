#include "store/contract/store_contract.h"

namespace finality::store_contract {
namespace {

TEST_P(StoreContract, EveryRowIsReadAsItWasWritten) {
  for (const bool optionals : {true, false}) {
    SCOPED_TRACE(optionals ? "optional columns present" : "optional columns absent");
    this->filler_.set_optionals(optionals);
    const SampleRows all = make_sample_rows(this->filler_);
    this->write(all);
    this->expect_stored(all);
    this->reopen();
    this->expect_stored(all);
  }
}

TEST_P(StoreContract, FlushedRowsAreVisibleToEveryReader) {
  const auto flusher = must(this->session_->flush_apart());
  for (int round = 0; round < 3; ++round) {
    const SampleRows all = make_sample_rows(this->filler_);
    this->write(all);
    if (flusher) must(flusher->flush());
    this->expect_stored(all);
  }
}

TEST_P(StoreContract, EveryColumnThatMayChangeIsWritten) {
  for (const bool optionals : {true, false}) {
    SCOPED_TRACE(optionals ? "from absent to present" : "from present to absent");
    this->filler_.set_optionals(!optionals);
    SampleRows all = make_sample_rows(this->filler_);
    this->write(all);

    this->filler_.set_optionals(optionals);
    change_everything(this->filler_, all);
    WorkingSet rows = this->load(all.reads());
    rows.orders.change(all.order.order.id) = all.order;
    rows.deliveries.change(all.delivery.delivery.id) = all.delivery;
    rows.unknown_receipts.change(all.unknown_receipt.unknown_receipt.id) = all.unknown_receipt;
    rows.statements.change(all.statement.statement.id) = all.statement;
    rows.differences.change(all.difference.difference.id) = all.difference;
    rows.accounts.change(all.account.id) = all.account;
    rows.transfers.change(all.transfer.id) = all.transfer;
    rows.holds.change(all.hold.id) = all.hold;
    rows.prices.change(all.price.id) = all.price;
    rows.adjustments.change(all.adjustment.id) = all.adjustment;
    rows.merchants.change(all.merchant.id) = all.merchant;
    rows.api_keys.change(all.api_key.id) = all.api_key;
    rows.channel_accounts.change(all.channel_account.id) = all.channel_account;
    rows.channel_rates.change(all.channel_rate.id) = all.channel_rate;
    rows.identity_checks.change(all.identity_check.id) = all.identity_check;
    rows.endpoints.change(all.merchant.id) = all.endpoints;
    rows.fees.change(all.merchant.id) = all.fees;
    ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
    this->expect_stored(all);
  }
}

// A store may cache rows between two batches. Cached rows and loaded rows must together match the last commit.
TEST_P(StoreContract, ASingleChangedRowIsReadTogetherWithTheUnchangedOnes) {
  SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  SampleRows later = all;
  change_everything(this->filler_, later);
  const std::function<void(WorkingSet&)> changes[] = {
      [&](WorkingSet& rows) { rows.orders.change(all.order.order.id) = all.order = later.order; },
      [&](WorkingSet& rows) { rows.deliveries.change(all.delivery.delivery.id) = all.delivery = later.delivery; },
      [&](WorkingSet& rows) {
        rows.unknown_receipts.change(all.unknown_receipt.unknown_receipt.id) = all.unknown_receipt =
            later.unknown_receipt;
      },
      [&](WorkingSet& rows) { rows.statements.change(all.statement.statement.id) = all.statement = later.statement; },
      [&](WorkingSet& rows) {
        rows.differences.change(all.difference.difference.id) = all.difference = later.difference;
      },
      [&](WorkingSet& rows) { rows.accounts.change(all.account.id) = all.account = later.account; },
      [&](WorkingSet& rows) { rows.transfers.change(all.transfer.id) = all.transfer = later.transfer; },
      [&](WorkingSet& rows) { rows.prices.change(all.price.id) = all.price = later.price; },
      [&](WorkingSet& rows) { rows.adjustments.change(all.adjustment.id) = all.adjustment = later.adjustment; },
      [&](WorkingSet& rows) { rows.merchants.change(all.merchant.id) = all.merchant = later.merchant; },
      [&](WorkingSet& rows) { rows.api_keys.change(all.api_key.id) = all.api_key = later.api_key; },
      [&](WorkingSet& rows) {
        rows.channel_accounts.change(all.channel_account.id) = all.channel_account = later.channel_account;
      },
      [&](WorkingSet& rows) { rows.channel_rates.change(all.channel_rate.id) = all.channel_rate = later.channel_rate; },
      [&](WorkingSet& rows) { rows.endpoints.change(all.merchant.id) = all.endpoints = later.endpoints; },
      [&](WorkingSet& rows) { rows.fees.change(all.merchant.id) = all.fees = later.fees; },
  };
  for (const auto& change : changes) {
    WorkingSet rows = this->load(all.reads());
    change(rows);
    ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
    this->expect_stored(all);
  }
}

TEST_P(StoreContract, NumbersAndTextKeepTheirExtremes) {
  SampleRows all = make_sample_rows(this->filler_);
  all.account.balance = std::numeric_limits<std::int64_t>::min();
  all.order.payments.front().last_evidence = std::numeric_limits<std::int64_t>::max();
  all.order.order.subject = "";
  all.order.order.metadata = std::string(100'000, 'x') + "\xF0\x9F\x8D\xB5'; DROP TABLE orders; --\\";
  all.order.order.return_url = "";  // present and empty is not absent
  this->write(all);
  this->expect_stored(all);
}

TEST_P(StoreContract, AChildAddedLaterIsWrittenToo) {
  SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  const OrderAggregate more = make_aggregate<OrderAggregate>(this->filler_);
  all.order.payments.push_back(more.payments.front());
  all.order.payments.back().order_id = all.order.order.id;
  all.order.receipts.push_back(more.receipts.front());
  all.order.receipts.back().order_id = all.order.order.id;
  all.order.order.version += 1;
  WorkingSet rows = this->load(all.reads());
  rows.orders.change(all.order.order.id) = all.order;
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  this->expect_stored(all);
}

TEST_P(StoreContract, MissingRowsAreLoadedAsAbsent) { this->expect_nothing_of(make_sample_rows(this->filler_)); }

TEST_P(StoreContract, ANaturalKeyLoadsTheRowItNames) {
  const SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  const WorkingSet rows =
      this->load({.keys = {{all.order_key.hash, ObjectType::order}, {all.account_key.hash, ObjectType::account}}});
  expect_same(rows.orders.find(all.order.order.id), all.order);
  expect_same(rows.accounts.find(all.account.id), all.account);
}

TEST_P(StoreContract, ANaturalKeyLoadsTheUnknownReceiptItNames) {
  const SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  const UnknownReceiptId id = all.unknown_receipt.unknown_receipt.id;
  Key key = all.order_key;
  key.hash = sha256_16("unknown receipt");
  key.id = id.value;
  WorkingSet written = this->load({.keys = {{key.hash}}});
  written.keys.insert(key.hash, key);
  ASSERT_EQ(this->commit(written), CommitOutcome::ok);
  const WorkingSet rows = this->load({.keys = {{key.hash, ObjectType::unknown_receipt}}});
  expect_same(rows.unknown_receipts.find(id), all.unknown_receipt);
}

TEST_P(StoreContract, APaymentLoadsItsOrder) {
  const SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  const PaymentId id = all.order.payments.back().id;
  const WorkingSet rows = this->load({.payments = {id}});
  EXPECT_EQ(*rows.order_of_payment.find(id), all.order.order.id);
  expect_same(rows.orders.find(all.order.order.id), all.order);
}

TEST_P(StoreContract, AMerchantLoadsItsEndpointsWithoutDeletedOnes) {
  SampleRows all = make_sample_rows(this->filler_);
  all.endpoints.front().state = EndpointState::deleted;
  all.endpoints.back().state = EndpointState::disabled;
  this->write(all);
  const WorkingSet rows = this->load({.merchants = {all.merchant.id}});
  expect_same(*rows.endpoints.find(all.merchant.id), {all.endpoints.back()});
}

TEST_P(StoreContract, LoadingMoreKeepsUncommittedChanges) {
  const SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  WorkingSet rows = this->load(all.reads());
  rows.orders.change(all.order.order.id).order.subject = "decided";
  rows.accounts.change(all.account.id).balance = 1;
  rows.endpoints.change(all.merchant.id).clear();
  must(this->session_->load(all.reads(), rows));
  EXPECT_EQ(rows.orders.find(all.order.order.id)->order.subject, "decided");
  EXPECT_EQ(rows.accounts.find(all.account.id)->balance, 1);
  EXPECT_TRUE(rows.endpoints.find(all.merchant.id)->empty());
}

TEST_P(StoreContract, NamingARowTwiceLoadsItOnce) {
  const SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  ReadSet reads = all.reads();
  reads.orders.push_back(all.order.order.id);
  reads.keys.push_back({all.account_key.hash, ObjectType::account});
  reads.deliveries.push_back(all.delivery.delivery.id);
  const WorkingSet rows = this->load(reads);
  expect_same(rows.orders.find(all.order.order.id), all.order);
  expect_same(rows.accounts.find(all.account.id), all.account);
}

TEST_P(StoreContract, AConflictInAnyTableWritesNothing) {
  const SampleRows there = make_sample_rows(this->filler_);
  this->write(there);
  using Spoil = std::function<void(SampleRows&, WorkingSet&)>;
  const std::pair<const char*, Spoil> conflicts[] = {
      {"order id", [&](SampleRows& all, WorkingSet&) { all.order.order.id = there.order.order.id; }},
      {"payment id", [&](SampleRows& all, WorkingSet&) { all.order.payments.back().id = there.order.payments[0].id; }},
      {"reversal id",
       [&](SampleRows& all, WorkingSet&) { all.order.reversals.back().id = there.order.reversals[0].id; }},
      {"refund id", [&](SampleRows& all, WorkingSet&) { all.order.refunds.back().id = there.order.refunds[0].id; }},
      {"case id", [&](SampleRows& all, WorkingSet&) { all.delivery.cases.back().id = there.order.cases[0].id; }},
      {"delivery id", [&](SampleRows& all, WorkingSet&) { all.delivery.delivery.id = there.delivery.delivery.id; }},
      {"unknown receipt id",
       [&](SampleRows& all, WorkingSet&) {
         all.unknown_receipt.unknown_receipt.id = there.unknown_receipt.unknown_receipt.id;
       }},
      {"statement id",
       [&](SampleRows& all, WorkingSet&) { all.statement.statement.id = there.statement.statement.id; }},
      {"difference id",
       [&](SampleRows& all, WorkingSet&) { all.difference.difference.id = there.difference.difference.id; }},
      {"matched document",
       [&](SampleRows& all, WorkingSet&) { all.statement_match.document_id = there.statement_match.document_id; }},
      {"account id", [&](SampleRows& all, WorkingSet&) { all.account.id = there.account.id; }},
      {"transfer id", [&](SampleRows& all, WorkingSet&) { all.transfer.id = there.transfer.id; }},
      {"hold id", [&](SampleRows& all, WorkingSet&) { all.hold.id = there.hold.id; }},
      {"price id", [&](SampleRows& all, WorkingSet&) { all.price.id = there.price.id; }},
      {"fee id",
       [&](SampleRows& all, WorkingSet&) {
         all.fees.back().id = there.fees[0].id;
         all.fees.back().merchant_id = there.merchant.id;
       }},
      {"merchant id", [&](SampleRows& all, WorkingSet&) { all.merchant.id = there.merchant.id; }},
      {"key hash", [&](SampleRows& all, WorkingSet&) { all.api_key.hash = there.api_key.hash; }},
      {"channel account id", [&](SampleRows& all, WorkingSet&) { all.channel_account.id = there.channel_account.id; }},
      {"channel of a channel account",
       [&](SampleRows& all, WorkingSet&) { all.channel_account.channel = there.channel_account.channel; }},
      {"endpoint id",
       [&](SampleRows& all, WorkingSet&) {
         all.endpoints.back().id = there.endpoints[0].id;
         all.endpoints.back().merchant_id = there.merchant.id;
       }},
      {"natural key", [&](SampleRows& all, WorkingSet&) { all.receipt_key.hash = there.receipt_key.hash; }},
      {"idempotency key", [&](SampleRows& all, WorkingSet&) { all.answer.key_hash = there.answer.key_hash; }},
      {"answer id", [&](SampleRows& all, WorkingSet&) { all.answer.id = there.answer.id; }},
      {"entry id", [&](SampleRows& all, WorkingSet&) { all.entry.id = there.entry.id; }},
      {"event id",
       [&](SampleRows& all, WorkingSet&) {
         all.event.root_id = there.event.root_id;
         all.event.id = there.event.id;
       }},
      {"stale root",
       [&](SampleRows&, WorkingSet& rows) {
         OrderAggregate stale = there.order;
         stale.order.version -= 1;
         rows.orders.load(stale.order.id, stale);
         rows.orders.change(stale.order.id).order.version += 1;
       }},
  };
  const auto rows_before = this->rows_by_table();
  for (const auto& [name, spoil] : conflicts) {
    SCOPED_TRACE(name);
    const SampleRows good = make_sample_rows(this->filler_);
    SampleRows spoilt = good;
    WorkingSet rows;
    spoil(spoilt, rows);
    spoilt.insert_into(rows);
    EXPECT_EQ(this->commit(rows), CommitOutcome::conflict);
    EXPECT_EQ(this->rows_by_table(), rows_before);
    this->expect_nothing_of(good);
    this->expect_stored(there);
  }
}

TEST_P(StoreContract, OfTwoChangesToOneRootTheSecondConflicts) {
  const SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  this->expect_second_loses(all.reads(),
                            [&](WorkingSet& rows) { rows.orders.change(all.order.order.id).order.version += 1; });
  this->expect_second_loses(
      all.reads(), [&](WorkingSet& rows) { rows.deliveries.change(all.delivery.delivery.id).delivery.version += 1; });
  this->expect_second_loses(all.reads(), [&](WorkingSet& rows) {
    rows.unknown_receipts.change(all.unknown_receipt.unknown_receipt.id).unknown_receipt.version += 1;
  });
  this->expect_second_loses(all.reads(), [&](WorkingSet& rows) {
    rows.statements.change(all.statement.statement.id).statement.version += 1;
  });
  this->expect_second_loses(all.reads(), [&](WorkingSet& rows) {
    rows.differences.change(all.difference.difference.id).difference.version += 1;
  });
  this->expect_second_loses(all.reads(), [&](WorkingSet& rows) { rows.accounts.change(all.account.id).version += 1; });
  this->expect_second_loses(all.reads(),
                            [&](WorkingSet& rows) { rows.merchants.change(all.merchant.id).version += 1; });
  this->expect_second_loses(all.reads(), [&](WorkingSet& rows) { rows.api_keys.change(all.api_key.id).version += 1; });
  this->expect_second_loses(
      all.reads(), [&](WorkingSet& rows) { rows.channel_accounts.change(all.channel_account.id).version += 1; });
  this->expect_second_loses(all.reads(),
                            [&](WorkingSet& rows) { rows.channel_rates.change(all.channel_rate.id).version += 1; });
  this->expect_second_loses(all.reads(),
                            [&](WorkingSet& rows) { rows.endpoints.change(all.merchant.id).back().version += 1; });
}

TEST_P(StoreContract, AfterAConflictLoadingAgainSucceeds) {
  const SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  for (int i = 0; i < 3; ++i) {
    this->expect_second_loses(all.reads(), [&](WorkingSet& rows) {
      rows.accounts.change(all.account.id).balance += 1;
      rows.accounts.change(all.account.id).version += 1;
    });
  }
  const WorkingSet rows = this->load(all.reads());
  EXPECT_EQ(rows.accounts.find(all.account.id)->balance, all.account.balance + 3);
}

TEST_P(StoreContract, ANaturalKeyIsTakenOnce) {
  const Hash16 hash = this->filler_.row<Key>().hash;
  this->expect_second_loses({.keys = {{hash, ObjectType::order}}}, [&](WorkingSet& rows) {
    rows.keys.insert(hash, {hash, MerchantId{1}, this->filler_.number()});
  });
}

TEST_P(StoreContract, AnIdempotencyKeyIsTakenOnce) {
  const Hash16 hash = this->filler_.row<Key>().hash;
  this->expect_second_loses({.idempotency_records = {hash}}, [&](WorkingSet& rows) {
    IdempotencyRecord answer = this->filler_.row<IdempotencyRecord>();
    answer.key_hash = hash;
    rows.idempotency_records.insert(hash, answer);
  });
}

TEST_P(StoreContract, AnExpiredIdempotencyKeyIsReplacedOnce) {
  const SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  const Hash16 hash = all.answer.key_hash;
  std::vector<IdempotencyRecord> replacements;
  this->expect_second_loses({.idempotency_records = {hash}}, [&](WorkingSet& rows) {
    IdempotencyRecord& answer = replacements.emplace_back(this->filler_.row<IdempotencyRecord>());
    answer.key_hash = hash;
    rows.idempotency_records.change(hash) = answer;
  });
  const WorkingSet rows = this->load({.idempotency_records = {hash}});
  expect_same(rows.idempotency_records.find(hash), replacements.front());
}

TEST_P(StoreContract, AnUnchangedIdempotencyRecordIsKept) {
  const SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  WorkingSet rows = this->load(all.reads());
  rows.accounts.change(all.account.id).version += 1;
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  const WorkingSet again = this->load(all.reads());
  expect_same(again.idempotency_records.find(all.answer.key_hash), all.answer);
}

TEST_P(StoreContract, AChildIsWrittenOnlyWithItsRoot) {
  const SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  WorkingSet rows = this->load(all.reads());
  OrderAggregate& order = rows.orders.change(all.order.order.id);
  this->filler_.change(order.order);
  const auto change_all_but_due_at = [&](auto& row) {
    const std::optional<Time> due_at = row.due_at;
    this->filler_.change(row);
    row.due_at = due_at;
  };
  change_all_but_due_at(order.payments.front());
  change_all_but_due_at(order.authorizations.front());
  change_all_but_due_at(order.captures.front());
  change_all_but_due_at(order.refunds.front());
  change_all_but_due_at(order.reversals.front());
  this->filler_.change(order.receipts.front());
  this->filler_.change(order.cases.front());
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  this->expect_stored(all);
}

TEST_P(StoreContract, OfTwoClaimsOnOnePartOfAnOrderTheSecondConflicts) {
  SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  using DueAt = std::function<std::optional<Time>&(OrderAggregate&)>;
  const DueAt parts[] = {[](OrderAggregate& order) -> auto& { return order.payments.back().due_at; },
                         [](OrderAggregate& order) -> auto& { return order.authorizations.back().due_at; },
                         [](OrderAggregate& order) -> auto& { return order.captures.back().due_at; },
                         [](OrderAggregate& order) -> auto& { return order.refunds.back().due_at; },
                         [](OrderAggregate& order) -> auto& { return order.reversals.back().due_at; }};
  for (const DueAt& due_at : parts) {
    WorkingSet first = this->load(all.reads());
    WorkingSet second = this->load(all.reads());
    due_at(first.orders.change(all.order.order.id)) = kNow;
    due_at(second.orders.change(all.order.order.id)) = kNow + Duration(1);
    EXPECT_EQ(this->commit(first), CommitOutcome::ok);
    EXPECT_EQ(this->commit(second), CommitOutcome::conflict);
    due_at(all.order) = kNow;
    this->expect_stored(all);  // a claim leaves all versions unchanged
  }
}

TEST_P(StoreContract, OfTwoClaimsOnOneDeliveryTheSecondConflicts) {
  SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  const auto claim = [&](WorkingSet& rows, Time until) {
    rows.deliveries.change(all.delivery.delivery.id).delivery.due_at = until;
  };
  WorkingSet first = this->load(all.reads());
  WorkingSet second = this->load(all.reads());
  claim(first, kNow);
  claim(second, kNow + Duration(1));
  EXPECT_EQ(this->commit(first), CommitOutcome::ok);
  EXPECT_EQ(this->commit(second), CommitOutcome::conflict);
  all.delivery.delivery.due_at = kNow;
  this->expect_stored(all);
}

TEST_P(StoreContract, AClaimConflictsWithAChangeOfDueAt) {
  SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  WorkingSet claim = this->load(all.reads());
  WorkingSet change = this->load(all.reads());
  OrderAggregate& changed = change.orders.change(all.order.order.id);
  changed.order.version += 1;
  changed.payments.front().due_at.reset();
  ASSERT_EQ(this->commit(change), CommitOutcome::ok);
  claim.orders.change(all.order.order.id).payments.front().due_at = kNow;
  EXPECT_EQ(this->commit(claim), CommitOutcome::conflict);
  all.order = changed;
  this->expect_stored(all);
}

TEST_P(StoreContract, AFencedSessionWritesNothing) {
  const SampleRows before = make_sample_rows(this->filler_);
  this->write(before);
  const auto successor = this->place_->take_over(*this->store_, *this->session_);
  ASSERT_EQ(successor->node(), this->session_->node());
  const auto rows_before = this->rows_by_table();

  const SampleRows late = make_sample_rows(this->filler_);
  WorkingSet rows = this->load(late.reads());
  this->fill(rows, late);
  for (int i = 0; i < 2; ++i) {
    const CommitResult result = this->session_->commit(rows, *this->ids_);
    EXPECT_EQ(result.outcome, CommitOutcome::fenced);
    EXPECT_FALSE(result.message.empty());
  }
  EXPECT_EQ(this->rows_by_table(), rows_before);
  this->expect_nothing_of(late);

  IdGenerator ids(successor->node(), successor->ids_not_before());
  EXPECT_EQ(successor->commit(rows, ids).outcome, CommitOutcome::ok);
  this->expect_stored(late);
}

TEST_P(StoreContract, IdsAreLaterAfterEveryRestart) {
  std::int64_t latest = 0;
  for (const Duration clock : {Duration(0), Duration(-3'600'000), Duration(5)}) {  // one restart sets the clock back
    this->reopen();
    IdGenerator ids(this->session_->node(), this->session_->ids_not_before());
    ids.advance(kNow + clock);
    EXPECT_GT(ids.next(), latest);
    for (int i = 0; i < 10'000; ++i) latest = ids.next();  // more ids than one millisecond can have
    WorkingSet rows;
    make_sample_rows(this->filler_).insert_into(rows);
    ASSERT_EQ(this->session_->commit(rows, ids).outcome, CommitOutcome::ok);
    latest = ids.next();  // an id that a process creates after its last commit
  }
}

}  // namespace
}  // namespace finality::store_contract
