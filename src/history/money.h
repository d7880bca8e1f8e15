// What moved on each account, as far as requests and answers tell: what the balances have to be explained by.
#pragma once

#include "history/reading.h"

namespace finality::history {

struct Amounts {
  std::int64_t balance = 0;
  std::int64_t held = 0;
  std::int64_t changes = 0;  // so many versions it takes: one per change

  friend bool operator==(const Amounts&, const Amounts&) = default;
  Amounts operator+(const Amounts& other) const {
    return {balance + other.balance, held + other.held, changes + other.changes};
  }
  Amounts operator-(const Amounts& other) const {
    return {balance - other.balance, held - other.held, changes - other.changes};
  }
  std::int64_t available() const { return balance - held; }
};

/// What a merchant calls his transfer or hold.
struct Number {
  std::string_view merchant, source, reference;
  friend auto operator<=>(const Number&, const Number&) = default;
};

/// One change of an account.
struct Delta {
  Amounts by;
  Window window;                          // when it happened, if it did
  bool certain = false;                   // it did: an answer says so
  bool asked = false;                     // somebody has asked for it
  int group = -1;                         // of several with one number at most one happened
  int after = -1;                         // the place of the move that must have happened before
  bool is_needed = false;                 // another one names it so
  std::size_t asked_at = 0, told_at = 0;  // places of a request for it and of an answer that tells of it
  std::string_view what;                  // its transfer, hold or payment, for people
  bool is_numbered = false;               // `what` is the reference that its entry names
  Number hold;                            // whose beginning or end it is; empty: no hold's
};

/// A refusal: at some moment within its window not so much was available.
struct Shortage {
  std::int64_t amount = 0;
  Window window;
  std::size_t place = 0;
  Number hold;  // that was asked for; empty: no hold

  /// Whether it is of the very hold that was asked for: that cannot have taken the money before.
  bool is_of(const Delta& move) const { return move.hold == hold && !hold.reference.empty(); }
};

struct AccountModel {
  std::vector<Delta> moves;
  std::vector<Shortage> shortages;
  int groups = 0;
  /// A request that may have moved an unknown amount: its balances cannot be explained.
  bool unknown = false;
};

/// By account.
std::map<std::string_view, AccountModel> books_of(const Reading& reading);

/// The statements of the accounts, against what moved.
void check_entries(const Reading& reading, const std::map<std::string_view, AccountModel>& books, Findings& findings);

}  // namespace finality::history
