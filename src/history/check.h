// Checks whether the answers in a history are consistent with some order of events. Based on the API contract only, not
// on the server's implementation. Every reported violation is one under every order of events that respects time: the
// checker has no false positives. Pure.
//
// Exact checks (every accepted answer has an explanation): versions and final states of every object; keys and numbers;
// the transfers, holds and payments behind each reported balance (a bounded search; `undecided` counts the accounts
// whose search was cut short). Necessary conditions only (a wrong answer may pass): between two reported balances, that
// an account kept its limit and that `insufficient_balance` was true at some moment; unanswered requests whose amount
// the file does not contain.
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
  std::vector<std::size_t> operations;  // smallest set found that shows the violation, by time
};

struct Report {
  std::size_t operations = 0;
  std::size_t unanswered = 0;
  std::size_t objects = 0;                // objects in answers
  std::size_t accounts = 0;               // accounts whose balances were checked
  std::size_t undecided = 0;              // accounts whose search was cut short; only their bounds were checked
  std::vector<Impossibility> impossible;  // the first per object and rule
};

Report check(std::span<const Operation> history);

}  // namespace finality::history
