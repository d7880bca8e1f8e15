// Parts from which the models of accounts (money.h) are built.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "history/money.h"

namespace finality::history {

/// The models of all accounts, by account id.
using Books = std::map<std::string_view, AccountModel>;

/// Time window of a change: from the first request for the change to the first response that reports it.
struct Times {
  Window window{kNever, kNever};
  bool requested = false;
  std::size_t requested_at = 0;
  std::size_t reported_at = 0;

  void add_request(const Request& request) {
    if (request.operation->call < window.from) requested_at = request.place;
    window.from = std::min(window.from, request.operation->call);
    requested = true;
  }
  void add_observation(const Observation& observation) {
    if (observation.request->operation->returned < window.until) reported_at = observation.request->place;
    window.until = std::min(window.until, observation.request->operation->returned);
  }
  bool is_reported() const { return window.until != kNever; }
};

/// Adds a change of the account and returns its index in `moves`. `what` must outlive the model.
int add(AccountModel& book, Amounts by, const Times& times, std::string_view what);

/// Returns the key of a transfer or hold. `fields`: of a request or of the object.
Number number_of(std::string_view merchant, const boost::json::object& fields);

/// The accounts and the amount of a transfer or hold. `credit`: empty if it is not the account of a user.
struct Terms {
  std::string_view debit, credit;
  std::optional<std::int64_t> amount;
};

/// `debit`: name of the field with the debited account.
Terms terms_of(const boost::json::object& fields, std::string_view debit);

/// A reserved amount of an account, which ends once. Times of events that did not happen are empty.
struct Hold {
  Times made, posted, voided, expired;
  std::optional<Terms> terms;
  std::set<std::int64_t> posts;  // amounts of the requests to post the hold; 0: the full amount
  std::optional<std::int64_t> posted_amount;
  std::string_view id;
  bool is_numbered = true;  // the reference of the hold is also that of its entries
  bool ended() const { return posted.is_reported() || voided.is_reported() || expired.is_reported(); }
};

/// Adds the changes of the account by the creation and the end of a hold, and the change of the credited account.
void book_hold(Books& books, const Number& number, Hold& hold);

// Each adds the changes of one subject.
/// Of holds that merchants made.
void book_holds(Books& books, const Reading& reading);
/// Of payments, authorizations and refunds over the wallet.
void book_wallet(Books& books, const Reading& reading);

}  // namespace finality::history
