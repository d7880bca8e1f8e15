// Tests of the comparison of funds statements with the books, with an engine and a store in memory.
#include "worker/statements/funds_matcher.h"

#include "base/time/date.h"
#include "decide/exception/approve_resolution.h"
#include "decide/exception/propose_resolution.h"
#include "model/out_trade_no.h"
#include "worker/statements/line_keys.h"
#include "worker/statements/test_matcher.h"

namespace finality {
namespace {

using namespace test;

constexpr StatementKind kKinds[] = {StatementKind::trades, StatementKind::funds};
constexpr const char* kDate = "2026-09-21";
constexpr const char* kNextDate = "2026-09-22";

class FundsMatcherTest : public MatcherTest {
 protected:
  FundsMatcherTest() { world_.execute(world_.evidence_command(payment_, paid("T1"))); }

  StatementLine line_of(MinorUnits amount, std::string text = {}) const {
    StatementLine line = payment_line();
    line.line_id = text;
    line.amount = amount;
    return line;
  }
  FundsMatcher matcher_of(const Statement& statement, std::span<const StatementId> earlier = {}) {
    return FundsMatcher({.statement = statement,
                         .account = account_,
                         .plan = funds_plan_,
                         .rates = {},
                         .earlier = earlier,
                         .reader = *reader_,
                         .commands = sender_,
                         .restore = [this](std::span<const ArchivedOrder> orders) -> Result<void> {
                           for (const ArchivedOrder& order : orders)
                             if (has_archives_) restore(order.id);
                           return {};
                         },
                         .read_again = [this](const Statement& other, const TakeLine& take) -> Result<void> {
                           EXPECT_EQ(other.date, kDate);
                           for (StatementLine line : files_[other.id])
                             if (auto taken = take(std::move(line)); !taken) return taken;
                           return {};
                         }},
                        nullptr);
  }
  /// Compares a statement with these lines. Returns how many matches it counts.
  std::int64_t compare(std::int64_t id, const std::string& date, const std::vector<StatementLine>& lines) {
    const Statement statement = add_statement(id, date, StatementKind::funds);
    FundsMatcher matcher = matcher_of(statement);
    for (const StatementLine& line : lines) EXPECT_TRUE(matcher.add(line));
    finish(matcher);
    files_[statement.id] = lines;
    set_matched(statement);
    return matcher.counts().recorded;
  }
  /// Removes the order from the store, as an archive does. Its entries and natural keys stay.
  void archive(OrderId id) {
    const std::unique_lock lock(tables_->mutex);
    archived_ = tables_->of<OrderAggregate>().at(id);
    tables_->of<OrderAggregate>().erase(id);
    tables_->archived_orders[id] = {id, kMerchant, kNow, "year-1-0a1b2c3d"};
    name_receipt(id.value);
  }
  void restore(OrderId id) {
    const std::unique_lock lock(tables_->mutex);
    tables_->of<OrderAggregate>().emplace(id, archived_);
    tables_->archived_orders.erase(id);
    name_receipt(archived_.receipts.front().id.value);
    ++restored_;
  }
  void name_receipt(std::int64_t id) { tables_->of<Key>().at(key_of_receipt(kMerchant, "sandbox", "T1")).id = id; }
  /// Refunds a part of the payment and archives its order. Returns a line that names the refund only.
  StatementLine refund_of_archived_order() {
    const OrderId order = reader_->order_of(payment_)->value();
    const RefundId id = refund(order, payment_, 100);
    archive(order);
    StatementLine line = line_of(-100);
    line.kind = LineKind::refund;
    line.channel_trade_no.clear();
    line.out_trade_no.clear();
    line.out_refund_no = out_number(kMerchant, id.value);
    return line;
  }
  /// Requests a refund of 100. Returns a line over `amount` with its number.
  StatementLine deduction(MinorUnits amount) {
    const RefundId id{world_
                          .execute(CreateRefund{.merchant_id = kMerchant,
                                                .collected = payment_,
                                                .amount = 100,
                                                .merchant_refund_no = "R1",
                                                .channel = "sandbox",
                                                .currency = kCny,
                                                .order_id = reader_->order_of(payment_)->value()})
                          .object->value};
    StatementLine line = line_of(amount);
    line.kind = LineKind::refund;
    line.out_refund_no = out_number(kMerchant, id.value);
    return line;
  }
  /// Records what the channel reports about the refund of the line of deduction().
  void report_refund(const StatementLine& line, const RefundEvidence& evidence) {
    world_.execute(RecordRefund{kMerchant, reader_->order_of(payment_)->value(),
                                RefundId{parse_out_refund_no(line.out_refund_no)->object}, line.out_refund_no,
                                "sandbox", kCny, 100, evidence});
  }
  /// A line about a payment that the books do not have yet.
  StatementLine unknown_line() {
    late_ = PaymentId{world_.execute(world_.payment_for(world_.new_order())).object->value};
    StatementLine line = line_of(kAmount, "late");
    line.channel_trade_no = "T2";
    line.out_trade_no = out_number(kMerchant, late_.value);
    return line;
  }
  /// Books the payment of unknown_line(). Returns its receipt.
  ReceiptId book_late() {
    world_.execute(world_.evidence_command(late_, paid("T2")));
    return reader_->order(reader_->order_of(late_)->value())->value().receipts.front().id;
  }
  /// Stores the match that a run has committed before it stopped.
  void add_match(ReceiptId receipt, const StatementLine& line, StatementId statement) {
    const std::unique_lock lock(tables_->mutex);
    tables_->of<FundsMatch>().emplace(receipt.value, FundsMatch{.document_id = receipt.value,
                                                                .document_type = ObjectType::receipt,
                                                                .merchant_id = kMerchant,
                                                                .channel_account_id = account_.id,
                                                                .statement_id = statement,
                                                                .line_no = 1,
                                                                .line = key_of_line(account_.id, line, 0),
                                                                .amount = line.amount,
                                                                .created_at = test::kNow});
  }
  /// Records that the document has no line.
  void record_without_line(ObjectRef document, const std::string& date) {
    Difference row;
    row.merchant_id = kMerchant;
    row.kind = StatementKind::funds;
    row.date = date;
    row.difference_class = DifferenceClass::trade_without_funds;
    row.document_type = document.type;
    row.document_id = document.value;
    row.amount = -kAmount;
    row.currency = kCny;
    DifferenceRecorder recorder(*reader_, sender_, account_.id);
    EXPECT_TRUE(recorder.record(std::move(row), funds_subject_of(document), DifferenceEvent::find));
    EXPECT_TRUE(sender_.settle());
  }
  /// Two operators resolve the only open difference.
  void resolve_difference(const std::string& resolution) {
    const DifferenceId id = reader_->differences({.state = DifferenceState::open}, {.limit = 1})->rows.front().id;
    const CaseId row = reader_->difference(id)->value().cases.front().id;
    world_.execute(ProposeResolution{kMerchant, id, row, resolution, "checked with the channel", "key_a", {}});
    ApproveResolution approve{kMerchant, id, row, "key_b", {}, "sandbox", kCny};
    approve.version = reader_->find_case(row)->value().version;
    world_.execute(approve);
  }
  void finish(FundsMatcher& matcher) {
    EXPECT_TRUE(matcher.finish_lines());
    EXPECT_TRUE(sender_.settle());
  }
  /// Compares the second version of a statement, whose first version contained only `before`.
  FundsResult compare_versions(
      const StatementLine& before, const std::vector<StatementLine>& now,
      const std::function<void()>& meanwhile = [] {}) {
    return compare_versions(std::vector{before}, now, meanwhile);
  }
  FundsResult compare_versions(
      const std::vector<StatementLine>& before, const std::vector<StatementLine>& now,
      const std::function<void()>& meanwhile = [] {}) {
    compare_version(1, before, {});
    meanwhile();
    return compare_version(2, now, before);
  }
  /// Compares a version of the statement of kDate. The earlier versions have the ids from 1 to `id` - 1. `before`: the
  /// lines of the newest one. `older`: of the one before.
  FundsResult compare_version(std::int64_t id, const std::vector<StatementLine>& lines,
                              const std::vector<StatementLine>& before, const std::vector<StatementLine>& older = {}) {
    const Statement statement = add_statement(id, kDate, StatementKind::funds);
    std::vector<StatementId> earlier;
    for (std::int64_t i = id - 1; i >= 1; --i) earlier.emplace_back(i);
    FundsMatcher matcher = matcher_of(statement, earlier);
    if (id > 1)
      for (const StatementLine& line : lines) matcher.note(line);
    LineKeys keys(account_.id);
    for (const StatementLine& line : before) matcher.note_earlier(line, keys.next(line), true);
    LineKeys older_keys(account_.id);
    for (const StatementLine& line : older) matcher.note_earlier(line, older_keys.next(line), false);
    for (const StatementLine& line : lines) EXPECT_TRUE(matcher.add(line));
    finish(matcher);
    for (const StatementLine& line : before) EXPECT_TRUE(matcher.add_earlier(line));
    EXPECT_TRUE(matcher.finish_earlier());
    return matcher.result();
  }
  /// Records that a line of the statement of trades is over 1 more than the booked payment.
  void record_of_trades() {
    const OrderId order = reader_->order_of(payment_)->value();
    const ObjectRef receipt = order_with(order).receipts.front().id;
    Difference row;
    row.merchant_id = kMerchant;
    row.date = kDate;
    row.difference_class = DifferenceClass::amount_mismatch;
    row.document_type = receipt.type;
    row.document_id = receipt.value;
    row.theirs = kAmount + 1;
    row.amount = 1;
    row.currency = kCny;
    DifferenceRecorder recorder(*reader_, sender_, account_.id);
    EXPECT_TRUE(recorder.record(std::move(row), subject_of_document(receipt), DifferenceEvent::find));
    EXPECT_TRUE(sender_.settle());
  }
  void expect_mismatches(const States& states) {
    EXPECT_EQ(differences_of(DifferenceClass::amount_mismatch), states);
    EXPECT_EQ(differences_of(DifferenceClass::line_withdrawn), States{});
  }

