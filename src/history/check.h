// Whether the answers of a history form one possible order of events. Written from the wire contract alone: it knows
// nothing of how the server decides. Whatever it calls impossible is impossible under every order of events that
// respects time; it never cries wolf. Pure.
//
// Exact, that is, what passes has been explained: the versions of every object and what was final; keys and numbers;
// which transfers, holds and payments make up each balance that was told (a search, bounded; `undecided` counts the
// accounts where it was cut short). Necessary conditions only, so that a lie might pass: that an account kept its limit
// and that `insufficient_balance` was true at some moment, between two balances that were told; an unanswered request
// whose amount the file does not name.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "history/operation.h"

namespace finality::history {

struct Impossibility {
  std::string object;  // its id, or the Idempotency-Key
  std::string rule;
  std::string detail;
  std::vector<std::size_t> operations;  // that show it, by time; the fewest that were found
};

struct Report {
  std::size_t operations = 0;
  std::size_t unanswered = 0;
  std::size_t objects = 0;                // that answers tell of
  std::size_t accounts = 0;               // whose balances were explained
  std::size_t undecided = 0;              // accounts whose search was cut short: for them the necessary conditions hold
  std::vector<Impossibility> impossible;  // of one object and rule the first
};

Report check(std::span<const Operation> history);

}  // namespace finality::history
