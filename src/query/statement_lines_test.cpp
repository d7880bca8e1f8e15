// Tests of the lines of a statement with what the comparison found, with a store in memory.
#include "query/statement_lines.h"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "decide/statement/record_difference.h"
#include "model/natural_key.h"
#include "model/out_trade_no.h"
#include "store/memory/store.h"
#include "store/memory/tables.h"

namespace finality::query {
namespace {

const Currency kCny = *parse_currency("CNY");
constexpr MerchantId kShop{7};
constexpr MerchantId kOther{8};
constexpr OrderId kOrder{10};
constexpr PaymentId kPayment{11};
constexpr ReceiptId kReceipt{12};
constexpr RefundId kRefund{13};
constexpr ChannelAccountId kAccount{5};
constexpr StatementId kStatement{20};
constexpr MinorUnits kAmount = 100;

class FundsLinesTest : public testing::Test {
 protected:
  FundsLinesTest() {
    OrderAggregate order;
    order.order.id = kOrder;
    order.order.merchant_id = kShop;
    Payment& payment = order.payments.emplace_back();
    payment.id = kPayment;
    payment.merchant_id = kShop;
    payment.order_id = kOrder;
    payment.channel_account_id = kAccount;
    Receipt& receipt = order.receipts.emplace_back();
    receipt.id = kReceipt;
    receipt.payment_id = kPayment;
    receipt.channel_trade_no = "T1";
    receipt.amount = kAmount;
    receipt.currency = kCny;
    order.refunds.emplace_back().id = kRefund;
    order.order.children = presence_of(order);
    StatementAggregate statement;
    statement.statement.id = kStatement;
    statement.statement.channel_account_id = kAccount;
    statement.statement.channel = "sandbox";
    statement.statement.kind = StatementKind::funds;
    statement.statement.date = "2026-09-20";
    statement.statement.parts = 1;
    statement.statement.index_parts = 1;
    const std::unique_lock lock(tables_->mutex);
    for (const ObjectRef child : {ObjectRef(kPayment), ObjectRef(kReceipt), ObjectRef(kRefund)})
      tables_->roots[child] = kOrder;
    tables_->of<OrderAggregate>().emplace(kOrder, std::move(order));
    tables_->of<StatementAggregate>().emplace(kStatement, std::move(statement));
    tables_->of<ChannelAccount>().emplace(kAccount,
                                          ChannelAccount{.id = kAccount, .channel = "sandbox", .kind = "sandbox"});
    for (const std::int64_t part_no : {0, -1})
      tables_->statement_parts[{kStatement, part_no}] = {.statement_id = kStatement, .part_no = part_no};
  }

  void add_difference(DifferenceId id, MerchantId merchant, const std::string& subject, std::int64_t line_no) {
    Difference row;
    row.id = id;
    row.merchant_id = merchant;
    row.line_no = line_no;
    row.line = key_of_line(kAccount, lines_[static_cast<std::size_t>(line_no) - 1], 0);
    const Hash16 key = key_of_difference(merchant, kAccount, subject);
    const std::unique_lock lock(tables_->mutex);
    tables_->of<DifferenceAggregate>().emplace(id, DifferenceAggregate{row, {}});
    tables_->of<Key>().emplace(key, Key{key, merchant, id.value});
  }
  /// The index of a file with `lines_`, of which the first two are of the shop.
  Shown list(std::optional<MerchantId> merchant, StatementId id = kStatement) {
    const auto index_of = [this](const Statement&, const LineQuery& query, Reader&) {
      ++index_reads_;
      LinePage page{.is_of_merchant = !query.merchant || query.merchant == kShop};
      for (const StatementLine& line : lines_)
        if (!query.merchant || (page.is_of_merchant && line.line_no < unknown_.line_no))
          page.lines.push_back({line, 0});
      return Result<LinePage>(page);
    };
    return list_statement_lines(*reader_, id, {.merchant = merchant}, sources_, index_of);
  }
  std::string lines_of(std::optional<MerchantId> merchant) {
    const Shown shown = list(merchant);
    EXPECT_TRUE(shown);
    return shown ? *shown : std::string();
  }
  /// The refusal of a list.
  Refusal refused(std::optional<MerchantId> merchant, StatementId id = kStatement) {
    const Shown shown = list(merchant, id);
    EXPECT_FALSE(shown);
    return shown ? Refusal{} : shown.error();
  }
  /// Expects that the merchant gets the refusal of a statement that does not exist.
  void expect_hidden(MerchantId merchant, const char* reason) {
    const Refusal missing = refused(merchant, StatementId{kStatement.value + 1});
    const Refusal hidden = refused(merchant);
    EXPECT_EQ(hidden.code, RefusalCode::not_found) << reason;
    EXPECT_EQ(hidden.code, missing.code) << reason;
    EXPECT_EQ(hidden.detail, missing.detail) << reason;
  }
  Statement& statement() { return tables_->of<StatementAggregate>().at(kStatement).statement; }
  static bool contains(const std::string& text, DifferenceId id) {
    return text.find("\"difference\":\"" + to_text(id) + '"') != std::string::npos;
  }

