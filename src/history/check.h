// Checks whether the responses in a history (operation.h) are consistent with some order of events. Uses only the API
// contract, not the server's implementation. A violation is reported only if no order of events that respects the times
// in the history explains the responses: the checker has no false positives. Pure.
//
// Exact checks (no false negatives):
//   - versions and final states of every object
//   - Idempotency-Keys and the identifiers that merchants assign
//   - the transfers, holds and payments behind each reported balance; the search is bounded, and `undecided` counts the
//     accounts whose search reached the bound
// Checks of necessary conditions (a wrong response may pass):
//   - between two reported balances, the account stayed within its limit, and `insufficient_balance` was true at some
//     moment of the request
//   - accounts with a request of unknown amount: their balances are not checked
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "history/operation.h"

namespace finality::history {

struct Impossibility {
  std::string object;  // id of the object, or the Idempotency-Key, that the violation concerns
  std::string rule;
  std::string detail;
  std::vector<std::size_t> operations;  // indexes in the history of the requests that show the violation, by time
};

struct Report {
  std::size_t operations = 0;
  std::size_t unanswered = 0;
  std::size_t objects = 0;                // number of distinct objects in responses
  std::size_t accounts = 0;               // number of accounts whose balances were checked
  std::size_t undecided = 0;              // number of accounts whose search reached its limit; only bounds were checked
  std::vector<Impossibility> impossible;  // the first violation per object and rule
};

/// Runs all checks on a history. The report contains at most one violation per object and rule.
Report check(std::span<const Operation> history);

}  // namespace finality::history
