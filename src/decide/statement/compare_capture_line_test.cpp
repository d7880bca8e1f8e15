// Tests of the comparison of a line with captures: their own trade number each, or one that they share.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "decide/statement/compare_line.h"
#include "decide/testing/test_world.h"
#include "model/out_trade_no.h"

namespace finality::test {
namespace {

constexpr ChannelAccountId kAccount{5};
constexpr OrderId kOrder{40};
constexpr AuthorizationId kAuthorization{41};
constexpr MinorUnits kCaptured = 700;

/// An authorization with two succeeded captures, and one that failed. The ids of captures are 51, 52, …, of their
/// receipts 61, 62.
class CompareCaptureLineTest : public testing::Test {
 protected:
  void make_order(bool shares_trade_no) {
    order_ = {};
    order_.order.id = kOrder;
    order_.order.merchant_id = kMerchant;
    Authorization& authorization = order_.authorizations.emplace_back();
    authorization.id = kAuthorization;
    authorization.order_id = kOrder;
    authorization.merchant_id = kMerchant;
    authorization.channel = "sandbox";
    authorization.channel_account_id = kAccount;
    authorization.method = "redirect";
    authorization.currency = kCny;
    authorization.out_trade_no = out_authorization_no(kMerchant, kOrder, 1);
    for (std::int64_t ordinal = 1; ordinal <= 3; ++ordinal) {
      Capture& capture = order_.captures.emplace_back();
      capture.id = CaptureId{50 + ordinal};
      capture.order_id = kOrder;
      capture.authorization_id = kAuthorization;
      capture.merchant_id = kMerchant;
      capture.channel_account_id = kAccount;
      capture.ordinal = ordinal;
      capture.amount = kCaptured;
      capture.currency = kCny;
      capture.state = ordinal == 3 ? CaptureState::failed : CaptureState::succeeded;
      capture.out_trade_no = out_capture_no(kMerchant, kOrder, ordinal);
      if (ordinal == 3) continue;
      Receipt& receipt = order_.receipts.emplace_back();
      receipt.id = ReceiptId{60 + ordinal};
      receipt.order_id = kOrder;
      receipt.capture_id = capture.id;
      receipt.merchant_id = kMerchant;
      receipt.channel = "sandbox";
      receipt.channel_account_id = kAccount;
      receipt.channel_trade_no = shares_trade_no ? "T" : fmt::format("T{}", ordinal);
      receipt.ordinal = shares_trade_no ? ordinal : 0;
      receipt.amount = kCaptured;
      receipt.currency = kCny;
      receipt.state = ReceiptState::accepted;
    }
  }
  static StatementLine line_of(std::string trade_no, std::string out_trade_no) {
    return {.line_no = 1,
            .kind = LineKind::payment,
            .channel_trade_no = std::move(trade_no),
            .out_trade_no = std::move(out_trade_no),
            .currency = kCny,
            .amount = kCaptured,
            .at = kNow};
  }
  static StatementLine capture_line(std::string trade_no, std::int64_t ordinal) {
    return line_of(std::move(trade_no), out_capture_no(kMerchant, kOrder, ordinal));
  }
  static StatementLine refund_line(StatementLine line, std::string out_refund_no) {
    line.kind = LineKind::refund;
    line.out_refund_no = std::move(out_refund_no);
    line.amount = 100;
    return line;
  }
  Refund& add_refund(ReceiptId receipt, RefundOrigin origin) {
    Refund& refund = order_.refunds.emplace_back();
    refund.id = RefundId{71};
    refund.order_id = kOrder;
    refund.merchant_id = kMerchant;
    refund.authorization_id = kAuthorization;
    refund.channel_account_id = kAccount;
    refund.origin = origin;
    refund.receipt_id = receipt;
    refund.amount = 100;
    refund.currency = kCny;
    refund.state = RefundState::succeeded;
    refund.out_refund_no = origin == RefundOrigin::merchant ? out_number(kMerchant, refund.id.value) : "";
    if (origin == RefundOrigin::channel) refund.channel_refund_no = "console-1";
    return refund;
  }
  Comparison compare(const StatementLine& line, StatementSource source = StatementSource::fetched) const {
    const LineContext context{.account = account_, .date = "2026-09-20", .source = source, .rates = rates_};
    return compare_line(line, context, &order_, nullptr);
  }
  static std::string classes(const Comparison& found) {
    std::vector<std::string_view> names;
    for (const DifferenceClass one : found.classes) names.push_back(name_of(one));
    return fmt::format("{}", fmt::join(names, " "));
  }