  const StatementPlan funds_plan_{.kinds = kKinds};
  std::map<StatementId, std::vector<StatementLine>> files_;  // of compare()
  PaymentId late_;
  OrderAggregate archived_;
  bool has_archives_ = true;
  int restored_ = 0;
};

TEST_F(FundsMatcherTest, APostedLineWithARepeatedNumberIsADuplicate) {
  StatementLine line = line_of(-5, "W1");
  line.kind = LineKind::withdrawal;
  const FundsResult result = compare_version(1, {line, line}, {});
  EXPECT_EQ(differences(), Found{"duplicate_at_channel open 2026-09-21"});
  ASSERT_EQ(result.postings.size(), 1U);
  EXPECT_EQ(result.postings.front().amount, -5);
}

TEST_F(FundsMatcherTest, PostedLinesWithoutANumberAreNotDuplicates) {
  StatementLine line = line_of(-5);
  line.kind = LineKind::withdrawal;
  EXPECT_EQ(compare_version(1, {line, line}, {}).postings.size(), 2U);
  EXPECT_EQ(differences(), Found{});
}

TEST_F(FundsMatcherTest, ALineOfADocumentThatTheNextDayRepeatsIsADuplicate) {
  EXPECT_EQ(compare(1, kDate, {line_of(kAmount)}), 1);
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(compare(2, kNextDate, {line_of(kAmount)}), 0);
    EXPECT_EQ(differences(), Found{"duplicate_at_channel open 2026-09-22"});
    EXPECT_EQ(amount_of(DifferenceClass::duplicate_at_channel), kAmount);
  }
  const Statement second = add_statement(3, kNextDate, StatementKind::funds);
  const StatementId earlier[] = {StatementId{2}};
  FundsMatcher without = matcher_of(second, earlier);
  without.note_earlier(line_of(kAmount), key_of_line(account_.id, line_of(kAmount), 0), true);
  finish(without);
  EXPECT_TRUE(without.add_earlier(line_of(kAmount)));
  EXPECT_TRUE(without.finish_earlier());
  EXPECT_EQ(differences(), Found{"duplicate_at_channel repaired 2026-09-22"});
}

TEST_F(FundsMatcherTest, ALineWithoutADocumentThatTheNextDayRepeatsIsADuplicate) {
  const StatementLine line = unknown_line();
  compare(1, kDate, {line});
  compare(2, kNextDate, {line});
  EXPECT_EQ(differences(), (Found{"funds_line_unknown open 2026-09-21", "duplicate_at_channel open 2026-09-22"}));
  book_late();
  for (int run = 0; run < 2; ++run) {  // the next day is compared again, and matches the line of the first day
    EXPECT_EQ(compare(2, kNextDate, {line}), 1);
    EXPECT_EQ(differences(), (Found{"funds_line_unknown repaired 2026-09-21", "duplicate_at_channel open 2026-09-22"}));
  }
}

TEST_F(FundsMatcherTest, ALineThatTheNextDayMatchedWithoutEndingItsDifferenceIsNoDuplicate) {
  const StatementLine line = unknown_line();
  compare(1, kDate, {line});
  add_match(book_late(), line, StatementId{2});
  add_statement(2, kNextDate, StatementKind::funds);
  const Statement second = add_statement(3, kDate, StatementKind::funds);
  const StatementId earlier[] = {StatementId{1}};
  FundsMatcher matcher = matcher_of(second, earlier);
  matcher.note(line);
  matcher.note_earlier(line, key_of_line(account_.id, line, 0), true);
  EXPECT_TRUE(matcher.add(line));
  finish(matcher);
  EXPECT_EQ(matcher.result().booked.size(), 1U);
  EXPECT_EQ(differences(), Found{"funds_line_unknown repaired 2026-09-21"});
}

TEST_F(FundsMatcherTest, ALineThatReturnsEndsItsDifferenceAndCanBeWithdrawnAgain) {
  const std::vector line{line_of(kAmount)};
  compare_version(1, line, {});
  compare_version(2, {}, line);
  EXPECT_EQ(differences_of(DifferenceClass::line_withdrawn), States{fmt::format("open {}", -kAmount)});
  const FundsResult result = compare_version(3, line, {}, line);
  EXPECT_EQ(result.booked.size(), 1U);
  EXPECT_EQ(differences_of(DifferenceClass::line_withdrawn), States{fmt::format("repaired {}", -kAmount)});
  compare_version(4, {}, line);
  EXPECT_EQ(differences_of(DifferenceClass::line_withdrawn),
            (States{fmt::format("repaired {}", -kAmount), fmt::format("open {}", -kAmount)}));
}

TEST_F(FundsMatcherTest, ALineReplacesTheLineOfAnEarlierVersion) {
  const FundsResult result = compare_versions(line_of(kAmount), {line_of(kAmount, "changed")});
  EXPECT_EQ(differences(), Found{});
  ASSERT_EQ(result.booked.size(), 1U);
  EXPECT_EQ(result.booked.front().booked_on, kDate);
}

TEST_F(FundsMatcherTest, OnlyOneLineReplacesTheLineOfAnEarlierVersion) {
  const FundsResult result =
      compare_versions(line_of(kAmount), {line_of(kAmount, "changed"), line_of(kAmount, "repeated")});
  EXPECT_EQ(differences(), Found{"duplicate_at_channel open 2026-09-21"});
  ASSERT_EQ(result.booked.size(), 1U);
  EXPECT_EQ(result.booked.front().amount, kAmount);
}

TEST_F(FundsMatcherTest, ALineThatReplacesAnotherAmountIsADifference) {
  const FundsResult result = compare_versions(line_of(kAmount), {line_of(kAmount + 1)});
  EXPECT_EQ(differences(), Found{"amount_mismatch open 2026-09-21"});
  EXPECT_EQ(amount_of(DifferenceClass::amount_mismatch), 1);
  ASSERT_EQ(result.booked.size(), 1U);
  EXPECT_EQ(result.booked.front().lines, 0) << "the line is no match";
}

TEST_F(FundsMatcherTest, ACorrectedLineEndsTheDifferenceOfTheEarlierVersion) {
  const FundsResult result = compare_versions(line_of(kAmount + 1), {line_of(kAmount)});
  EXPECT_EQ(differences(), Found{"amount_mismatch repaired 2026-09-21"});
  EXPECT_EQ(result.booked.size(), 1U);
}

TEST_F(FundsMatcherTest, AnotherWrongAmountContinuesAsOneOpenDifference) {
  compare_versions(line_of(kAmount + 1), {line_of(kAmount + 2)});
  expect_mismatches({"repaired 1", "open 2"});
  compare_version(3, {line_of(kAmount + 3)}, {line_of(kAmount + 2)});
  expect_mismatches({"repaired 1", "repaired 2", "open 3"});
  EXPECT_EQ(compare_version(4, {line_of(kAmount)}, {line_of(kAmount + 3)}).booked.size(), 1U);
  expect_mismatches({"repaired 1", "repaired 2", "repaired 3"});
}

TEST_F(FundsMatcherTest, AWrongAmountThatReturnsIsADifferenceAgain) {
  const std::vector right{line_of(kAmount)};
  const std::vector wrong{line_of(kAmount + 1)};
  compare_version(1, right, {});
  compare_version(2, wrong, right);
  expect_mismatches({"open 1"});
  EXPECT_EQ(compare_version(3, right, wrong, right).booked.front().lines, 1);
  expect_mismatches({"repaired 1"});
  EXPECT_EQ(compare_version(4, wrong, right, wrong).booked.front().lines, 0) << "the line is no match";
  expect_mismatches({"repaired 1", "open 1"});
  EXPECT_EQ(compare_version(5, right, wrong, right).booked.front().lines, 1);
  expect_mismatches({"repaired 1", "repaired 1"});
  compare_version(6, wrong, right, wrong);
  expect_mismatches({"repaired 1", "repaired 1", "open 1"});
}

TEST_F(FundsMatcherTest, ACorrectedLineEndsTheDifferenceOfTradesThatTheEarlierVersionConfirmed) {
  record_of_trades();
  compare_version(1, {line_of(kAmount + 1)}, {});
  expect_mismatches({"open 1"});
  compare_version(2, {line_of(kAmount + 1, "changed")}, {line_of(kAmount + 1)});
  expect_mismatches({"open 1"});
  EXPECT_EQ(compare_version(3, {line_of(kAmount)}, {line_of(kAmount + 1, "changed")}).booked.size(), 1U);
  expect_mismatches({"repaired 1"});
}

TEST_F(FundsMatcherTest, AnotherWrongAmountThanTheConfirmedOneIsADifferenceOfItsOwn) {
  record_of_trades();
  compare_versions(line_of(kAmount + 1), {line_of(kAmount + 2)});
  expect_mismatches({"repaired 1", "open 2"});
}

TEST_F(FundsMatcherTest, ADifferenceOfTradesThatHasEndedExplainsNoLine) {
  record_of_trades();
  resolve_difference("keep");
  compare_version(1, {line_of(kAmount + 1)}, {});
  expect_mismatches({"resolved 1", "open 1"});
}

TEST_F(FundsMatcherTest, AConfirmedDifferenceThatHasEndedExplainsNoLine) {
  record_of_trades();
  compare_version(1, {line_of(kAmount + 1)}, {});
  compare_version(2, {line_of(kAmount)}, {line_of(kAmount + 1)});
  expect_mismatches({"repaired 1"});
  compare_version(3, {line_of(kAmount + 1, "again")}, {line_of(kAmount)});
  expect_mismatches({"repaired 1", "open 1"});
}

TEST_F(FundsMatcherTest, ALineConfirmsOnlyTheDifferenceOfItsDay) {
  record_of_trades();
  compare(1, "2026-09-22", {line_of(kAmount + 1)});
  expect_mismatches({"open 1", "open 1"});
}

TEST_F(FundsMatcherTest, APaymentWithAConfirmedDifferenceIsNotMissing) {
  record_of_trades();
  compare_version(1, {line_of(kAmount + 1)}, {});
  const std::string today = date_of(world_.clock.now(), funds_plan_.utc_offset);
  FundsMatcher next = matcher_of(add_statement(2, today, StatementKind::funds));
  finish(next);
  EXPECT_TRUE(next.find_missing());
  EXPECT_TRUE(sender_.settle());
  EXPECT_EQ(differences_of(DifferenceClass::trade_without_funds), States{});
}

TEST_F(FundsMatcherTest, TheBookedPartOfALineWithAnotherAmountIsAMovement) {
  const FundsResult result = compare_version(1, {line_of(kAmount + 1)}, {});
  ASSERT_EQ(result.booked.size(), 1U);
  EXPECT_EQ(result.booked.front().amount, kAmount);
  EXPECT_EQ(result.booked.front().lines, 0);
  EXPECT_EQ(result.booked.front().booked_on, date_of(world_.clock.now(), funds_plan_.utc_offset));
}

TEST_F(FundsMatcherTest, ADeductionOfAnotherAmountIsAMismatchWhenTheRefundIsBooked) {
  const StatementLine line = deduction(-90);
  EXPECT_EQ(compare(1, kDate, {line}), 0);
  EXPECT_EQ(differences_of(DifferenceClass::refund_status), States{"carried -90"});
  report_refund(line, {.kind = RefundEvidenceKind::refunded, .asked_at = world_.clock.now()});
  EXPECT_EQ(compare(2, "2026-09-22", {}), 0);
  EXPECT_EQ(differences_of(DifferenceClass::refund_status), States{"repaired -90"});
  expect_mismatches({"open 10"});
}

TEST_F(FundsMatcherTest, AReturnIsFoundByTheNumberOfItsTrade) {
  StatementLine line = deduction(-100);
  report_refund(line, {.kind = RefundEvidenceKind::refunded,
                       .asked_at = world_.clock.now(),
                       .returned = ReportedReturn{.number = "B1", .amount = 60}});
  line.kind = LineKind::refund_returned;
  line.out_refund_no.clear();
  line.amount = 60;
  StatementLine of_other = line;
  of_other.channel_trade_no = "T2";
  EXPECT_EQ(compare(1, kDate, {of_other}), 0);
  EXPECT_EQ(compare(2, "2026-09-22", {line}), 1);
  EXPECT_EQ(differences(), Found{"refund_status open 2026-09-21"});
}

TEST_F(FundsMatcherTest, ACorrectedDeductionStaysCarried) {
  const StatementLine line = deduction(-100);
  StatementLine changed = line;
  changed.line_id = "changed";
  compare_versions(line, {changed});
  EXPECT_EQ(differences_of(DifferenceClass::refund_status), States{"carried -100"});
  expect_mismatches({});
}

TEST_F(FundsMatcherTest, AVersionWithoutTheSecondLineEndsTheDuplicate) {
  compare_versions({line_of(kAmount), line_of(kAmount)}, {line_of(kAmount)});
  EXPECT_EQ(differences(), Found{"duplicate_at_channel repaired 2026-09-21"});
}

TEST_F(FundsMatcherTest, AVersionWithoutAnUnknownLineEndsItsDifference) {
  StatementLine unknown = line_of(-1);
  unknown.kind = LineKind::other;
  unknown.out_trade_no.clear();
  compare_versions({line_of(kAmount), unknown}, {line_of(kAmount)});
  EXPECT_EQ(differences(), Found{"funds_line_unknown repaired 2026-09-21"});
}

TEST_F(FundsMatcherTest, CapturesAndTheirRefundsAreMatched) {
  const ReportedCapture in_console{"console-1", "T3", 600, kCny, kNow};
  const OrderId order = held_order();
  const CaptureId own = capture(order, "T2", 400);
  refund(order, own, 100);
  report_hold(order, {{out_capture_no(kMerchant, order, 1), "T2", 400, kCny, kNow}, in_console});
  StatementLine of_own = line_of(400);
  of_own.channel_trade_no = "T2";
  of_own.out_trade_no = out_capture_no(kMerchant, order, 1);
  StatementLine of_refund = of_own;
  of_refund.kind = LineKind::refund;
  of_refund.amount = -100;
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(compare(1, kDate, {line_of(kAmount), of_own, console_line(in_console), of_refund}), 4);
    EXPECT_EQ(differences(), Found{});
  }
}

