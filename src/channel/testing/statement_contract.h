// Contract suite for the files of statements: what every channel that implements Statements must do with genuine,
// truncated, corrupt and arbitrary files.
//
// The Subject of ChannelContract has one more function:
//
//   /// Returns a genuine file, not packed, with a payment and a refund.
//   static std::string statement_file(const StatementCall&);
//
//   INSTANTIATE_TYPED_TEST_SUITE_P(Name, StatementContract, Subject);
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "channel/testing/channel_contract.h"
#include "channel/testing/hostile_files.h"
#include "channel/testing/statement_fixtures.h"

namespace finality::channel_contract {

template <class Subject>
class StatementContract : public testing::Test {
 protected:
  std::unique_ptr<Channel> channel_ = Subject::make();
};

TYPED_TEST_SUITE_P(StatementContract);

TYPED_TEST_P(StatementContract, InvalidStatementCallsAreRefused) {
  const Statements* statements = this->channel_->statements();
  const auto is_refused = [&](const StatementCall& call) {
    return !statements->request_of(call, kNow) &&
           !parsed(*statements, call, TypeParam::statement_file(kStatement)).sums;
  };
  for (const char* date : {"", "2026-02-29", "2026-9-21", "2026-09-21&x=", "2026-09", "20260921", "2026-09-21 "})
    EXPECT_TRUE(is_refused({.kind = StatementKind::trades, .date = date})) << date;
  EXPECT_TRUE(is_refused({.kind = StatementKind::bank, .date = kStatement.date}));
  EXPECT_TRUE(is_refused({.kind = StatementKind::funds, .funds_account = "OTHER&x=", .date = kStatement.date}));
  EXPECT_TRUE(is_refused({.kind = StatementKind::trades, .funds_account = "BASIC", .date = kStatement.date}));
}

TYPED_TEST_P(StatementContract, AStatementIsParsedPackedOrNot) {
  for (const StatementCall& call : all_statement_calls(*this->channel_)) {
    const std::string file = TypeParam::statement_file(call);
    const ParsedStatement plain = parsed(*this->channel_->statements(), call, file);
    ASSERT_TRUE(plain.sums) << plain.sums.error().message;
    EXPECT_GE(plain.lines.size(), 2U);
    std::vector<StatementSums> sums;
    for (const StatementLine& line : plain.lines) ASSERT_TRUE(add_line(sums, line));
    ASSERT_EQ(sums.size(), plain.sums->size());
    for (std::size_t i = 0; i < sums.size(); ++i) expect_same_counts(sums[i], (*plain.sums)[i]);
    const ParsedStatement packed = parsed(*this->channel_->statements(), call, gzip(file));
    ASSERT_TRUE(packed.sums) << packed.sums.error().message;
    EXPECT_EQ(packed.texts(), plain.texts());
    EXPECT_EQ(parsed(*this->channel_->statements(), call, with_crlf(file)).texts(), plain.texts());
  }
}

TYPED_TEST_P(StatementContract, ATruncatedStatementIsRejected) {
  for (const StatementCall& call : all_statement_calls(*this->channel_)) {
    const std::string file = TypeParam::statement_file(call);
    const std::vector<std::string> whole = parsed(*this->channel_->statements(), call, file).texts();
    for (std::size_t size = 0; size < file.size(); ++size) {
      const ParsedStatement part = parsed(*this->channel_->statements(), call, file.substr(0, size));
      if (part.sums) ASSERT_EQ(part.texts(), whole) << "only bytes without meaning are missing after " << size;
    }
  }
}

TYPED_TEST_P(StatementContract, AStatementOfAnotherDayOrKindIsRejected) {
  const std::vector<StatementCall> calls = all_statement_calls(*this->channel_);
  for (const StatementCall& call : calls) {
    StatementCall next_day = call;
    next_day.date = "2026-09-22";
    EXPECT_FALSE(parsed(*this->channel_->statements(), next_day, TypeParam::statement_file(call)).sums);
    for (const StatementCall& other : calls)
      if (other.kind != call.kind)
        EXPECT_FALSE(parsed(*this->channel_->statements(), other, TypeParam::statement_file(call)).sums);
  }
}

TYPED_TEST_P(StatementContract, TheSinkStopsTheParser) {
  for (const StatementCall& call : all_statement_calls(*this->channel_)) {
    int lines = 0;
    ParseBudget budget(0);
    const auto sums = this->channel_->statements()->parse(call, TypeParam::statement_file(call), budget,
                                                          [&](StatementLine&&) { return ++lines < 1; });
    ASSERT_TRUE(sums) << sums.error().message;
    EXPECT_EQ(lines, 1);
    ASSERT_EQ(sums->size(), 1U);
    EXPECT_EQ(sums->front().lines, 1);
  }
}

TYPED_TEST_P(StatementContract, ArbitraryFilesAreRejected) {
  for (const StatementCall& call : all_statement_calls(*this->channel_)) {
    EXPECT_TRUE(rc::check("arbitrary bytes are no statement", [&](const std::string& bytes) {
      RC_ASSERT(!parsed(*this->channel_->statements(), call, bytes).sums);
    }));
    const std::string genuine = TypeParam::statement_file(call);
    EXPECT_TRUE(rc::check("a corrupt statement is parsed or rejected", [&] {
      std::string file = genuine;
      file[*rc::gen::inRange<std::size_t>(0, file.size())] = *rc::gen::arbitrary<char>();
      (void)parsed(*this->channel_->statements(), call, file);
    }));
  }
}

TYPED_TEST_P(StatementContract, HostileFilesAreRefusedWithinTheBudget) {
  for (const StatementCall& call : all_statement_calls(*this->channel_))
    expect_hostile_files_refused(*this->channel_->statements(), call);
}

TYPED_TEST_P(StatementContract, TheBudgetAndItsStopEndTheParser) {
  for (const StatementCall& call : all_statement_calls(*this->channel_))
    expect_budget_kept(*this->channel_->statements(), call, TypeParam::statement_file(call));
}

REGISTER_TYPED_TEST_SUITE_P(StatementContract, InvalidStatementCallsAreRefused, AStatementIsParsedPackedOrNot,
                            ATruncatedStatementIsRejected, AStatementOfAnotherDayOrKindIsRejected,
                            TheSinkStopsTheParser, ArbitraryFilesAreRejected, HostileFilesAreRefusedWithinTheBudget,
                            TheBudgetAndItsStopEndTheParser);

}  // namespace finality::channel_contract
