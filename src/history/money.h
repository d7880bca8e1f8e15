// Model of the changes of each account, derived from requests and responses. account_check.cpp uses the model to
// explain the reported balances.
#pragma once

#include "history/reading.h"

namespace finality::history {

struct Amounts {
  std::int64_t balance = 0;
  std::int64_t held = 0;
  std::int64_t changes = 0;  // increase of the account's version; each change increases the version by 1

  friend bool operator==(const Amounts&, const Amounts&) = default;
  Amounts operator+(const Amounts& other) const {
    return {balance + other.balance, held + other.held, changes + other.changes};
  }
  Amounts operator-(const Amounts& other) const {
    return {balance - other.balance, held - other.held, changes - other.changes};
  }
  std::int64_t available() const { return balance - held; }
};

/// Key of a transfer or hold: the merchant, and the `source` and `reference` that the merchant assigned.
struct Number {
  std::string_view merchant, source, reference;
  friend auto operator<=>(const Number&, const Number&) = default;
};

/// One possible change of an account: it happened if a response reports it (`certain`), otherwise it may have happened.
struct Delta {
  Amounts by;
  Window window;                                  // interval in which the change must have happened, if it happened
  bool certain = false;                           // a response reports the change, so it happened
  bool requested = false;                         // the history contains a request for the change
  int group = -1;                                 // at most one change with the same group happened; -1: no group
  int after = -1;                                 // index of the change that must precede this change; -1: none
  bool is_needed = false;                         // `after` of another change refers to this change
  std::size_t requested_at = 0, reported_at = 0;  // indexes in the history of the first request and the first report
  std::string_view what;                          // id or reference of the transfer, hold or payment, for messages
  bool is_numbered = false;                       // `what` is also the reference of the entry in the statement
  Number hold;                                    // the hold that the change begins or ends; empty for other changes
};

/// Refusal with insufficient_balance: at some moment within `window`, the available balance was below `amount`.
struct Shortage {
  std::int64_t amount = 0;
  Window window;
  std::size_t place = 0;
  Number hold;  // the refused hold; empty for other requests

  /// Returns whether `move` is a change of the refused hold. Such a change cannot precede the refusal.
  bool is_of(const Delta& move) const { return move.hold == hold && !hold.reference.empty(); }
};

struct AccountModel {
  std::vector<Delta> moves;
  std::vector<Shortage> shortages;
  int groups = 0;
  /// True: a request may have moved an unknown amount, so the balances cannot be checked.
  bool unknown = false;
};

/// Returns the models of all accounts, by account id.
std::map<std::string_view, AccountModel> books_of(const Reading& reading);

/// Checks the account statements in the history against the models of the accounts.
void check_entries(const Reading& reading, const std::map<std::string_view, AccountModel>& books, Findings& findings);

}  // namespace finality::history