  ChannelAccount account_{.id = kAccount, .channel = "sandbox", .kind = "sandbox"};
  OrderAggregate order_;
  std::vector<ChannelRate> rates_;
};

TEST_F(CompareCaptureLineTest, ALineNamesTheOrderOfItsCapture) {
  for (const std::string& number : {out_capture_no(kMerchant, kOrder, 2), out_authorization_no(kMerchant, kOrder, 1),
                                    out_release_no(out_authorization_no(kMerchant, kOrder, 1), 3)}) {
    const StatementLine line = line_of("T2", number);
    const LineReads reads = reads_of(account_, line);
    EXPECT_EQ(reads.merchant_id, kMerchant);
    EXPECT_EQ(reads.order_id, kOrder);
    EXPECT_FALSE(reads.payment_id);
    EXPECT_EQ(merchant_of(line), kMerchant);
    ReadSet declared;
    add_reads_of_order(reads, declared);
    EXPECT_EQ(declared.orders, std::vector{kOrder});
    WorkingSet rows;
    rows.orders.load(kOrder, order_);
    EXPECT_EQ(find_order(reads, rows), rows.orders.find(kOrder));
  }
}

TEST_F(CompareCaptureLineTest, ACaptureAgreesWithItsOwnReceipt) {
  for (const bool shares_trade_no : {false, true}) {
    make_order(shares_trade_no);
    for (const std::int64_t ordinal : {1, 2}) {
      const std::string trade_no = shares_trade_no ? "T" : fmt::format("T{}", ordinal);
      const Comparison found = compare(capture_line(trade_no, ordinal));
      EXPECT_TRUE(found.is_match());
      EXPECT_EQ(classes(found), "");
      EXPECT_EQ(found.document, ObjectRef(ReceiptId{60 + ordinal}));
      EXPECT_EQ(found.order_id, kOrder);
      EXPECT_EQ(found.merchant_id, kMerchant);
    }
  }
}

TEST_F(CompareCaptureLineTest, EachDeviationOfACaptureHasItsClass) {
  make_order(false);
  const struct {
    void (*change)(StatementLine&);
    std::string_view classes;
  } rows[] = {
      {[](StatementLine& line) { line.amount += 1; }, "amount_mismatch"},
      {[](StatementLine& line) { line.currency = kUsd; }, "currency_mismatch"},
      {[](StatementLine& line) { line.discount = 10; }, "discount_mismatch"},
      {[](StatementLine& line) { line.channel_trade_no = "T1"; }, "identity_conflict"},
      {[](StatementLine& line) { line.channel_trade_no = "T9"; }, "late_status"},
      {[](StatementLine& line) { line.out_trade_no = out_capture_no(kMerchant, kOrder, 9); }, "unknown_receipt"},
      {[](StatementLine& line) { line.out_trade_no = out_authorization_no(kMerchant, kOrder, 1); }, "unknown_receipt"},
  };
  for (const auto& row : rows) {
    StatementLine line = capture_line("T2", 2);
    row.change(line);
    EXPECT_EQ(classes(compare(line)), row.classes);
  }
}

TEST_F(CompareCaptureLineTest, ACaptureWithoutAReceiptIsRepairedByEvidenceAboutIt) {
  for (const bool shares_trade_no : {false, true}) {
    make_order(shares_trade_no);
    const Comparison found = compare(capture_line(shares_trade_no ? "T" : "T3", 3));
    EXPECT_EQ(classes(found), "late_status") << "the receipt of another capture is not its receipt";
    const auto& command = std::get<RecordCapture>(found.repair);
    EXPECT_EQ(command.merchant_id, kMerchant);
    EXPECT_EQ(command.order_id, kOrder);
    EXPECT_EQ(command.channel, "sandbox");
    EXPECT_EQ(command.out_trade_no, out_capture_no(kMerchant, kOrder, 3));
    EXPECT_EQ(command.evidence.kind, EvidenceKind::paid);
    EXPECT_EQ(command.evidence.source, CauseKind::statement);
    EXPECT_EQ(command.evidence.amount, kCaptured);
  }
}

// The channel refused the third capture and made it all the same: a captured total showed it first.
TEST_F(CompareCaptureLineTest, ACaptureThatWasBookedFromATotalAgreesWithThatReceipt) {
  make_order(false);
  order_.captures[2].channel_trade_no = "T3";
  order_.cases.push_back({.id = CaseId{90},
                          .root_id = kOrder.value,
                          .merchant_id = kMerchant,
                          .kind = CaseKind::conflicting_result,
                          .object_type = ObjectType::capture,
                          .object_id = 53});
  Capture total = order_.captures[2];
  total.id = CaptureId{54};
  total.ordinal = 4;
  total.origin = CaptureOrigin::channel;
  total.state = CaptureState::succeeded;
  total.out_trade_no.clear();
  order_.captures.push_back(total);
  Receipt receipt = order_.receipts.front();
  receipt.id = ReceiptId{64};
  receipt.capture_id = total.id;
  receipt.channel_trade_no = "AUTH";
  receipt.ordinal = 4;
  order_.receipts.push_back(receipt);
  const Comparison found = compare(capture_line("T3", 3));
  EXPECT_EQ(classes(found), "");
  EXPECT_EQ(found.document, ObjectRef(ReceiptId{64}));
  const Comparison refund = compare(refund_line(capture_line("T3", 3), "console-1"));
  EXPECT_EQ(std::get<RecordCapture>(refund.repair).out_trade_no, out_capture_no(kMerchant, kOrder, 3));
}

/// The second capture was made in the channel's console: its line names no number of ours.
class ConsoleCaptureLineTest : public CompareCaptureLineTest {
 protected:
  ConsoleCaptureLineTest() {
    make_order(false);
    order_.captures[1].origin = CaptureOrigin::channel;
    order_.captures[1].out_trade_no = kNumber;
  }
  /// The key of the trade refers to `id`: the order, or an unknown receipt.
  WorkingSet rows_with_key(std::int64_t id) const {
    WorkingSet rows;
    const Hash16 key = key_at_platform("sandbox", "T2");
    rows.keys.load(key, Key{key, kPlatform, id});
    rows.orders.load(kOrder, order_);
    return rows;
  }

