#include "ledger/proof.h"

namespace finality::ledger {

Proof prove(const ProofInput& input) {
  Proof proof{.books = input.books, .statement = input.statement};
  MinorUnits before_first = 0;  // entries of the books at the start that statements list since
  for (const ListedMovement& one : input.movements) {
    const bool is_listed = one.listed_on <= input.date;
    const bool is_booked = one.booked_on <= input.date;
    if (is_listed && !is_booked) proof.booked_later += one.amount;
    if (is_booked && !is_listed) proof.listed_later += one.amount;
    if (one.booked_on < input.first_date) before_first += one.amount;
  }
  for (const BalanceDifference& one : input.differences)
    if (one.is_counted && one.date <= input.date) proof.differences += one.amount;
  proof.opening = input.opening - (input.books_opening - before_first);
  proof.unexplained =
      proof.statement - proof.books - (proof.booked_later - proof.listed_later + proof.differences + proof.opening);
  return proof;
}

bool is_counted_at(const Difference& difference, Time end_of_day) {
  if (!difference.changes_balance) return false;
  if (difference.ended_at) return *difference.ended_at >= end_of_day;
  return difference.state != DifferenceState::repaired;
}

}  // namespace finality::ledger
