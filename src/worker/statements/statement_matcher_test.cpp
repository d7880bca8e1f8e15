// Tests of the comparison of statements of trades with the books, with an engine and a store in memory.
#include "worker/statements/statement_matcher.h"

#include <span>
#include <utility>

#include "model/out_trade_no.h"
#include "worker/statements/line_keys.h"
#include "worker/statements/test_matcher.h"

namespace finality {
namespace {

using namespace test;

constexpr const char* kDate = "2026-09-21";
constexpr std::int64_t kFee = 12'000;  // StatementLine::fee_e5 of 0.6 % of kAmount

class StatementMatcherTest : public MatcherTest {
 protected:
  StatementLine line_with_fee(std::int64_t fee_e5 = kFee) const {
    StatementLine line = payment_line();
    line.fee_e5 = fee_e5;
    return line;
  }
  MatchTask task_of(const Statement& statement) {
    return {.statement = statement,
            .account = account_,
            .plan = has_funds_ ? with_funds_ : plan_,
            .rates = rates_,
            .earlier = {},
            .reader = *reader_,
            .commands = sender_};
  }
  /// Compares a version of the statement of that day. The earlier versions have the ids from 1 to `id` - 1. `earlier`:
  /// the lines of the newest one; empty if `id` is 1, or if its file has expired.
  MatchCounts compare(std::int64_t id, const std::string& date, const std::vector<StatementLine>& lines,
                      const std::vector<StatementLine>& earlier) {
    const Statement statement = add_statement(id, date);
    std::vector<StatementId> before;
    for (std::int64_t i = id - 1; i >= 1; --i) before.emplace_back(i);
    MatchTask task = task_of(statement);
    task.earlier = before;
    StatementMatcher matcher(task);
    for (const StatementLine& line : lines) matcher.note(line);
    LineKeys keys(account_.id);
    for (const StatementLine& line : earlier) matcher.note_earlier(line, keys.next(line), true);
    for (const StatementLine& line : lines) EXPECT_TRUE(matcher.add(line));
    EXPECT_TRUE(matcher.finish_lines());
    for (const StatementLine& line : earlier) EXPECT_TRUE(matcher.add_earlier(line));
    EXPECT_TRUE(matcher.finish_earlier());
    return matcher.counts();
  }
  /// Compares versions of the statement of kDate, one after the other, each twice: the first run is interrupted.
  void compare_versions(const std::vector<std::vector<StatementLine>>& versions) {
    for (std::size_t i = 0; i < versions.size(); ++i)
      for (int run = 0; run < 2; ++run)
        compare(static_cast<std::int64_t>(i) + 1, kDate, versions[i],
                i == 0 ? std::vector<StatementLine>{} : versions[i - 1]);
  }
  /// The line of the booked payment, with another amount than in the books.
  StatementLine line_off_by(MinorUnits surplus) const {
    StatementLine line = line_with_fee();
    line.amount += surplus;
    return line;
  }
  /// Compares the only line of the statement of that day. `state`: `matching` if an earlier run was interrupted.
  MatchCounts compare(std::int64_t id, const std::string& date, const StatementLine& line,
                      StatementState state = StatementState::received) {
    Statement statement = add_statement(id, date);
    statement.state = state;
    StatementMatcher matcher(task_of(statement));
    EXPECT_TRUE(matcher.add(line));
    EXPECT_TRUE(matcher.finish_lines());
    EXPECT_TRUE(sender_.settle());
    return matcher.counts();
  }