TEST_F(FundsMatcherTest, ARefundWithoutANumberIsNotMatchedWithARefundOfAnotherReceipt) {
  world_.execute(world_.evidence_command(payment_, paid("T2")));  // paid twice: T2 is returned to the payer
  refund(reader_->order_of(payment_)->value(), payment_, kAmount);
  StatementLine line = line_of(-kAmount);
  line.kind = LineKind::refund;
  line.channel_trade_no = "T2";
  EXPECT_EQ(compare(1, kDate, {line}), 0);
  EXPECT_EQ(differences(), Found{"funds_line_unknown open 2026-09-21"});
  line.channel_trade_no = "T1";
  EXPECT_EQ(compare(2, "2026-09-22", {line}), 1);
  EXPECT_EQ(differences(), Found{"funds_line_unknown open 2026-09-21"});
}

TEST_F(FundsMatcherTest, ARefundOfAnArchivedOrderIsFoundByItsNumber) {
  EXPECT_EQ(compare(1, kDate, {refund_of_archived_order()}), 1);
  EXPECT_EQ(restored_, 1);
  EXPECT_EQ(differences(), Found{});
}

TEST_F(FundsMatcherTest, ARefundOfAnArchivedOrderIsFoundByTheNumberOfItsTrade) {
  StatementLine line = refund_of_archived_order();
  line.out_refund_no.clear();
  line.channel_trade_no = "T1";
  EXPECT_EQ(compare(1, kDate, {line}), 1);
  EXPECT_EQ(restored_, 1);
  EXPECT_EQ(differences(), Found{});
  line.channel_trade_no = "T9";
  EXPECT_EQ(compare(2, "2026-09-22", {line}), 0);
  EXPECT_EQ(restored_, 1);
  EXPECT_EQ(differences(), Found{"funds_line_unknown open 2026-09-22"});
}

