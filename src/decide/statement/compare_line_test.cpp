// Tests of the comparison of a line with the books: a table of lines, with the differences that they show.
#include "decide/statement/compare_line.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "base/limits.h"
#include "base/time/date.h"
#include "decide/refund/create_refund.h"
#include "decide/testing/test_world.h"

namespace finality::test {
namespace {

constexpr ChannelAccountId kAccount{5};

class CompareLineTest : public testing::Test {
 protected:
  CompareLineTest() {
    account_ = {.id = kAccount, .channel = "sandbox", .kind = "sandbox"};
    world_.policy.accounts["sandbox"] = account_;
    order_ = world_.new_order();
    payment_ = world_.start(order_);
    world_.record_evidence(payment_, paid("T1"));
  }
  StatementLine payment_line() const {
    return {.line_no = 1,
            .kind = LineKind::payment,
            .channel_trade_no = "T1",
            .out_trade_no = out_number(kMerchant, payment_.value),
            .currency = kCny,
            .amount = kAmount,
            .at = kNow};
  }
  RefundId new_refund(MinorUnits amount = 500) {
    return RefundId{world_
                        .run(CreateRefund{.merchant_id = kMerchant,
                                          .collected = payment_,
                                          .amount = amount,
                                          .merchant_refund_no = "refund-1",
                                          .channel = "sandbox",
                                          .currency = kCny})
                        ->object.value};
  }
  RecordRefund refund_result(RefundId id, RefundEvidenceKind kind) const {
    const Refund& refund = *find_row(world_.store.orders.at(order_).refunds, id);
    return {kMerchant, order_, id, refund.out_refund_no, "sandbox", kCny, refund.amount, {.kind = kind}};
  }
  StatementLine refund_line(RefundId id, MinorUnits amount = 500) const {
    StatementLine line = payment_line();
    line.kind = LineKind::refund;
    line.channel_refund_no = "R1";
    line.out_refund_no = out_number(kMerchant, id.value);
    line.amount = amount;
    return line;
  }
  Comparison compare(const StatementLine& line, StatementSource source = StatementSource::fetched) {
    const LineContext context{.account = account_, .date = "2026-09-20", .source = source, .rates = rates_};
    return compare_line(line, context, &world_.aggregate(order_), nullptr);
  }
  /// `found`: by the comparison before the books were repaired.
  void expect_before_repair(const StatementLine& line, const Comparison& found) {
    const Comparison before = before_repair(line, &world_.aggregate(order_), compare(line));
    EXPECT_EQ(before.classes, found.classes);
    EXPECT_EQ(before.ours, found.ours);
    EXPECT_EQ(before.merchant_id, found.merchant_id);
    EXPECT_EQ(before.order_id, found.order_id);
  }
  static std::string classes(const Comparison& found) {
    std::vector<std::string_view> names;
    for (const DifferenceClass one : found.classes) names.push_back(name_of(one));
    return fmt::format("{}", fmt::join(names, " "));
  }

