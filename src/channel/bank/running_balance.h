// Checks the balances after the lines of a bank statement. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "base/money.h"
#include "base/result.h"
#include "model/statement_line.h"

namespace finality::bank {

/// The balances after the lines of one statement, sorted oldest or newest first. Needs memory for one line only. Not
/// thread safe.
class RunningBalance {
 public:
  /// Adds the next line of the file. A line without a balance counts with its amount.
  void add(const StatementLine& line);

  /// Returns an error, a message that names the line, the balance and the expected balance, if a balance does not
  /// follow from the lines. REQUIRES: `opening` and the amounts of all lines add up to `closing`.
  Result<void> check(MinorUnits opening, MinorUnits closing, Currency currency) const;

 private:
  struct Mismatch {
    std::int64_t line_no = 0;
    MinorUnits balance = 0;
    MinorUnits expected = 0;
  };
  /// One order of the lines. Each balance implies the balance at the begin of the file: all must be equal.
  class Order {
   public:
    void add(std::int64_t line_no, MinorUnits balance, MinorUnits begin);
    std::optional<Mismatch> mismatch_with(MinorUnits begin) const;

   private:
    std::optional<MinorUnits> begin_;  // implied by the first balance
    std::int64_t first_line_no_ = 0;
    MinorUnits first_balance_ = 0;
    std::optional<Mismatch> mismatch_;  // the first one with `begin_`
  };

  MinorUnits sum_ = 0;  // of the lines so far
  Order oldest_first_;
  Order newest_first_;
};

}  // namespace finality::bank