  const StatementLine paid_{.line_no = 1,
                            .kind = LineKind::payment,
                            .channel_trade_no = "T1",
                            .out_trade_no = out_number(kShop, kPayment.value),
                            .currency = kCny,
                            .amount = kAmount + 1,
                            .balance = 500};
  const StatementLine refunded_{.line_no = 2,
                                .kind = LineKind::refund,
                                .out_refund_no = out_number(kShop, kRefund.value),
                                .currency = kCny,
                                .amount = -30};
  const StatementLine unknown_{.line_no = 3, .kind = LineKind::other, .currency = kCny, .amount = -1};
  std::vector<StatementLine> lines_{paid_, refunded_, unknown_};
  std::shared_ptr<memory::Tables> tables_ = std::make_shared<memory::Tables>();
  memory::MemoryStore store_{tables_};
  std::unique_ptr<Reader> reader_ = std::move(*store_.open_reader());
  StatementSources sources_{{"sandbox", nullptr}};  // only the name is used
  int index_reads_ = 0;
};

TEST_F(FundsLinesTest, AMerchantSeesTheDifferencesOfItsDocumentsOnly) {
  const DifferenceId amount{31};
  const DifferenceId repeated{32};
  const DifferenceId unknown{33};
  add_difference(amount, kShop, funds_subject_of(ObjectRef(kReceipt)), 1);
  add_difference(repeated, kShop, funds_subject_of(key_of_line(kAccount, refunded_, 0)), 2);
  add_difference(unknown, kPlatform, funds_subject_of(key_of_line(kAccount, unknown_, 0)), 3);
  const std::string all = lines_of(std::nullopt);
  for (const DifferenceId id : {amount, repeated, unknown}) EXPECT_TRUE(contains(all, id)) << all;
  const std::string own = lines_of(kShop);
  EXPECT_TRUE(contains(own, amount)) << own;
  EXPECT_TRUE(contains(own, repeated)) << own;
  EXPECT_EQ(own.find("\"line_no\":3"), std::string::npos) << own;
}

TEST_F(FundsLinesTest, AMerchantGetsOneRefusalForAllStatementsWithoutItsLines) {
  expect_hidden(kOther, "the lines are of other merchants");
  statement().index_parts = 0;
  expect_hidden(kShop, "the lines are not indexed yet");
  sources_.clear();
  expect_hidden(kShop, "the account is not configured");
  statement().state = StatementState::rejected;
  expect_hidden(kShop, "the file was rejected");
  tables_->statement_parts.clear();
  statement().state = StatementState::matched;
  expect_hidden(kShop, "the file has expired");
  statement().index_parts = 1;
  expect_hidden(kShop, "the index has expired");
  statement().parts = statement().index_parts = 0;
  for (const StatementState state : {StatementState::expected, StatementState::downloading, StatementState::empty}) {
    statement().state = state;
    expect_hidden(kShop, "the statement has no file");
  }
}

TEST_F(FundsLinesTest, AStatementWithoutAnIndexIsRefusedWithoutReadingItsFile) {
  statement().index_parts = 0;
  EXPECT_EQ(refused(std::nullopt).code, RefusalCode::busy);
  tables_->statement_parts.clear();
  EXPECT_EQ(refused(std::nullopt).code, RefusalCode::file_expired);
  EXPECT_EQ(index_reads_, 0);
}

TEST_F(FundsLinesTest, AFileThatTheServerCannotIndexIsNotBusy) {
  statement().index_parts = 0;
  sources_.clear();
  const Refusal refusal = refused(std::nullopt);
  EXPECT_EQ(refusal.code, RefusalCode::not_found);
  EXPECT_TRUE(refusal.detail.contains("has no account sandbox. Add the account again")) << refusal.detail;
  statement().index_parts = 1;
  EXPECT_NE(lines_of(std::nullopt).find("\"line_no\":1"), std::string::npos) << "an index needs no format";
}

TEST_F(FundsLinesTest, AnExpiredIndexIsNotRead) {
  tables_->statement_parts.clear();
  EXPECT_EQ(refused(std::nullopt).code, RefusalCode::file_expired);
  EXPECT_EQ(index_reads_, 0);
}

TEST_F(FundsLinesTest, AnEmptyDayHasNoLines) {
  statement().state = StatementState::empty;
  statement().parts = statement().index_parts = 0;
  const std::string empty = lines_of(std::nullopt);
  EXPECT_NE(empty.find("\"data\":[]"), std::string::npos) << empty;
  EXPECT_EQ(index_reads_, 0);
}

TEST_F(FundsLinesTest, TheBalanceAfterALineIsNotShownToAMerchant) {
  EXPECT_NE(lines_of(std::nullopt).find("\"balance\":500"), std::string::npos);
  const std::string own = lines_of(kShop);
  EXPECT_NE(own.find("\"line_no\":1"), std::string::npos) << own;
  EXPECT_EQ(own.find("balance"), std::string::npos) << own;
}

TEST_F(FundsLinesTest, ADifferenceAboutAnotherLineIsNotShown) {
  add_difference(DifferenceId{31}, kShop, funds_subject_of(ObjectRef(kRefund)), 1);
  EXPECT_FALSE(contains(lines_of(kShop), DifferenceId{31}));
}

}  // namespace
}  // namespace finality::query