TEST_F(FundsMatcherTest, LinesOfOneArchivedOrderRestoreItOnce) {
  const StatementLine line = refund_of_archived_order();
  EXPECT_EQ(compare(1, kDate, {line, line_of(kAmount), line}), 2);
  EXPECT_EQ(restored_, 1);
  EXPECT_EQ(differences(), Found{"duplicate_at_channel open 2026-09-21"});
}

TEST_F(FundsMatcherTest, ANewerVersionFindsTheArchivedOrderOfAMatchedRefund) {
  const StatementLine line = refund_of_archived_order();
  const OrderId order = archived_.order.id;
  restore(order);
  const FundsResult result = compare_versions({line}, {line}, [&] { archive(order); });
  EXPECT_EQ(restored_, 2);
  EXPECT_EQ(differences(), Found{});
  ASSERT_EQ(result.booked.size(), 1U);
  EXPECT_EQ(result.booked.front().amount, -100);
}

TEST_F(FundsMatcherTest, ANewerVersionFindsTheArchivedOrderOfAMatchedRefundWithoutItsNumber) {
  StatementLine line = refund_of_archived_order();
  line.out_refund_no.clear();
  line.channel_trade_no = "T1";
  const OrderId order = archived_.order.id;
  restore(order);
  const FundsResult result = compare_versions({line}, {line}, [&] { archive(order); });
  EXPECT_EQ(restored_, 2);
  EXPECT_EQ(differences(), Found{});
  EXPECT_EQ(result.booked.size(), 1U);
}

