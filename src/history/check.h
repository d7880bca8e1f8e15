// Checks whether the answers in a history (operation.h) are consistent with some order of events. Uses only the API
// contract, not the server's implementation. A violation is reported only if no order of events that respects the times
// in the history explains the answers: the checker has no false positives. Pure.
//
// Exact checks (every answer that passes has an explanation): versions and final states of every object;
// Idempotency-Keys and the identifiers that merchants assign; the transfers, holds and payments behind each reported
// balance (a bounded search; `undecided` counts the accounts whose search was cut short). Checks of necessary
// conditions (a wrong answer may pass): between two reported balances, that an account kept its limit and that
// `insufficient_balance` was true at some moment; unanswered requests whose amount the file does not contain.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "history/operation.h"

namespace finality::history {

struct Impossibility {
  std::string object;  // id of the object, or the Idempotency-Key
  std::string rule;
  std::string detail;
  std::vector<std::size_t> operations;  // places of the smallest set found that shows the violation, by time
};

struct Report {
  std::size_t operations = 0;
  std::size_t unanswered = 0;
  std::size_t objects = 0;                // number of objects in answers
  std::size_t accounts = 0;               // number of accounts whose balances were checked
  std::size_t undecided = 0;              // accounts whose search was cut short; only bounds were checked
  std::vector<Impossibility> impossible;  // the first violation per object and rule
};

/// Runs all checks on a history. The report contains at most one violation per object and rule.
Report check(std::span<const Operation> history);

}  // namespace finality::history
