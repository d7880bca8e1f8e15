// Posts the lines of a funds statement that no other document books: fees, withdrawals, deductions and others. Part of
// StepStatement(finish), so that they are posted exactly once, together with the result of the comparison.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "decide/statement/statement_writer.h"

namespace finality {

/// Lines of a funds or bank statement that the books have (StatementMovement).
struct BookedLines {
  LineKind kind = LineKind::payment;
  Currency currency;
  std::string booked_on;  // YYYY-MM-DD
  std::int64_t lines = 0;
  MinorUnits amount = 0;
};

/// Lines to post: one withdrawal, or the sum of the fees of the statement.
struct FundsPosting {
  LineKind kind = LineKind::fee;
  Currency currency;
  std::int64_t lines = 0;
  MinorUnits amount = 0;  // change of the balance at the channel; never 0
};

/// What the comparison of a funds or bank statement found, besides its matches and differences.
struct FundsResult {
  std::vector<BookedLines> booked;
  std::vector<FundsPosting> postings;
  std::chrono::minutes utc_offset{0};  // time zone of the channel, in which the lines are posted on a day
  std::string channel;                 // NAME of the channel account
  std::string bank_account;  // NAME of the bank account of withdrawals and top-ups; empty: without bank account
  Currency bank_currency;    // of that bank account; lines in other currencies are posted without bank account
};

/// The type of the entry that posts a line of that kind and change of the balance; empty for lines that are not posted:
/// payments and refunds have their own documents, and lines of other kinds are differences.
std::optional<EntryType> posted_type(LineKind kind, MinorUnits amount);

void add_reads(const FundsResult& result, ReadSet& reads);

/// Adds the movements to the statement and posts in the books of the platform. REQUIRES: every posting has a type.
void post_funds(StatementWriter& writer, const FundsResult& result);

}  // namespace finality