  World world_;
  ChannelAccount account_;
  OrderId order_;
  PaymentId payment_;
  std::vector<ChannelRate> rates_;
};

TEST_F(CompareLineTest, APaymentAgreesWithItsReceipt) {
  const Comparison found = compare(payment_line());
  EXPECT_TRUE(found.is_match());
  EXPECT_EQ(classes(found), "");
  EXPECT_EQ(found.document, ObjectRef(world_.aggregate(order_).receipts.front().id));
  EXPECT_EQ(found.merchant_id, kMerchant);
  EXPECT_EQ(found.order_id, order_);
}

TEST_F(CompareLineTest, EachDeviationOfAPaymentHasItsClass) {
  const struct {
    void (*change)(StatementLine&);
    std::string_view classes;
    bool is_match;
    bool is_repaired;
  } rows[] = {
      {[](StatementLine& line) { line.amount += 1; }, "amount_mismatch", false, false},
      {[](StatementLine& line) { line.currency = kUsd; }, "currency_mismatch", false, false},
      {[](StatementLine& line) { line.discount = 10; }, "discount_mismatch", true, false},
      {[](StatementLine& line) { line.channel_trade_no = "T2"; }, "late_status", false, true},
      {[](StatementLine& line) { line.out_trade_no = "till-1"; }, "unknown_receipt", false, true},
      {[](StatementLine& line) { line.out_trade_no = out_number(kMerchant, 1); }, "unknown_receipt", false, true},
      {[](StatementLine& line) {
         line.amount += 1;
         line.discount = 10;
       },
       "amount_mismatch discount_mismatch", false, false},
      {[](StatementLine& line) { line.channel_trade_no.clear(); }, "late_status", false, false},
      {[](StatementLine& line) {
         line.channel_trade_no.clear();
         line.out_trade_no = "till-1";
       },
       "unknown_receipt", false, false},
  };
  for (const auto& row : rows) {
    StatementLine line = payment_line();
    row.change(line);
    const Comparison found = compare(line);
    EXPECT_EQ(classes(found), row.classes);
    EXPECT_EQ(found.is_match(), row.is_match) << row.classes;
    EXPECT_EQ(!std::holds_alternative<std::monostate>(found.repair), row.is_repaired) << row.classes;
  }
}

TEST_F(CompareLineTest, ARevokedPaymentIsNeverBooked) {
  StatementLine line = payment_line();
  line.status = LineStatus::failed;
  EXPECT_EQ(classes(compare(line)), "refund_status") << "the books have a receipt";
  EXPECT_TRUE(std::holds_alternative<std::monostate>(compare(line).repair));
  for (const char* out_trade_no : {line.out_trade_no.c_str(), "till-1"}) {
    StatementLine unknown = line;
    unknown.channel_trade_no = "T2";
    unknown.out_trade_no = out_trade_no;
    EXPECT_EQ(classes(compare(unknown)), "") << "no money moved on either side";
    EXPECT_TRUE(std::holds_alternative<std::monostate>(compare(unknown).repair));
  }
}

TEST_F(CompareLineTest, AnUploadedPaymentQueriesTheChannelAndBooksNothing) {
  StatementLine line = payment_line();
  line.channel_trade_no = "T2";
  const Comparison found = compare(line, StatementSource::uploaded);
  EXPECT_EQ(classes(found), "late_status");
  world_.run(std::get<QueryPayment>(found.repair));
  ASSERT_EQ(world_.effects.size(), 1U);
  EXPECT_EQ(std::get<ChannelCall>(world_.effects.front()).kind, ChannelCallKind::query_payment);
  EXPECT_EQ(world_.aggregate(order_).receipts.size(), 1U);
  line.out_trade_no = "till-1";
  EXPECT_TRUE(std::holds_alternative<std::monostate>(compare(line, StatementSource::uploaded).repair));
}

TEST_F(CompareLineTest, AnUploadedRefundQueriesTheChannelWhileItsResultIsOutstanding) {
  const RefundId refund = new_refund();
  const StatementLine line = refund_line(refund);
  const Comparison found = compare(line, StatementSource::uploaded);
  EXPECT_EQ(classes(found), "refund_status");
  world_.run(std::get<ClaimRequest>(found.repair));
  ASSERT_EQ(world_.effects.size(), 1U);
  EXPECT_EQ(std::get<RefundCall>(world_.effects.front()).kind, RefundCallKind::query_refund);
  world_.run(refund_result(refund, RefundEvidenceKind::refused));
  const Comparison failed = compare(line, StatementSource::uploaded);
  EXPECT_EQ(classes(failed), "refund_status");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(failed.repair));
}

TEST_F(CompareLineTest, AnUploadedExternalRefundQueriesItsPayment) {
  StatementLine line = payment_line();
  line.kind = LineKind::refund;
  line.out_refund_no = "console-1";
  line.amount = 100;
  const Comparison found = compare(line, StatementSource::uploaded);
  EXPECT_EQ(classes(found), "external_refund");
  world_.run(std::get<QueryPayment>(found.repair));
  ASSERT_EQ(world_.effects.size(), 1U);
  EXPECT_EQ(std::get<ChannelCall>(world_.effects.front()).kind, ChannelCallKind::query_payment);
  EXPECT_TRUE(world_.aggregate(order_).refunds.empty());
  line.out_trade_no = "till-1";
  EXPECT_TRUE(std::holds_alternative<std::monostate>(compare(line, StatementSource::uploaded).repair))
      << "an unknown payment has no query: operators look at the difference";
}

TEST_F(CompareLineTest, EvidenceFromALineBooksTheMissingReceipt) {
  StatementLine line = payment_line();
  line.channel_trade_no = "T2";
  const Comparison found = compare(line);
  world_.run(std::get<RecordEvidence>(found.repair));
  EXPECT_EQ(world_.aggregate(order_).receipts.size(), 2U);
  EXPECT_TRUE(compare(line).is_match());
  expect_before_repair(line, found);
  EXPECT_EQ(world_.events.front().cause, CauseKind::statement);
}

TEST_F(CompareLineTest, APaymentOfAnotherChannelAccountIsAnIdentityConflict) {
  account_.id = ChannelAccountId{6};
  EXPECT_EQ(classes(compare(payment_line())), "identity_conflict");
}

TEST_F(CompareLineTest, AReceiptOfAnotherPaymentIsAnIdentityConflict) {
  order_ = world_.new_order();
  payment_ = world_.start(order_);
  world_.record_evidence(payment_, failed());
  world_.record_evidence(world_.start(order_), paid("T2"));
  StatementLine line = payment_line();  // names the payment that failed
  line.channel_trade_no = "T2";
  const Comparison found = compare(line);
  EXPECT_EQ(classes(found), "identity_conflict");
  EXPECT_EQ(found.document, ObjectRef(world_.aggregate(order_).receipts.at(0).id));
}

TEST_F(CompareLineTest, ARefundWithTheNumberOfAnotherPaymentIsAnIdentityConflict) {
  const RefundId refund = new_refund();
  for (int run = 0; run < 2; ++run) {
    StatementLine of_other_trade = refund_line(refund);
    of_other_trade.channel_trade_no = "T2";
    StatementLine of_other_merchant = refund_line(refund);
    of_other_merchant.out_refund_no = out_number(MerchantId{8}, refund.value);
    for (const StatementLine& line : {of_other_trade, of_other_merchant}) {
      const Comparison found = compare(line);
      EXPECT_EQ(classes(found), "identity_conflict");
      EXPECT_TRUE(std::holds_alternative<std::monostate>(found.repair));
      EXPECT_EQ(found.document.value, line.channel_trade_no == "T2" ? refund.value : 0);
    }
    world_.run(refund_result(refund, RefundEvidenceKind::refunded));
  }
  EXPECT_TRUE(compare(refund_line(refund)).is_match());
}

TEST_F(CompareLineTest, ARefundOfAnotherPaymentOfTheOrderIsAnIdentityConflict) {
  order_ = world_.new_order();
  const PaymentId other = world_.start(order_);
  world_.record_evidence(other, failed());
  payment_ = world_.start(order_);
  world_.record_evidence(payment_, paid("T2"));
  StatementLine line = refund_line(new_refund());
  line.channel_trade_no = "T2";
  EXPECT_EQ(classes(compare(line)), "refund_status");
  line.out_trade_no = out_number(kMerchant, other.value);
  EXPECT_EQ(classes(compare(line)), "identity_conflict");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(compare(line).repair));
}