  static constexpr StatementKind kKinds[] = {StatementKind::trades, StatementKind::funds};
  const StatementPlan with_funds_{.kinds = kKinds};
  bool has_funds_ = false;  // whether the account has funds statements
  std::vector<ChannelRate> rates_{
      {.id = ChannelRateId{1}, .channel_account_id = account_.id, .basis_points = 60, .from_date = "2026-01-01"}};
};

TEST_F(StatementMatcherTest, ALineThatRepairsTheBooksAndHasAnotherFeeHasTwoDifferences) {
  for (int run = 0; run < 2; ++run) {
    const MatchCounts counts = compare(1, "2026-09-21", line_with_fee(0));
    EXPECT_EQ(differences(), (Found{"late_status repaired 2026-09-21", "cost_mismatch open 2026-09-21"}));
    EXPECT_EQ(counts.differences, 1);
    EXPECT_EQ(counts.repaired, 0);
    EXPECT_EQ(counts.recorded, 1);
  }
}

TEST_F(StatementMatcherTest, ALineOfAnotherDayIsADuplicateAlthoughItsDifferenceHasEnded) {
  EXPECT_EQ(compare(1, "2026-09-21", line_with_fee()).repaired, 1);
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(compare(2, "2026-09-22", line_with_fee()).differences, 1);
    EXPECT_EQ(differences(), (Found{"late_status repaired 2026-09-21", "duplicate_at_channel open 2026-09-22"}));
  }
  EXPECT_EQ(compare(1, "2026-09-21", line_with_fee()).repaired, 1) << "its line has the match";
  EXPECT_EQ(differences().size(), 2U);
  EXPECT_EQ(amount_of(DifferenceClass::duplicate_at_channel), kAmount);
}

const ReportedCapture kInConsole{"console-1", "T3", 600, kCny, kNow};

TEST_F(StatementMatcherTest, EachCaptureOfAnOrderHasItsLine) {
  rates_.clear();
  const OrderId order = held_order();
  const CaptureId own = capture(order, "T2", 400);
  StatementLine line = console_line(kInConsole);
  report_hold(order, {{out_capture_no(kMerchant, order, 1), "T2", 400, kCny, kNow}, kInConsole});
  StatementLine of_own = line;
  of_own.channel_trade_no = "T2";
  of_own.out_trade_no = out_capture_no(kMerchant, order, 1);
  of_own.amount = 400;
  StatementLine of_refund = of_own;
  of_refund.kind = LineKind::refund;
  of_refund.out_refund_no = out_number(kMerchant, refund(order, own, 100).value);
  of_refund.amount = 100;
  const std::vector<StatementLine> lines = {line, of_own, of_refund};
  for (int run = 0; run < 2; ++run) {
    const Statement statement = add_statement(1, kDate);
    StatementMatcher matcher(task_of(statement));
    for (const StatementLine& one : lines) EXPECT_TRUE(matcher.add(one));
    EXPECT_TRUE(matcher.finish_lines());
    EXPECT_TRUE(sender_.settle());
    EXPECT_EQ(matcher.counts().matched, 3);
    EXPECT_EQ(matcher.counts().recorded, 3);
  }
  EXPECT_EQ(differences(), Found{});
  EXPECT_TRUE(unknown_receipts().empty()) << "the console capture is booked for its order";
}

TEST_F(StatementMatcherTest, ALineThatDiffersFromAConsoleCaptureIsADifference) {
  const OrderId order = held_order();
  report_hold(order, {kInConsole});
  StatementLine line = console_line(kInConsole);
  line.amount += 1;
  EXPECT_EQ(compare(1, kDate, line).differences, 1);
  EXPECT_EQ(differences(), Found{"amount_mismatch open 2026-09-21"});
  EXPECT_EQ(amount_of(DifferenceClass::amount_mismatch), 1);
}

TEST_F(StatementMatcherTest, ALineBeforeTheReportOfAConsoleCaptureIsAnUnknownReceiptThatCannotBeAssigned) {
  const OrderId order = held_order();
  EXPECT_EQ(compare(1, kDate, console_line(kInConsole)).repaired, 1);
  ASSERT_EQ(unknown_receipts().size(), 1U);
  EXPECT_FALSE(unknown_receipts().front().unknown_receipt.is_contradicted);
  report_hold(order, {kInConsole});
  EXPECT_EQ(order_with(order).receipts.size(), 1U);
  EXPECT_TRUE(unknown_receipts().front().unknown_receipt.is_contradicted);
}

TEST_F(StatementMatcherTest, AVersionWithoutTheSecondLineEndsTheDuplicate) {
  world_.execute(world_.evidence_command(payment_, paid("T1")));
  compare(1, kDate, {line_with_fee(), line_with_fee()}, {});
  EXPECT_EQ(differences(), Found{"duplicate_at_channel open 2026-09-21"});
  for (int run = 0; run < 2; ++run) {
    compare(2, kDate, {line_with_fee()}, {line_with_fee(), line_with_fee()});
    EXPECT_EQ(differences(), Found{"duplicate_at_channel repaired 2026-09-21"});
  }
}

TEST_F(StatementMatcherTest, AMatchedLineThatIsWithdrawnIsADifference) {
  world_.execute(world_.evidence_command(payment_, paid("T1")));
  compare(1, kDate, {line_with_fee()}, {});
  compare(2, kDate, {}, {line_with_fee()});
  EXPECT_EQ(differences(), Found{"line_withdrawn open 2026-09-21"});
  EXPECT_EQ(amount_of(DifferenceClass::line_withdrawn), -kAmount);
}

/// Lines whose numbers are of two orders. The payment of the fixture has failed.
class TwoOrdersTest : public StatementMatcherTest {
 protected:
  TwoOrdersTest() {
    rates_.clear();
    Merchant merchant = tables_->of<Merchant>().at(kMerchant);
    merchant.id = kOther;
    tables_->of<Merchant>().emplace(merchant.id, merchant);
    order_ = reader_->order_of(payment_)->value();
  }
  /// Creates an order of the merchant that is paid with the trade.
  PaymentId pay(MerchantId merchant, const std::string& trade_no) {
    CreateOrder order = world_.order_request();
    order.merchant_id = merchant;
    StartPayment start = world_.payment_for(OrderId{run(merchant, order).value});
    start.merchant_id = merchant;
    const PaymentId payment{run(merchant, start).value};
    RecordEvidence evidence = world_.evidence_command(payment, paid(trade_no));
    evidence.merchant_id = merchant;
    evidence.out_trade_no = out_number(merchant, payment.value);
    run(merchant, evidence);
    return payment;
  }
  ObjectRef run(MerchantId merchant, Command command) {
    Request request = EngineWorld::request_of(std::move(command));
    request.merchant_id = merchant;
    return *world_.execute(std::move(request)).object;
  }
  /// The line of the fixture's payment, with the number of another trade.
  StatementLine line_of_trade(const std::string& trade_no) const {
    StatementLine line = payment_line();
    line.channel_trade_no = trade_no;
    return line;
  }
  void expect_conflict(std::int64_t id, const StatementLine& line) {
    for (int run = 0; run < 2; ++run) EXPECT_EQ(compare(id, kDate, line).differences, 1);
    EXPECT_EQ(differences(), Found{"identity_conflict open 2026-09-21"});
  }

