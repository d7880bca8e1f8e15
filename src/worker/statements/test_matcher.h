// Test fixture of the comparisons of statements with the books: an engine and a store in memory.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "channel/statements.h"
#include "engine/test_engine.h"
#include "store/memory/store.h"
#include "worker/engine_command_sender.h"

namespace finality::test {

class MatcherTest : public testing::Test {
 protected:
  MatcherTest() {
    world_.policy.accounts["sandbox"] = account_;
    payment_ = PaymentId{world_.execute(world_.payment_for(world_.new_order())).object->value};
  }
  ~MatcherTest() override { world_.engine->drain(); }

  StatementLine payment_line() const {
    return {.line_no = 1,
            .kind = LineKind::payment,
            .channel_trade_no = "T1",
            .out_trade_no = out_number(kMerchant, payment_.value),
            .currency = kCny,
            .amount = kAmount,
            .at = test::kNow};
  }
  /// The line of a capture that the channel made in its console, under its own number.
  StatementLine console_line(const ReportedCapture& capture) const {
    StatementLine line = payment_line();
    line.channel_trade_no = capture.channel_trade_no;
    line.out_trade_no = capture.out_trade_no;
    line.amount = capture.amount;
    return line;
  }
  /// Creates an order whose amount the channel holds.
  OrderId held_order() {
    CreateOrder request = world_.order_request();
    request.capture_method = CaptureMethod::manual;
    const OrderId order{world_.execute(request).object->value};
    world_.execute(world_.authorization_for(order));
    report_hold(order, {});
    return order;
  }
  /// Records that the channel holds the amount of the order, and has made these captures.
  void report_hold(OrderId order, std::vector<ReportedCapture> captures) {
    AuthorizationEvidence evidence{.kind = AuthorizationEvidenceKind::authorized};
    evidence.channel_trade_no = "AUTH-1";
    evidence.authorized = kAmount;
    evidence.currency = kCny;
    for (const ReportedCapture& one : captures) evidence.captured += one.amount;
    evidence.captures = std::move(captures);
    world_.execute(world_.hold_command(order, evidence));
  }
  /// Captures the amount of the hold, for the first time. Returns the capture.
  CaptureId capture(OrderId order, const std::string& trade_no, MinorUnits amount) {
    const AuthorizationId hold = order_with(order).authorizations.front().id;
    const CaptureId id{world_.execute(CreateCapture{kMerchant, order, hold, "C1", amount, false}).object->value};
    world_.execute(world_.capture_command(order, paid(trade_no, amount)));
    return id;
  }
  /// Requests a refund of the payment or capture, and records its success. Returns the refund.
  RefundId refund(OrderId order, ObjectRef collected, MinorUnits amount) {
    CreateRefund request{.merchant_id = kMerchant,
                         .collected = collected,
                         .amount = amount,
                         .merchant_refund_no = "R1",
                         .channel = "sandbox",
                         .currency = kCny,
                         .order_id = order};
    const RefundId id{world_.execute(request).object->value};
    const RefundEvidence evidence{.kind = RefundEvidenceKind::refunded, .asked_at = world_.clock.now()};
    world_.execute(
        RecordRefund{kMerchant, order, id, out_number(kMerchant, id.value), "sandbox", kCny, amount, evidence});
    return id;
  }
  OrderAggregate order_with(OrderId id) { return reader_->order(id)->value(); }
  /// Returns all unknown receipts of the store.
  std::vector<UnknownReceiptAggregate> unknown_receipts() {
    const std::shared_lock lock(tables_->mutex);
    std::vector<UnknownReceiptAggregate> all;
    for (const auto& [id, aggregate] : tables_->of<UnknownReceiptAggregate>()) all.push_back(aggregate);
    return all;
  }
  /// Returns a statement of that day, which the store contains.
  Statement add_statement(std::int64_t id, const std::string& date, StatementKind kind = StatementKind::trades) {
    Statement statement;
    statement.id = StatementId{id};
    statement.channel_account_id = account_.id;
    statement.channel = account_.channel;
    statement.kind = kind;
    statement.date = date;
    const std::unique_lock lock(tables_->mutex);
    tables_->of<StatementAggregate>().insert_or_assign(statement.id, StatementAggregate{statement, {}, {}});
    return statement;
  }
  /// Marks a statement of the store as compared.
  void set_matched(const Statement& statement) {
    const std::unique_lock lock(tables_->mutex);
    tables_->of<StatementAggregate>().at(statement.id).statement.state = StatementState::matched;
  }
  /// Class, state and day of all differences.
  std::set<std::string> differences() {
    const std::shared_lock lock(tables_->mutex);
    std::set<std::string> all;
    for (const auto& [id, aggregate] : tables_->of<DifferenceAggregate>()) {
      const Difference& row = aggregate.difference;
      EXPECT_TRUE(
          all.insert(fmt::format("{} {} {}", name_of(row.difference_class), name_of(row.state), row.date)).second);
    }
    return all;
  }
  /// State and amount of all differences of that class, in the order in which they were recorded.
  std::vector<std::string> differences_of(DifferenceClass difference_class) {
    const std::shared_lock lock(tables_->mutex);
    std::map<DifferenceId, std::string> all;
    for (const auto& [id, aggregate] : tables_->of<DifferenceAggregate>()) {
      const Difference& row = aggregate.difference;
      if (row.difference_class == difference_class)
        all.emplace(id, fmt::format("{} {}", name_of(row.state), row.amount));
    }
    std::vector<std::string> texts;
    for (const auto& [id, text] : all) texts.push_back(text);
    return texts;
  }
  /// The amount of the only difference of that class.
  MinorUnits amount_of(DifferenceClass difference_class) {
    const std::shared_lock lock(tables_->mutex);
    MinorUnits amount = 0;
    for (const auto& [id, aggregate] : tables_->of<DifferenceAggregate>())
      if (aggregate.difference.difference_class == difference_class) amount = aggregate.difference.amount;
    return amount;
  }

  static std::shared_ptr<memory::Tables> tables_with_merchant() {
    auto tables = std::make_shared<memory::Tables>();
    for (const auto& [id, merchant] : World().store.merchants) tables->of<Merchant>().emplace(id, merchant);
    return tables;
  }

  std::shared_ptr<memory::Tables> tables_ = tables_with_merchant();
  memory::MemoryStore store_{tables_};
  EngineWorld world_{&store_};
  std::unique_ptr<Reader> reader_ = std::move(*store_.open_reader());
  EngineCommandSender sender_{*world_.engine, [](Duration) { return false; }, CauseKind::statement};
  const ChannelAccount account_{.id = ChannelAccountId{5}, .channel = "sandbox", .kind = "sandbox"};
  const StatementPlan plan_{};
  PaymentId payment_;
};

using Found = std::set<std::string>;
using States = std::vector<std::string>;

}  // namespace finality::test