TEST_F(CompareLineTest, ARefundAgreesWhenItSucceeded) {
  const RefundId refund = new_refund();
  world_.run(refund_result(refund, RefundEvidenceKind::refunded));
  const Comparison found = compare(refund_line(refund));
  EXPECT_TRUE(found.is_match());
  EXPECT_EQ(found.document, ObjectRef(refund));
  EXPECT_EQ(classes(compare(refund_line(refund, 499))), "amount_mismatch");
}

TEST_F(CompareLineTest, AnAcceptedRefundAgreesWhateverBecomesOfIt) {
  const RefundId refund = new_refund();
  StatementLine line = refund_line(refund);
  line.status = LineStatus::processing;
  EXPECT_TRUE(compare(line).is_match());
  world_.run(refund_result(refund, RefundEvidenceKind::refused));
  EXPECT_TRUE(compare(line).is_match()) << "WeChat Pay never changes the line";
}

TEST_F(CompareLineTest, ASucceededRefundRepairsTheBooks) {
  const RefundId refund = new_refund();
  const Comparison found = compare(refund_line(refund));
  EXPECT_EQ(classes(found), "refund_status");
  world_.run(std::get<RecordRefund>(found.repair));
  EXPECT_TRUE(compare(refund_line(refund)).is_match());
  expect_before_repair(refund_line(refund), found);
}

TEST_F(CompareLineTest, APayoutOfARefundThatFailedInTheBooksIsBookedOnce) {
  const RefundId refund = new_refund();
  world_.run(refund_result(refund, RefundEvidenceKind::refused));
  const StatementLine line = refund_line(refund);
  const Comparison found = compare(line);
  EXPECT_EQ(classes(found), "refund_status");
  world_.run(std::get<RecordRefund>(found.repair));
  const Comparison again = compare(line);
  EXPECT_TRUE(again.is_match());
  EXPECT_EQ(again.document.type, ObjectType::refund);
  EXPECT_NE(again.document, ObjectRef(refund));
  expect_before_repair(line, found);
}

