#include "worker/statements/index/line_index.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "model/out_trade_no.h"
#include "store/memory/store.h"
#include "store/memory/tables.h"
#include "worker/statements/sealed_file.h"

namespace finality {
namespace {

constexpr ChannelAccountId kAccount{5};
constexpr StatementId kStatement{20};
constexpr MerchantId kShop{7};
constexpr MerchantId kRareShop{8};
constexpr MerchantId kOtherShop{9};
constexpr std::int64_t kLines = 3000;
constexpr std::int64_t kRareEvery = 1000;  // one line of the rare shop

class LineIndexTest : public testing::Test {
 protected:
  LineIndexTest() {
    for (std::int64_t i = 1; i <= kLines; ++i) lines_.push_back(line(i));
    statement_.id = kStatement;
    statement_.sha256 = sha256_hex("file");
    store(lines_);
  }

  // Every third line names no merchant.
  static StatementLine line(std::int64_t number) {
    StatementLine line{.line_no = 2 * number, .kind = LineKind::payment, .channel_trade_no = std::to_string(number)};
    if (number % kRareEvery == 0)
      line.out_trade_no = out_number(kRareShop, number);
    else if (number % 3 != 0)
      line.out_trade_no = out_number(kShop, number);
    line.amount = -number;
    line.at = Time{number};
    if (number % 2 == 0) line.balance = number;
    return line;
  }
  void store(const std::vector<StatementLine>& lines) {
    LineIndexBuilder builder(key_, statement_.sha256, kAccount);
    for (const StatementLine& one : lines) builder.add(one);
    std::int64_t part_no = 0;
    tables_->statement_parts.clear();
    for (const Bytes& part : builder.finish()) {
      --part_no;
      tables_->statement_parts[{kStatement, part_no}] = {kStatement, part_no, kPlatform, part};
    }
    statement_.index_parts = -part_no;
  }
  LinePage read(const LineQuery& query) {
    auto page = read_line_index(key_, statement_, query, *reader_);
    EXPECT_TRUE(page) << page.error().message;
    return page ? *std::move(page) : LinePage{};
  }
  /// Reads all pages.
  std::vector<std::int64_t> numbers(LineQuery query) {
    std::vector<std::int64_t> numbers;
    for (bool has_more = true; has_more;) {
      const LinePage page = read(query);
      has_more = page.has_more;
      for (const IndexedLine& one : page.lines) numbers.push_back(one.line.line_no);
      if (!numbers.empty()) query.after = numbers.back();
    }
    return numbers;
  }
  std::vector<std::int64_t> numbers_of(std::optional<MerchantId> merchant) const {
    std::vector<std::int64_t> numbers;
    for (const StatementLine& one : lines_) {
      const auto number = parse_out_trade_no(one.out_trade_no);
      if (!merchant || (number && number->merchant_id == *merchant)) numbers.push_back(one.line_no);
    }
    return numbers;
  }

  Secret key_ = statement_key_of(Secret("a secret of at least 32 characters"));
  Statement statement_;
  std::vector<StatementLine> lines_;
  std::shared_ptr<memory::Tables> tables_ = std::make_shared<memory::Tables>();
  memory::MemoryStore store_{tables_};
  std::unique_ptr<Reader> reader_ = *store_.open_reader();
};

TEST_F(LineIndexTest, PagesContainAllLinesOfAMerchantOrOfAll) {
  for (const std::optional<MerchantId> merchant :
       {std::optional<MerchantId>(), std::optional(kShop), std::optional(kRareShop)})
    for (const std::size_t limit : {std::size_t{7}, std::size_t{100}})
      EXPECT_EQ(numbers({.merchant = merchant, .limit = limit}), numbers_of(merchant)) << limit;
}

TEST_F(LineIndexTest, ALineIsReadAsItWasWritten) {
  const StatementLine& written = lines_[1];
  const LinePage page = read({.after = written.line_no - 1, .limit = 1});
  ASSERT_EQ(page.lines.size(), 1U);
  const StatementLine& found = page.lines.front().line;
  EXPECT_EQ(found.line_no, written.line_no);
  EXPECT_EQ(found.balance, written.balance);
  EXPECT_EQ(found.amount, written.amount);
  EXPECT_EQ(key_of_line(kAccount, found, 0), key_of_line(kAccount, written, 0));
}

TEST_F(LineIndexTest, EqualLinesAreCountedOverTheWholeFile) {
  std::vector<StatementLine> lines = lines_;
  lines.push_back(lines.front());
  lines.back().line_no = 2 * kLines + 1;
  store(lines);
  EXPECT_EQ(read({.after = 2 * kLines}).lines.at(0).ordinal, 1);
}

TEST_F(LineIndexTest, TheEndOfTheLinesDiffersFromAMerchantWithoutLines) {
  EXPECT_FALSE(read({.merchant = kOtherShop}).is_of_merchant);
  const LinePage end = read({.merchant = kRareShop, .after = 2 * kLines});
  EXPECT_TRUE(end.is_of_merchant);
  EXPECT_TRUE(end.lines.empty());
}

TEST_F(LineIndexTest, AFileWithoutLinesHasAnIndex) {
  store({});
  EXPECT_EQ(statement_.index_parts, 1);
  EXPECT_TRUE(read({}).lines.empty());
  EXPECT_FALSE(read({.merchant = kShop}).is_of_merchant);
}

TEST_F(LineIndexTest, APageReadsFewParts) {
  // Deletes a part at a time: most pages are still read.
  const auto parts = tables_->statement_parts;
  std::size_t needed = 0;
  for (const auto& [place, part] : parts) {
    tables_->statement_parts.erase(place);
    if (!read_line_index(key_, statement_, {.merchant = kShop, .after = kLines}, *reader_)) ++needed;
    tables_->statement_parts[place] = part;
  }
  EXPECT_GT(parts.size(), 20U);
  EXPECT_LT(needed, 8U);
}

TEST_F(LineIndexTest, AnotherKeyOrAMissingPartIsAnError) {
  const Secret other = statement_key_of(Secret("another secret with 32 characters"));
  EXPECT_FALSE(read_line_index(other, statement_, {}, *reader_));
  tables_->statement_parts.erase({kStatement, -2});
  EXPECT_FALSE(read_line_index(key_, statement_, {}, *reader_));
}

}  // namespace
}  // namespace finality