TEST_F(FundsMatcherTest, WithoutARestoreARefundOfAnArchivedOrderIsUnknown) {
  has_archives_ = false;
  EXPECT_EQ(compare(1, kDate, {refund_of_archived_order()}), 0);
  EXPECT_EQ(differences(), Found{"funds_line_unknown open 2026-09-21"});
}

TEST_F(FundsMatcherTest, TheNextStatementMatchesALineWhoseDocumentIsBookedLater) {
  EXPECT_EQ(compare(1, kDate, {line_of(kAmount), unknown_line()}), 1);
  EXPECT_EQ(compare(2, "2026-09-22", {}), 0);
  EXPECT_EQ(differences(), Found{"funds_line_unknown open 2026-09-21"}) << "without a document it stays open";
  book_late();
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(compare(3, "2026-09-23", {}), 1);
    EXPECT_EQ(differences(), Found{"funds_line_unknown repaired 2026-09-21"});
  }
  EXPECT_EQ(compare(4, "2026-09-24", {}), 0);
}

TEST_F(FundsMatcherTest, AnEmptyDayMatchesALineWhoseDocumentIsBookedLater) {
  EXPECT_EQ(compare(1, kDate, {line_of(kAmount), unknown_line()}), 1);
  book_late();
  const Statement empty = add_statement(2, "2026-09-22", StatementKind::funds);
  for (int run = 0; run < 2; ++run) {  // the first run is interrupted
    FundsMatcher matcher = matcher_of(empty);
    EXPECT_TRUE(matcher.finish_lines());
    EXPECT_TRUE(matcher.find_missing());
    EXPECT_EQ(matcher.counts().recorded, 1);
    EXPECT_EQ(matcher.counts().matched, 0) << "the line is no movement of the empty day";
    EXPECT_TRUE(matcher.result().booked.empty());
    EXPECT_EQ(differences().count("funds_line_unknown repaired 2026-09-21"), 1U);
  }
}