TEST_F(CompareLineTest, AFailedRefundThatSucceededInTheBooksIsADifference) {
  const RefundId refund = new_refund();
  StatementLine line = refund_line(refund);
  line.status = LineStatus::failed;
  EXPECT_EQ(classes(compare(line)), "") << "no money moved on either side";
  EXPECT_EQ(compare(line).document.value, 0);
  world_.run(refund_result(refund, RefundEvidenceKind::refunded));
  EXPECT_EQ(classes(compare(line)), "refund_status");
}

TEST_F(CompareLineTest, ARefundOfTheChannelIsBookedOnce) {
  StatementLine line = refund_line(RefundId{1});
  line.out_refund_no = "console-1";
  const Comparison found = compare(line);
  EXPECT_EQ(classes(found), "external_refund");
  world_.run(std::get<RecordEvidence>(found.repair));
  const Comparison again = compare(line);
  EXPECT_TRUE(again.is_match());
  EXPECT_EQ(again.document.type, ObjectType::refund);
  expect_before_repair(line, found);
}

TEST_F(CompareLineTest, TheFeeIsComparedWithTheRateOfTheDay) {
  rates_ = {{.channel_account_id = kAccount, .basis_points = 60, .from_date = "2026-01-01"},
            {.channel_account_id = kAccount, .basis_points = 100, .from_date = "2026-09-21"},
            {.channel_account_id = ChannelAccountId{6}, .basis_points = 200, .from_date = "2026-01-01"}};
  StatementLine line = payment_line();  // 19.99 CNY: the fee is 0.12
  line.fee_e5 = 12'000;
  EXPECT_EQ(classes(compare(line)), "");
  line.fee_e5 = 11'994;  // stated with five digits
  EXPECT_EQ(classes(compare(line)), "");
  line.fee_e5 = 13'000;
  EXPECT_EQ(classes(compare(line)), "cost_mismatch");
  EXPECT_TRUE(compare(line).is_match());
}

TEST_F(CompareLineTest, ARefundReturnsAtMostItsShareOfTheFee) {
  const RefundId refund = new_refund();
  world_.run(refund_result(refund, RefundEvidenceKind::refunded));
  StatementLine line = refund_line(refund);  // 5.00 of 19.99 CNY: of the fee of 0.12, the share is 0.03
  line.fee_e5 = -500'000;
  EXPECT_EQ(classes(compare(line)), "") << "without a rate, nothing is compared";
  rates_ = {{.channel_account_id = kAccount, .basis_points = 60, .from_date = "2020-01-01"}};
  const std::pair<std::int64_t, std::string_view> rows[] = {
      {-5000, "cost_mismatch"}, {-4001, "cost_mismatch"}, {-4000, ""}, {-3000, ""}, {0, ""}, {3000, ""}};
  for (const auto& [fee_e5, found] : rows) {
    line.fee_e5 = fee_e5;
    EXPECT_EQ(classes(compare(line)), found) << fee_e5;
    EXPECT_TRUE(compare(line).is_match());
  }
  line.fee_e5 = -5000;
  rates_.push_back({.channel_account_id = kAccount, .basis_points = 100, .from_date = date_of(kNow, {})});
  EXPECT_EQ(classes(compare(line)), "") << "the rate of the day of the payment applies";
}

TEST_F(CompareLineTest, AFeeThatIsTooLargeToCompareIsADifference) {
  rates_ = {{.channel_account_id = kAccount, .basis_points = 10'000, .from_date = "2026-01-01"}};
  StatementLine line = payment_line();
  line.currency = Currency{{'J', 'P', 'Y'}};
  line.amount = limits::kAmountMax;
  EXPECT_EQ(classes(compare(line)), "currency_mismatch cost_mismatch");
}

TEST_F(CompareLineTest, TheRateOfTheMethodPrecedesTheGeneralRate) {
  rates_ = {{.channel_account_id = kAccount, .basis_points = 60, .from_date = "2026-02-01"},
            {.channel_account_id = kAccount, .method = "redirect", .basis_points = 38, .from_date = "2026-01-01"}};
  const LineContext context{.account = account_, .date = "2026-09-20", .rates = rates_};
  EXPECT_EQ(expected_cost(context, "redirect", kCny, 10'000), 38);
  EXPECT_EQ(expected_cost(context, "scan", kCny, 10'000), 60);
}

}  // namespace
}  // namespace finality::test
