// Test fixture of the store contract suites: rows of every type that a commit can write, with a value in every column.
#pragma once

#include <vector>

#include "base/check.h"
#include "model/working_set.h"
#include "store/store.h"
#include "store/testing/row_filler.h"

namespace finality::store_contract {

inline constexpr Time kNow{1'790'000'000'000};

/// Returns the value of a result. If the result is an error, aborts the test program.
template <class T>
T must(Result<T> result) {
  FINALITY_CHECK(result.has_value(), result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// One row of every type that a commit can write.
struct SampleRows {
  OrderAggregate order;
  DeliveryAggregate delivery;
  UnknownReceiptAggregate unknown_receipt;
  StatementAggregate statement;
  DifferenceAggregate difference;
  StatementPart statement_part;
  StatementMatch statement_match;
  FundsMatch funds_match;
  Account account;
  Account credited;
  Transfer transfer;  // debits `account` and credits `credited`
  Hold hold;          // holds money of `account` in favour of `credited`
  Price price;
  Adjustment adjustment;
  Merchant merchant;
  ApiKey api_key;
  ChannelAccount channel_account;
  ChannelRate channel_rate;
  IdentityCheck identity_check;
  std::vector<WebhookEndpoint> endpoints;
  std::vector<Fee> fees;
  Key order_key;
  Key account_key;
  Key receipt_key;
  Key refund_key;
  Key transfer_key;
  Key hold_key;
  Key price_key;
  Key rate_key;
  IdempotencyRecord answer;
  Event event;
  Entry entry;

  std::vector<Key> keys() const {
    return {order_key, account_key, receipt_key, refund_key, transfer_key, hold_key, price_key, rate_key};
  }
  /// The merchants that own the rows, for ReadSet::owners.
  std::vector<MerchantId> owners() const {
    std::vector<MerchantId> found = {merchant.id};
    const auto take = [&found](const auto&... rows) { (found.push_back(rows.merchant_id), ...); };
    const auto take_all = [&take](const auto&... lists) {
      const auto each = [&take](const auto& list) {
        for (const auto& row : list) take(row);
      };
      (each(lists), ...);
    };
    const auto take_aggregate = [&]<Aggregate T>(const T& aggregate) {
      take(root_of(aggregate));
      for_each_child_type<T>([&](std::string_view, auto member) { take_all(aggregate.*member); });
    };
    take_aggregate(order);
    take_aggregate(delivery);
    take_aggregate(unknown_receipt);
    take_aggregate(statement);
    take_aggregate(difference);
    take(statement_part, statement_match);
    take(account, credited, transfer, hold, price, adjustment, identity_check, answer, event, entry);
    take_all(endpoints, fees, keys());
    return found;
  }
  ReadSet reads() const {
    return {.owners = owners(),
            .keys = {{order_key.hash, ObjectType::order},
                     {account_key.hash, ObjectType::account},
                     {receipt_key.hash},
                     {refund_key.hash},
                     {transfer_key.hash, ObjectType::transfer},
                     {hold_key.hash, ObjectType::hold},
                     {price_key.hash, ObjectType::price},
                     {rate_key.hash, ObjectType::channel_rate}},
            .orders = {order.order.id},
            .payments = {order.payments.front().id},
            .deliveries = {delivery.delivery.id},
            .unknown_receipts = {unknown_receipt.unknown_receipt.id},
            .statements = {statement.statement.id},
            .differences = {difference.difference.id},
            .statement_matches = {statement_match.document_id},
            .funds_matches = {funds_match.document_id},
            .transfers = {transfer.id},
            .holds = {hold.id},
            .adjustments = {adjustment.id},
            .merchants = {merchant.id},
            .api_keys = {api_key.id},
            .channel_accounts = {channel_account.id},
            .identity_checks = {identity_check.id},
            .idempotency_records = {answer.key_hash}};
  }
  void insert_into(WorkingSet& rows) const {
    rows.orders.insert(order.order.id, order);
    rows.deliveries.insert(delivery.delivery.id, delivery);
    rows.unknown_receipts.insert(unknown_receipt.unknown_receipt.id, unknown_receipt);
    rows.statements.insert(statement.statement.id, statement);
    rows.differences.insert(difference.difference.id, difference);
    rows.statement_parts.push_back(statement_part);
    rows.statement_matches.insert(statement_match.document_id, statement_match);
    rows.funds_matches.insert(funds_match.document_id, funds_match);
    rows.accounts.insert(account.id, account);
    rows.accounts.insert(credited.id, credited);
    rows.transfers.insert(transfer.id, transfer);
    rows.holds.insert(hold.id, hold);
    rows.prices.insert(price.id, price);
    rows.adjustments.insert(adjustment.id, adjustment);
    rows.merchants.insert(merchant.id, merchant);
    rows.api_keys.insert(api_key.id, api_key);
    rows.channel_accounts.insert(channel_account.id, channel_account);
    rows.channel_rates.insert(channel_rate.id, channel_rate);
    rows.identity_checks.insert(identity_check.id, identity_check);
    rows.endpoints.insert(merchant.id, endpoints);
    rows.fees.insert(merchant.id, fees);
    for (const Key& key : keys()) rows.keys.insert(key.hash, key);
    rows.idempotency_records.insert(answer.key_hash, answer);
    rows.events.push_back(event);
    rows.entries.push_back(entry);
  }
};

template <class Row, class Relate>
std::vector<Row> make_children(RowFiller& filler, Relate relate) {
  std::vector<Row> rows;
  for (int i = 0; i < 2; ++i) relate(rows.emplace_back(filler.row<Row>()));
  return rows;
}

template <StoredRow Row>
void set_root_id(Row& row, std::int64_t id) {
  if constexpr (RowTraits<Row>::options.parent == "order_id")
    row.order_id = OrderId{id};
  else if constexpr (RowTraits<Row>::options.parent == "statement_id")
    row.statement_id = StatementId{id};
  else
    row.root_id = id;
}

/// Generates an aggregate: a root with children of every type.
template <Aggregate T>
T make_aggregate(RowFiller& filler) {
  T made;
  auto& root = root_of(made) = filler.row<RootRow<T>>();
  for_each_child_type<T>([&](std::string_view, auto member) {
    using Row = ChildRow<decltype(member)>;
    made.*member = make_children<Row>(filler, [&root](Row& row) { set_root_id(row, root.id.value); });
  });
  root.children = presence_of(made);
  return made;
}

inline SampleRows make_sample_rows(RowFiller& filler) {
  SampleRows made;
  made.order = make_aggregate<OrderAggregate>(filler);
  made.delivery = make_aggregate<DeliveryAggregate>(filler);
  made.unknown_receipt = make_aggregate<UnknownReceiptAggregate>(filler);
  made.statement = make_aggregate<StatementAggregate>(filler);
  made.difference = make_aggregate<DifferenceAggregate>(filler);
  made.statement_part = filler.row<StatementPart>();
  made.statement_match = filler.row<StatementMatch>();
  made.funds_match = filler.row<FundsMatch>();
  made.account = filler.row<Account>();
  made.credited = filler.row<Account>();
  made.transfer = filler.row<Transfer>();
  made.transfer.debit_account_id = made.account.id;
  made.transfer.credit_account_id = made.credited.id;
  made.hold = filler.row<Hold>();
  made.hold.account_id = made.account.id;
  made.hold.credit_account_id = made.credited.id;
  made.price = filler.row<Price>();
  made.adjustment = filler.row<Adjustment>();
  made.merchant = filler.row<Merchant>();
  made.api_key = filler.row<ApiKey>();
  made.channel_account = filler.row<ChannelAccount>();
  made.channel_rate = filler.row<ChannelRate>();
  made.identity_check = filler.row<IdentityCheck>();
  made.endpoints = make_children<WebhookEndpoint>(filler, [&](WebhookEndpoint& row) {
    row.merchant_id = made.merchant.id;
    row.state = EndpointState::enabled;
  });
  made.fees = make_children<Fee>(filler, [&](Fee& row) { row.merchant_id = made.merchant.id; });
  const auto name = [&filler](ObjectRef row) {
    Key key = filler.row<Key>();
    key.id = row.value;
    return key;
  };
  made.order_key = name(made.order.order.id);
  made.account_key = name(made.account.id);
  made.receipt_key = name(made.order.receipts.front().id);
  made.refund_key = name(made.order.refunds.front().id);
  made.transfer_key = name(made.transfer.id);
  made.hold_key = name(made.hold.id);
  made.price_key = name(made.price.id);
  made.rate_key = name(made.channel_rate.id);
  made.answer = filler.row<IdempotencyRecord>();
  made.event = filler.row<Event>();
  made.entry = filler.row<Entry>();
  made.entry.journal_id = made.entry.id;
  return made;
}

/// Changes the value of every mutable column, and raises the version of every root by one.
inline void change_everything(RowFiller& filler, SampleRows& all) {
  const auto change_root = [&filler](auto& row) {
    filler.change(row);
    row.version += 1;
  };
  const auto change_aggregate = [&]<Aggregate T>(T& aggregate) {
    change_root(root_of(aggregate));
    for_each_child_type<T>([&](std::string_view, auto member) {
      for (auto& row : aggregate.*member) filler.change(row);
    });
    root_of(aggregate).children = presence_of(aggregate);
  };
  change_aggregate(all.order);
  change_aggregate(all.delivery);
  change_aggregate(all.unknown_receipt);
  change_aggregate(all.statement);
  change_aggregate(all.difference);
  change_root(all.account);
  filler.change(all.hold);
  change_root(all.transfer);
  change_root(all.price);
  change_root(all.adjustment);
  change_root(all.merchant);
  change_root(all.api_key);
  change_root(all.channel_account);
  change_root(all.channel_rate);
  change_root(all.identity_check);
  for (WebhookEndpoint& endpoint : all.endpoints) {
    change_root(endpoint);
    endpoint.state = EndpointState::disabled;
  }
  for (Fee& fee : all.fees) change_root(fee);
}

}  // namespace finality::store_contract