TEST_F(FundsMatcherTest, TheNextStatementEndsBothDifferencesOfALineWhoseDocumentIsBookedLater) {
  EXPECT_EQ(compare(1, kDate, {line_of(kAmount), unknown_line()}), 1);
  record_without_line(book_late(), "2026-09-22");
  EXPECT_EQ(compare(2, "2026-09-22", {}), 1);
  EXPECT_EQ(differences(),
            (Found{"funds_line_unknown repaired 2026-09-21", "trade_without_funds repaired 2026-09-22"}));
}

TEST_F(FundsMatcherTest, ALineWhoseDifferenceOperatorsResolvedIsNotMatchedLater) {
  EXPECT_EQ(compare(1, kDate, {line_of(kAmount), unknown_line()}), 1);
  resolve_difference("keep");
  book_late();
  EXPECT_EQ(compare(2, "2026-09-22", {}), 0);
  EXPECT_EQ(differences(), Found{"funds_line_unknown resolved 2026-09-21"});
}

TEST_F(FundsMatcherTest, ADocumentOfAnAdjustedLineIsReportedWithTheOppositeAmount) {
  EXPECT_EQ(compare(1, kDate, {line_of(kAmount), unknown_line()}), 1);
  resolve_difference("adjust");
  EXPECT_EQ(amount_of(DifferenceClass::funds_line_unknown), kAmount);
  book_late();
  const std::string today = date_of(world_.clock.now(), funds_plan_.utc_offset);
  const Statement next = add_statement(2, today, StatementKind::funds);
  for (int run = 0; run < 2; ++run) {
    FundsMatcher matcher = matcher_of(next);
    finish(matcher);
    EXPECT_EQ(matcher.counts().recorded, 0) << "the line stays resolved";
    EXPECT_TRUE(matcher.find_missing());
    EXPECT_TRUE(sender_.settle());
    EXPECT_EQ(differences_of(DifferenceClass::funds_line_unknown), States{fmt::format("resolved {}", kAmount)});
    EXPECT_EQ(differences_of(DifferenceClass::trade_without_funds), States{fmt::format("carried {}", -kAmount)});
  }
}

