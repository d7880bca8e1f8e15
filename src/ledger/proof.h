// Proof of balance of a channel account or bank account at the end of a day: what the books contain, what the statement
// states, and each reason for the difference between them (docs/adr/0046-funds-statements-and-proof.md). Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/money.h"
#include "model/objects/difference.h"
#include "model/objects/statement.h"

namespace finality::ledger {

/// Lines of a statement that the books have: of which day is the statement, and on which day were they posted?
struct ListedMovement {
  std::string listed_on;  // date of the statement
  std::string booked_on;  // date of the entries
  MinorUnits amount = 0;  // change of the balance
};

/// A difference that changes the balance.
struct BalanceDifference {
  std::string date;
  MinorUnits amount = 0;   // what the channel has more than the books
  bool is_counted = true;  // not ended at the end of the day (is_counted_at())
};

/// The balances that a proof compares, in one currency. A balance of the books is positive if the channel or bank
/// holds it for us.
struct ProofInput {
  std::string_view date;
  std::string_view first_date;   // of the first statement with an opening balance
  MinorUnits books = 0;          // at the end of the day, with all opening balances that operators posted
  MinorUnits statement = 0;      // closing balance of the day
  MinorUnits books_opening = 0;  // at the start of the first day, with all opening balances that operators posted
  MinorUnits opening = 0;        // opening balance of the first statement
  std::span<const ListedMovement> movements;
  std::span<const BalanceDifference> differences;
};

/// statement − books = booked_later − listed_later + differences + opening + unexplained
struct Proof {
  MinorUnits books = 0;
  MinorUnits statement = 0;
  MinorUnits booked_later = 0;  // lines up to the day that were posted on a later day
  MinorUnits listed_later = 0;  // entries up to the day that are in the statement of a later day
  MinorUnits differences = 0;
  MinorUnits opening = 0;      // opening balance of the statement that the books do not have
  MinorUnits unexplained = 0;  // must be 0
};
Proof prove(const ProofInput& input);

/// Whether the difference still separates statement and books at that instant. A repaired difference without a time
/// never does: the line that repaired it is counted as listed later.
bool is_counted_at(const Difference& difference, Time end_of_day);

}  // namespace finality::ledger
