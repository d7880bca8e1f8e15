// Model of each account's changes, derived from requests and answers. The account check uses it to explain the reported
// balances.
#pragma once

#include "history/reading.h"

namespace finality::history {

struct Amounts {
  std::int64_t balance = 0;
  std::int64_t held = 0;
  std::int64_t changes = 0;  // increase of the version: one per change

  friend bool operator==(const Amounts&, const Amounts&) = default;
  Amounts operator+(const Amounts& other) const {
    return {balance + other.balance, held + other.held, changes + other.changes};
  }
  Amounts operator-(const Amounts& other) const {
    return {balance - other.balance, held - other.held, changes - other.changes};
  }
  std::int64_t available() const { return balance - held; }
};

/// Identifies a transfer or hold by what the merchant assigned: merchant, source and reference.
struct Number {
  std::string_view merchant, source, reference;
  friend auto operator<=>(const Number&, const Number&) = default;
};

/// One change of an account.
struct Delta {
  Amounts by;
  Window window;                                  // the interval in which the change happened, if it happened
  bool certain = false;                           // an answer proves that the change happened
  bool requested = false;                         // a request for the change exists
  int group = -1;                                 // at most one change of a group happened; -1: no group
  int after = -1;                                 // index of the change that must precede it; -1: none
  bool is_needed = false;                         // another change has it as `after`
  std::size_t requested_at = 0, reported_at = 0;  // places of a request for the change and of an answer that reports it
  std::string_view what;                          // the transfer, hold or payment behind the change, for messages
  bool is_numbered = false;                       // `what` is the reference of the change's entry
  Number hold;                                    // the hold that the change begins or ends; empty for other changes
};

/// A refusal with insufficient_balance: at some moment within the window less than `amount` was available.
struct Shortage {
  std::int64_t amount = 0;
  Window window;
  std::size_t place = 0;
  Number hold;  // the hold that was refused; empty for other requests

  /// Whether the change belongs to the requested hold, which cannot have taken the money before the refusal.
  bool is_of(const Delta& move) const { return move.hold == hold && !hold.reference.empty(); }
};

struct AccountModel {
  std::vector<Delta> moves;
  std::vector<Shortage> shortages;
  int groups = 0;
  /// A request may have moved an unknown amount, so the balances cannot be checked.
  bool unknown = false;
};

/// The models of all accounts, by account id.
std::map<std::string_view, AccountModel> books_of(const Reading& reading);

/// Checks the account statements in the history against the models of the accounts.
void check_entries(const Reading& reading, const std::map<std::string_view, AccountModel>& books, Findings& findings);

}  // namespace finality::history