TEST_F(FundsMatcherTest, ANewerVersionEndsTheDifferenceOfALineWhoseDocumentIsBookedMeanwhile) {
  const StatementLine line = unknown_line();
  const FundsResult result = compare_versions(line, {line}, [this] { book_late(); });
  EXPECT_EQ(differences(), Found{"funds_line_unknown repaired 2026-09-21"});
  ASSERT_EQ(result.booked.size(), 1U);
  EXPECT_EQ(result.booked.front().amount, kAmount);
}

TEST_F(FundsMatcherTest, ANewerVersionCountsALineThatALaterDayMatchedAsNoMovement) {
  const StatementLine line = unknown_line();
  compare(1, kDate, {line});
  book_late();
  EXPECT_EQ(compare(2, "2026-09-22", {}), 1);
  const Statement second = add_statement(3, kDate, StatementKind::funds);
  const StatementId earlier[] = {StatementId{1}};
  FundsMatcher next = matcher_of(second, earlier);
  next.note(line);
  EXPECT_TRUE(next.add(line));
  finish(next);
  EXPECT_EQ(next.counts().matched, 1);
  EXPECT_TRUE(next.result().booked.empty()) << "its difference explains it in the proof until it is booked";
  EXPECT_EQ(differences(), Found{"funds_line_unknown repaired 2026-09-21"});
}

TEST_F(FundsMatcherTest, ADocumentIsMatchedOnceAlthoughItsLinesAreInSeveralGroups) {
  const Statement statement = add_statement(1, kDate, StatementKind::funds);
  FundsMatcher matcher = matcher_of(statement);
  constexpr int kGroups = 3;
  constexpr int kLinesPerGroup = 256;
  for (int i = 0; i < kGroups * kLinesPerGroup; ++i) EXPECT_TRUE(matcher.add(line_of(kAmount)));
  finish(matcher);
  EXPECT_EQ(matcher.counts().matched, 1);
  EXPECT_EQ(matcher.counts().recorded, 1);
  EXPECT_EQ(matcher.counts().differences, kGroups * kLinesPerGroup - 1);
}

}  // namespace
}  // namespace finality