  static constexpr MerchantId kOther{8};
  OrderId order_;
};

TEST_F(TwoOrdersTest, ATradeOfAnotherOrderBooksNothing) {
  world_.execute(world_.evidence_command(payment_, failed()));
  pay(kMerchant, "T2");
  expect_conflict(1, line_of_trade("T2"));
  EXPECT_TRUE(order_with(order_).receipts.empty());
  EXPECT_EQ(amount_of(DifferenceClass::identity_conflict), kAmount);
}

TEST_F(TwoOrdersTest, ATradeOfAnotherMerchantBooksNothing) {
  world_.execute(world_.evidence_command(payment_, failed()));
  const PaymentId other = pay(kOther, "T2");
  expect_conflict(1, line_of_trade("T2"));
  EXPECT_TRUE(order_with(order_).receipts.empty());
  const OrderAggregate owner = order_with(reader_->order_of(other)->value());
  EXPECT_EQ(owner.receipts.size(), 1U);
  EXPECT_TRUE(owner.reversals.empty());
}

TEST_F(TwoOrdersTest, AVersionWithoutTheLineEndsTheConflict) {
  pay(kOther, "T2");
  compare(1, kDate, {line_of_trade("T2")}, {});
  EXPECT_EQ(differences(), Found{"identity_conflict open 2026-09-21"});
  compare(2, kDate, {}, {line_of_trade("T2")});
  EXPECT_EQ(differences(), Found{"identity_conflict repaired 2026-09-21"});
}

TEST_F(TwoOrdersTest, ATradeOfAnArchivedOrderBooksNothing) {
  const PaymentId other = pay(kOther, "T2");
  const OrderId owner = reader_->order_of(other)->value();
  const Hash16 key = key_of_receipt(kOther, account_.channel, "T2");
  {
    const std::unique_lock lock(tables_->mutex);
    tables_->of<OrderAggregate>().erase(owner);
    tables_->of<Key>().at(key).id = owner.value;
  }
  expect_conflict(1, line_of_trade("T2"));
  EXPECT_TRUE(order_with(order_).receipts.empty());
}

TEST_F(TwoOrdersTest, ATradeOfAnOrderUnderAForeignNumberIsNoUnknownReceipt) {
  pay(kOther, "T2");
  StatementLine line = line_of_trade("T2");
  line.out_trade_no = "till-1";
  expect_conflict(1, line);
  EXPECT_TRUE(unknown_receipts().empty());
}

TEST_F(TwoOrdersTest, ATradeThatAnEarlierLineOfTheFileHasBookedBooksNothing) {
  CreateOrder order = world_.order_request();
  const OrderId second = OrderId{run(kMerchant, order).value};
  const PaymentId other{run(kMerchant, world_.payment_for(second)).value};
  StatementLine line = payment_line();
  line.out_trade_no = out_number(kMerchant, other.value);
  compare(1, kDate, {payment_line(), line}, {});
  EXPECT_EQ(differences(), (Found{"late_status repaired 2026-09-21", "identity_conflict open 2026-09-21"}));
  EXPECT_TRUE(order_with(second).receipts.empty());
}

TEST_F(TwoOrdersTest, ARefundOfAnotherOrderBooksNothing) {
  world_.execute(world_.evidence_command(payment_, paid("T1")));
  const PaymentId other = pay(kMerchant, "T2");
  const RefundId of_other = refund(reader_->order_of(other)->value(), other, 100);
  StatementLine line = payment_line();
  line.kind = LineKind::refund;
  line.amount = 100;
  line.out_refund_no = out_number(kMerchant, of_other.value);
  expect_conflict(1, line);
  EXPECT_TRUE(order_with(order_).refunds.empty());
}

TEST_F(TwoOrdersTest, ARefundOfTheTradeOfAnotherMerchantBooksNothing) {
  world_.execute(world_.evidence_command(payment_, paid("T1")));
  pay(kOther, "T2");
  StatementLine line = line_of_trade("T2");
  line.kind = LineKind::refund;
  line.amount = 100;
  line.channel_refund_no = "console-1";
  expect_conflict(1, line);
  EXPECT_TRUE(order_with(order_).refunds.empty());
}

TEST_F(TwoOrdersTest, AnUploadedLineQueriesNothing) {
  pay(kOther, "T2");
  const std::size_t before = world_.effect_count();
  Statement statement = add_statement(1, kDate);
  statement.source = StatementSource::uploaded;
  StatementMatcher matcher(task_of(statement));
  EXPECT_TRUE(matcher.add(line_of_trade("T2")));
  EXPECT_TRUE(matcher.finish_lines());
  EXPECT_TRUE(sender_.settle());
  EXPECT_EQ(differences(), Found{"identity_conflict open 2026-09-21"});
  EXPECT_EQ(world_.effect_count(), before);
}

/// Versions of a statement in which the line of a booked payment, or of its refund, is corrected.
class CorrectedLineTest : public StatementMatcherTest {
 protected:
  CorrectedLineTest() {
    rates_.clear();
    world_.execute(world_.evidence_command(payment_, paid("T1")));
  }
  void expect_one_difference(const States& states) {
    EXPECT_EQ(differences_of(DifferenceClass::amount_mismatch), states);
    EXPECT_EQ(differences_of(DifferenceClass::line_withdrawn), States{});
    EXPECT_EQ(differences_of(DifferenceClass::duplicate_at_channel), States{});
  }
};

TEST_F(CorrectedLineTest, AWrongAmountAfterTheRightOneIsADifference) {
  compare_versions({{line_off_by(0)}, {line_off_by(1)}});
  expect_one_difference({"open 1"});
}

TEST_F(CorrectedLineTest, TheRightAmountEndsTheDifference) {
  compare_versions({{line_off_by(1)}, {line_off_by(0)}});
  expect_one_difference({"repaired 1"});
}

TEST_F(CorrectedLineTest, AnotherWrongAmountContinuesAsOneOpenDifference) {
  compare_versions({{line_off_by(1)}, {line_off_by(2)}, {line_off_by(3)}});
  expect_one_difference({"repaired 1", "repaired 2", "open 3"});
  compare(4, kDate, {line_off_by(0)}, {line_off_by(3)});
  expect_one_difference({"repaired 1", "repaired 2", "repaired 3"});
}

TEST_F(CorrectedLineTest, TwoWrongAmountsAfterTheRightOneAreOneOpenDifference) {
  compare_versions({{line_off_by(0)}, {line_off_by(1)}, {line_off_by(2)}});
  expect_one_difference({"repaired 1", "open 2"});
}

TEST_F(CorrectedLineTest, ALineThatReturnsEndsTheDifference) {
  compare_versions({{line_off_by(0)}, {line_off_by(1)}, {line_off_by(0)}});
  expect_one_difference({"repaired 1"});
}

TEST_F(CorrectedLineTest, AWrongAmountAfterACorrectionIsADifferenceAgain) {
  compare_versions({{line_off_by(1)}, {line_off_by(0)}, {line_off_by(2)}});
  expect_one_difference({"repaired 1", "open 2"});
}

TEST_F(CorrectedLineTest, AnUnchangedWrongLineKeepsItsDifference) {
  compare_versions({{line_off_by(1)}, {line_off_by(1)}});
  expect_one_difference({"open 1"});
}

TEST_F(CorrectedLineTest, TheDifferenceOfALineWhoseFileHasExpiredEndsToo) {
  const std::vector<StatementLine> no_file;
  compare(1, kDate, std::vector{line_off_by(1)}, no_file);
  compare(2, kDate, std::vector{line_off_by(2)}, no_file);
  expect_one_difference({"repaired 1", "open 2"});
}

TEST_F(CorrectedLineTest, TheDifferenceOfALineWhosePaymentWasMissingBeforeEndsToo) {
  Difference missing;
  missing.merchant_id = kMerchant;
  missing.date = kDate;
  missing.difference_class = DifferenceClass::missing_at_channel;
  const ObjectRef receipt = reader_->order(reader_->order_of(payment_)->value())->value().receipts.front().id;
  missing.document_type = receipt.type;
  missing.document_id = receipt.value;
  missing.amount = -kAmount;
  missing.currency = kCny;
  DifferenceRecorder recorder(*reader_, sender_, account_.id);
  EXPECT_TRUE(recorder.record(std::move(missing), subject_of_document(receipt), DifferenceEvent::carry));
  EXPECT_TRUE(sender_.settle());
  compare_versions({{line_off_by(1)}, {line_off_by(0)}});
  expect_one_difference({"repaired 1"});
  EXPECT_EQ(differences_of(DifferenceClass::missing_at_channel), States{fmt::format("repaired {}", -kAmount)});
}

TEST_F(CorrectedLineTest, ADifferenceThatAFundsStatementHasConfirmedStays) {
  has_funds_ = true;
  compare_versions({{line_off_by(1)}});
  Difference confirmed = reader_->differences({.state = DifferenceState::open}, {.limit = 1})->rows.front();
  EXPECT_FALSE(confirmed.changes_balance);
  confirmed.changes_balance = true;
  const std::string subject = subject_of_document(ObjectRef(confirmed.document_type, confirmed.document_id));
  DifferenceRecorder recorder(*reader_, sender_, account_.id);
  EXPECT_TRUE(recorder.record(std::move(confirmed), subject, DifferenceEvent::find));
  EXPECT_TRUE(sender_.settle());
  compare(2, kDate, {line_off_by(0)}, {line_off_by(1)});
  expect_one_difference({"open 1"});
}

TEST_F(CorrectedLineTest, ACorrectedRefundIsNotWithdrawn) {
  const OrderId order = reader_->order_of(payment_)->value();
  StatementLine wrong = line_off_by(0);
  wrong.kind = LineKind::refund;
  wrong.out_refund_no = out_number(kMerchant, refund(order, payment_, 100).value);
  wrong.amount = 101;
  StatementLine right = wrong;
  right.amount = 100;
  compare_versions({{line_off_by(0), wrong}, {line_off_by(0), right}});
  expect_one_difference({"repaired -1"});
}

TEST_F(CorrectedLineTest, ACorrectedRefundOfAnUnknownPaymentIsOneOpenDifference) {
  StatementLine wrong = line_off_by(0);
  wrong.kind = LineKind::refund;
  wrong.channel_trade_no = "T9";
  wrong.out_trade_no = "other-9";
  wrong.channel_refund_no = "R9";
  wrong.amount = 50;
  StatementLine other = wrong;
  other.amount = 60;
  compare_versions({{wrong}, {other}});
  EXPECT_EQ(differences_of(DifferenceClass::external_refund), (States{"repaired -50", "open -60"}));
  expect_one_difference({});
}

TEST_F(CorrectedLineTest, ACorrectedFeeEndsTheDifference) {
  rates_ = {{.id = ChannelRateId{1}, .channel_account_id = account_.id, .basis_points = 60, .from_date = "2026-01-01"}};
  compare_versions({{line_with_fee(0)}, {line_with_fee(2 * kFee)}});
  EXPECT_EQ(differences_of(DifferenceClass::cost_mismatch).size(), 2U);
  EXPECT_EQ(differences_of(DifferenceClass::cost_mismatch).front().substr(0, 8), "repaired");
  compare(3, kDate, {line_with_fee()}, {line_with_fee(2 * kFee)});
  EXPECT_EQ(differences_of(DifferenceClass::cost_mismatch).back().substr(0, 8), "repaired");
  expect_one_difference({});
}

TEST_F(CorrectedLineTest, ALineReplacesOneLineOnly) {
  compare_versions({{line_off_by(0), line_off_by(0)}, {line_off_by(1)}});
  EXPECT_EQ(differences_of(DifferenceClass::amount_mismatch), States{"open 1"});
  EXPECT_EQ(differences_of(DifferenceClass::duplicate_at_channel), States{fmt::format("repaired {}", kAmount)});
  EXPECT_EQ(differences_of(DifferenceClass::line_withdrawn), States{});
}

TEST_F(CorrectedLineTest, AnUnchangedLineReplacesNoLine) {
  compare_versions({{line_off_by(0), line_off_by(7)}, {line_off_by(0)}});
  EXPECT_EQ(differences_of(DifferenceClass::duplicate_at_channel), States{fmt::format("repaired {}", kAmount + 7)});
  EXPECT_EQ(differences_of(DifferenceClass::amount_mismatch), States{});
  EXPECT_EQ(differences_of(DifferenceClass::line_withdrawn), States{});
}

/// Claims: the lines of uploaded files.
class ClaimTest : public StatementMatcherTest {
 protected:
  /// Compares an upload with only this line. Returns the queries that it started.
  template <class Call>
  std::vector<Call> queries_of(std::int64_t id, const StatementLine& line) {
    const std::size_t before = world_.effect_count();
    Statement statement = add_statement(id, kDate);
    statement.source = StatementSource::uploaded;
    StatementMatcher matcher(task_of(statement));
    EXPECT_TRUE(matcher.add(line));
    EXPECT_TRUE(matcher.finish_lines());
    EXPECT_TRUE(sender_.settle());
    EXPECT_EQ(matcher.counts().recorded, 0) << "a claim takes no match";
    std::vector<Call> calls;
    const std::vector<Effect> effects = world_.effects();
    for (std::size_t i = before; i < effects.size(); ++i)
      if (const Call* call = std::get_if<Call>(&effects[i])) calls.push_back(*call);
    return calls;
  }
};

TEST_F(ClaimTest, APaymentIsQueriedOnce) {
  const auto queries = queries_of<ChannelCall>(1, line_with_fee());
  ASSERT_EQ(queries.size(), 1U);
  EXPECT_EQ(queries.front().kind, ChannelCallKind::query_payment);
  EXPECT_EQ(differences(), Found{"late_status open 2026-09-21"});
  EXPECT_TRUE(queries_of<ChannelCall>(2, line_with_fee()).empty());
  world_.execute(world_.evidence_command(payment_, paid("T1")));
  EXPECT_TRUE(queries_of<ChannelCall>(3, line_with_fee()).empty());
  EXPECT_EQ(differences(), Found{"late_status repaired 2026-09-21"}) << "the answer to the query has booked it";
}

TEST_F(ClaimTest, APaymentWithARefundOfTheConsoleIsQueriedOnce) {
  world_.execute(world_.evidence_command(payment_, paid("T1")));
  StatementLine line = line_with_fee();
  line.kind = LineKind::refund;
  line.out_refund_no = "console-1";
  line.amount = 100;
  EXPECT_EQ(queries_of<ChannelCall>(1, line).size(), 1U);
  EXPECT_EQ(differences(), Found{"external_refund open 2026-09-21"});
  EXPECT_TRUE(queries_of<ChannelCall>(2, line).empty());
}

TEST_F(ClaimTest, AnOutstandingRefundIsQueriedOnce) {
  world_.execute(world_.evidence_command(payment_, paid("T1")));
  const OrderId order = reader_->order_of(payment_)->value();
  const RefundId id{world_
                        .execute(CreateRefund{.merchant_id = kMerchant,
                                              .collected = payment_,
                                              .amount = 100,
                                              .merchant_refund_no = "R1",
                                              .channel = "sandbox",
                                              .currency = kCny,
                                              .order_id = order})
                        .object->value};
  StatementLine line = line_with_fee();
  line.kind = LineKind::refund;
  line.out_refund_no = out_number(kMerchant, id.value);
  line.amount = 100;
  const auto queries = queries_of<RefundCall>(1, line);
  ASSERT_EQ(queries.size(), 1U);
  EXPECT_EQ(queries.front().kind, RefundCallKind::query_refund);
  EXPECT_EQ(differences(), Found{"refund_status open 2026-09-21"});
  EXPECT_TRUE(queries_of<RefundCall>(2, line).empty());
}

TEST_F(ClaimTest, ACaptureQueriesItsAuthorizationOnce) {
  const OrderId order = held_order();
  const AuthorizationId hold = order_with(order).authorizations.front().id;
  world_.execute(CreateCapture{kMerchant, order, hold, "C1", 400, false});
  StatementLine line = line_with_fee();
  line.channel_trade_no = "T2";
  line.out_trade_no = out_capture_no(kMerchant, order, 1);
  line.amount = 400;
  EXPECT_EQ(queries_of<AuthorizationCall>(1, line).size(), 1U);
  EXPECT_EQ(differences(), Found{"late_status open 2026-09-21"});
  EXPECT_TRUE(queries_of<AuthorizationCall>(2, line).empty());
}

TEST_F(ClaimTest, AnUnknownPaymentIsADifferenceWithACase) {
  StatementLine line = line_with_fee();
  line.out_trade_no = "till-1";
  line.channel_trade_no = "T9";
  EXPECT_TRUE(queries_of<ChannelCall>(1, line).empty());
  EXPECT_EQ(differences(), Found{"unknown_receipt open 2026-09-21"});
  EXPECT_TRUE(unknown_receipts().empty());
}

TEST_F(StatementMatcherTest, EachPhaseRenewsTheClaimOfTheStatement) {
  const Statement statement = add_statement(1, "2026-09-21");
  int renewed = 0;
  MatchTask task = task_of(statement);
  task.renew_claim = [&renewed]() -> Result<void> {
    ++renewed;
    return {};
  };
  StatementMatcher matcher(task);
  EXPECT_TRUE(matcher.add(line_with_fee()));
  EXPECT_TRUE(matcher.finish_lines());
  EXPECT_GT(std::exchange(renewed, 0), 0);
  EXPECT_TRUE(matcher.find_missing());
  EXPECT_GT(renewed, 0);
}

TEST_F(StatementMatcherTest, AComparisonEndsWhenItsClaimIsLost) {
  const Statement statement = add_statement(1, "2026-09-21");
  MatchTask task = task_of(statement);
  task.renew_claim = [] { return Result<void>(fail("another server works on it")); };
  StatementMatcher matcher(task);
  EXPECT_FALSE(matcher.find_missing());
}

TEST_F(StatementMatcherTest, ARepairOfAnInterruptedComparisonIsRecordedOnce) {
  Evidence evidence = paid("T1");
  evidence.source = CauseKind::statement;
  world_.execute(world_.evidence_command(payment_, evidence));
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(compare(1, "2026-09-21", line_with_fee(), StatementState::matching).repaired, 1);
    EXPECT_EQ(differences(), Found{"late_status repaired 2026-09-21"});
  }
  EXPECT_EQ(amount_of(DifferenceClass::late_status), kAmount);
}

TEST_F(StatementMatcherTest, APaymentThatNoLineHasRepairedIsOnlyMatchedAfterAnInterruption) {
  world_.execute(world_.evidence_command(payment_, paid("T1")));
  EXPECT_EQ(compare(1, "2026-09-21", line_with_fee(), StatementState::matching).matched, 1);
  EXPECT_EQ(differences(), Found{});
}

TEST_F(StatementMatcherTest, AnotherFeeEndsWhenTheRateIsCorrected) {
  world_.execute(world_.evidence_command(payment_, paid("T1")));
  compare(1, "2026-09-21", line_with_fee(0));
  EXPECT_EQ(differences(), Found{"cost_mismatch open 2026-09-21"});
  rates_.front().basis_points = 0;
  EXPECT_EQ(compare(1, "2026-09-21", line_with_fee(0)).matched, 1);
  EXPECT_EQ(differences(), Found{"cost_mismatch repaired 2026-09-21"});
}

}  // namespace
}  // namespace finality