  static constexpr const char* kNumber = "console-1";
};

TEST_F(ConsoleCaptureLineTest, ItsOrderIsFoundByTheTrade) {
  const LineReads reads = reads_of(account_, line_of("T2", kNumber));
  EXPECT_FALSE(reads.is_named());
  ReadSet declared;
  add_reads(reads, declared);
  EXPECT_EQ(hashes_of(declared, ObjectType::order), std::vector{key_at_platform("sandbox", "T2")});
  WorkingSet rows = rows_with_key(kOrder.value);
  EXPECT_EQ(order_of_trade(reads, rows), kOrder);
  EXPECT_EQ(find_order(reads, rows), rows.orders.find(kOrder));
  EXPECT_FALSE(order_of_trade(reads_of(account_, capture_line("T2", 2)), rows)) << "the line names its order";
  EXPECT_EQ(find_order(reads, WorkingSet()), nullptr) << "the key is not loaded";
}

TEST_F(ConsoleCaptureLineTest, AnUnknownReceiptOfTheTradeIsNoOrder) {
  WorkingSet rows = rows_with_key(80);
  UnknownReceiptAggregate unknown;
  unknown.unknown_receipt.id = UnknownReceiptId{80};
  unknown.unknown_receipt.amount = kCaptured;
  unknown.unknown_receipt.currency = kCny;
  rows.unknown_receipts.load(unknown.unknown_receipt.id, unknown);
  const StatementLine line = line_of("T2", kNumber);
  EXPECT_FALSE(order_of_trade(reads_of(account_, line), rows));
  const LineContext context{.account = account_, .date = "2026-09-20", .rates = {}};
  EXPECT_EQ(compare_line(line, context, rows).document, ObjectRef(UnknownReceiptId{80}));
}

TEST_F(ConsoleCaptureLineTest, IsComparedWithTheReceiptOfItsTrade) {
  const struct {
    void (*change)(StatementLine&);
    std::string_view classes;
    ObjectRef document = ObjectRef(ReceiptId{62});
  } rows[] = {
      {[](StatementLine&) {}, ""},
      {[](StatementLine& line) { line.out_trade_no.clear(); }, ""},
      {[](StatementLine& line) { line.amount += 1; }, "amount_mismatch"},
      {[](StatementLine& line) { line.channel_trade_no = "T1"; }, "unknown_receipt", ObjectRef(ReceiptId{0})},
  };
  for (const auto& row : rows) {
    StatementLine line = line_of("T2", kNumber);
    row.change(line);
    const Comparison found = compare(line);
    EXPECT_EQ(classes(found), row.classes);
    EXPECT_EQ(found.document, row.document);
  }
}

TEST_F(ConsoleCaptureLineTest, ARefundInTheConsoleIsEvidenceAboutIt) {
  const StatementLine line = refund_line(line_of("T2", kNumber), "console-refund");
  const Comparison found = compare(line);
  EXPECT_EQ(classes(found), "external_refund");
  EXPECT_EQ(std::get<RecordCapture>(found.repair).out_trade_no, kNumber);
  add_refund(ReceiptId{62}, RefundOrigin::channel).channel_refund_no = "console-refund";
  EXPECT_EQ(compare(line).document, ObjectRef(RefundId{71}));
}

TEST_F(CompareCaptureLineTest, AnUploadedCaptureQueriesItsAuthorization) {
  make_order(false);
  const Comparison found = compare(capture_line("T3", 3), StatementSource::uploaded);
  EXPECT_EQ(classes(found), "late_status");
  const auto& command = std::get<QueryAuthorization>(found.repair);
  EXPECT_EQ(command.order_id, kOrder);
  EXPECT_EQ(command.authorization_id, kAuthorization);
}

TEST_F(CompareCaptureLineTest, TheFeeIsComparedWithTheRateOfTheAuthorizationsMethod) {
  make_order(false);
  rates_ = {{.channel_account_id = kAccount, .basis_points = 60, .from_date = "2026-01-01"},
            {.channel_account_id = kAccount, .method = "redirect", .basis_points = 100, .from_date = "2026-01-01"}};
  StatementLine line = capture_line("T1", 1);
  line.fee_e5 = 7'000;
  EXPECT_EQ(classes(compare(line)), "");
  line.fee_e5 = 4'200;
  EXPECT_EQ(classes(compare(line)), "cost_mismatch");
}

TEST_F(CompareCaptureLineTest, ACaptureOfAnotherChannelAccountIsAnIdentityConflict) {
  make_order(false);
  account_.id = ChannelAccountId{6};
  EXPECT_EQ(classes(compare(capture_line("T1", 1))), "identity_conflict");
}

TEST_F(CompareCaptureLineTest, ARefundOfACaptureAgrees) {
  make_order(false);
  add_refund(ReceiptId{62}, RefundOrigin::merchant).capture_id = CaptureId{52};
  const Comparison found = compare(refund_line(capture_line("T2", 2), out_number(kMerchant, 71)));
  EXPECT_TRUE(found.is_match());
  EXPECT_EQ(found.document, ObjectRef(RefundId{71}));
}

TEST_F(CompareCaptureLineTest, RefundsOfASharedTradeBelongToItsFirstAcceptedReceipt) {
  make_order(true);
  const std::string authorization = out_authorization_no(kMerchant, kOrder, 1);
  const StatementLine lines[] = {refund_line(capture_line("T", 2), "console-1"),
                                 refund_line(line_of("T", authorization), "console-1")};
  for (const StatementLine& line : lines) {
    const Comparison found = compare(line);
    EXPECT_EQ(classes(found), "external_refund");
    const auto& command = std::get<RecordCapture>(found.repair);
    EXPECT_EQ(command.out_trade_no, out_capture_no(kMerchant, kOrder, 1));
    EXPECT_EQ(command.evidence.refund.value_or(ReportedRefund{}).number, "console-1");
  }
  add_refund(ReceiptId{61}, RefundOrigin::channel);
  for (const StatementLine& line : lines) EXPECT_EQ(compare(line).document, ObjectRef(RefundId{71}));
}

}  // namespace
}  // namespace finality::test
