// Adds up the lines of a funds or bank statement that the books have.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "decide/statement/post_funds.h"

namespace finality {

/// Sums per kind, currency and day, as StepStatement stores them. Not thread safe.
class BookedTally {
 public:
  void add(LineKind kind, Currency currency, const std::string& booked_on, std::int64_t lines, MinorUnits amount) {
    BookedLines& tally = tally_[{currency, kind, booked_on}];
    tally.kind = kind;
    tally.currency = currency;
    tally.booked_on = booked_on;
    tally.lines += lines;
    tally.amount += amount;
  }
  std::vector<BookedLines> lines() const {
    std::vector<BookedLines> all;
    for (const auto& [key, tally] : tally_) all.push_back(tally);
    return all;
  }

 private:
  std::map<std::tuple<Currency, LineKind, std::string>, BookedLines> tally_;
};

}  // namespace finality
