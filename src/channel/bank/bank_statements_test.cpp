#include "channel/bank/bank_statements.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "channel/bank/testing/test_bank_files.h"
#include "channel/testing/hostile_files.h"

namespace finality::bank {
namespace {

using namespace bank_test;

TEST(BankStatements, AreUploadedOnly) {
  const BankStatements statements(kAccount);
  EXPECT_TRUE(statements.statement_plan().kinds.empty());
  EXPECT_TRUE(statements.statement_plan().can_upload(StatementKind::bank));
  EXPECT_FALSE(statements.statement_plan().can_download(StatementKind::bank));
  ParseBudget budget(0);
  EXPECT_EQ(statements.request_of(kCall, Time{}).error().message,
            "the statement of a bank account is uploaded, not downloaded");
  EXPECT_FALSE(statements.statement_answer_of(kCall, {}, Time{}));
  EXPECT_FALSE(statements.file_of({}, {}, budget));
}

TEST(BankStatements, AreExpectedOnlyIfAskedFor) {
  EXPECT_FALSE(BankStatements(kAccount).statement_plan().are_uploads_expected);
  const BankStatements expected(kAccount, std::chrono::days(3));
  EXPECT_TRUE(expected.statement_plan().are_uploads_expected);
  EXPECT_EQ(expected.statement_plan().late_after, std::chrono::days(3));
}

TEST(BankStatements, InvalidCallsAreRefused) {
  EXPECT_FALSE(read(kCsv, {.kind = StatementKind::trades, .date = "2026-09-21"}).sums);
  EXPECT_FALSE(read(kCsv, {.kind = StatementKind::bank, .funds_account = "X", .date = "2026-09-21"}).sums);
  EXPECT_FALSE(read(kCsv, {.kind = StatementKind::bank, .date = "2026-09-31"}).sums);
  EXPECT_FALSE(read(kCsv, {.kind = StatementKind::bank, .date = "2026-09-22"}).sums);
}

TEST(BankStatements, TheContentDeterminesTheFormat) {
  for (const std::string& file : {camt_02(), camt_08(), kCsv}) {
    const ParsedStatement plain = read(file);
    ASSERT_TRUE(plain.sums) << plain.error();
    for (const std::string& same : {gzip(file), with_crlf(file), "\xEF\xBB\xBF" + file})
      EXPECT_EQ(read(same).texts(), plain.texts()) << read(same).error();
    EXPECT_FALSE(read(gzip(file).substr(0, 40)).sums);
  }
}

TEST(BankStatements, TheSinkStopsTheParser) {
  for (const std::string& file : {camt_02(), kCsv}) {
    int lines = 0;
    ParseBudget budget(file.size());
    const auto sums = BankStatements(kAccount).parse(kCall, file, budget, [&](StatementLine&&) { return ++lines < 1; });
    ASSERT_TRUE(sums) << sums.error().message;
    EXPECT_EQ(lines, 1);
    ASSERT_EQ(sums->size(), 1u);
    EXPECT_EQ(sums->front().lines, 1);
  }
}

TEST(BankStatements, HostileFilesAreRefusedWithinTheBudget) {
  expect_hostile_files_refused(BankStatements(kAccount), kCall);
}

TEST(BankStatements, TheBudgetAndItsStopEndTheParser) {
  for (const std::string& file : {camt_02(), kCsv}) expect_budget_kept(BankStatements(kAccount), kCall, file);
}

TEST(BankStatements, ArbitraryFilesAreRejected) {
  EXPECT_TRUE(rc::check("arbitrary bytes are no statement",
                        [](const std::string& bytes) { RC_ASSERT(!read(bytes).sums && !read('<' + bytes).sums); }));
  EXPECT_TRUE(rc::check("a corrupt statement is parsed or rejected", [] {
    std::string file = *rc::gen::element(camt_02(), camt_08(), kCsv);
    file[*rc::gen::inRange<std::size_t>(0, file.size())] = *rc::gen::arbitrary<char>();
    (void)read(file);
  }));
}

TEST(MaskedNumber, ShowsTheLastCharacters) {
  EXPECT_EQ(masked_number("DE02120300000000202051"), "***2051");
  EXPECT_EQ(masked_number("12345"), "***45");
}

}  // namespace
}  // namespace finality::bank
