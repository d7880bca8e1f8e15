#include "history/money.h"

#include <algorithm>
#include <tuple>

#include "history/changes.h"

namespace finality::history {
namespace {

// Model of transfers: the changes of the debited and the credited account.

struct Transfer {
  Times posted, reversed;
  std::vector<Terms> requested;  // distinct contents of the requests
  std::optional<Terms> reported;
  bool never = false;  // true: a response shows that the transfer was permanently refused or reversed before posting
};

void add_observed_transfer(Transfer& transfer, const Observation& observation) {
  const bool moved = !text(*observation.fields, "debit_account").empty() && observation.state() != "refused";
  if (!moved) {
    transfer.never = true;
    return;
  }
  transfer.reported = terms_of(*observation.fields, "debit_account");
  transfer.posted.add_observation(observation);
  if (observation.state() == "reversed") transfer.reversed.add_observation(observation);
}

void add_requested_transfer(Transfer& transfer, const Request& request) {
  if (request.outcome == OperationOutcome::refused && request.operation->status == 422) transfer.never = true;
  if (!request.may_have_acted()) return;
  transfer.posted.add_request(request);
  const Terms terms = terms_of(request.body(), "debit_account");
  if (std::ranges::none_of(transfer.requested, [&](const Terms& known) {
        return std::tuple(known.debit, known.credit, known.amount) ==
               std::tuple(terms.debit, terms.credit, terms.amount);
      }))
    transfer.requested.push_back(terms);
}

void post_side(AccountModel& book, const Transfer& transfer, std::int64_t amount, std::string_view what) {
  const int there = add(book, {amount, 0}, transfer.posted, what);
  book.moves.back().is_numbered = true;
  if (!transfer.reversed.requested && !transfer.reversed.is_reported()) return;
  add(book, {-amount, 0}, transfer.reversed, what);
  book.moves.back().after = there;
  book.moves.back().is_numbered = true;
}

void book_transfer(Books& books, const Number& number, const Transfer& transfer) {
  if (transfer.never && !transfer.reported) return;
  // If requests with one reference have different contents, the server posted at most one of them. All contents are
  // added as possible changes. This can hide violations, but cannot cause false positives.
  const std::vector<Terms> all = transfer.reported ? std::vector{*transfer.reported} : transfer.requested;
  for (const Terms& terms : all) {
    if (!terms.amount) {
      books[terms.debit].unknown = books[terms.credit].unknown = true;
      continue;
    }
    if (terms.debit == terms.credit) continue;
    post_side(books[terms.debit], transfer, -*terms.amount, number.reference);
    post_side(books[terms.credit], transfer, *terms.amount, number.reference);
  }
}

void book_transfers(Books& books, const Reading& reading) {
  std::map<Number, Transfer> transfers;
  for (const Request& request : reading.requests) {
    const bool back = request.posts({"transfers", "reverse"});
    if (!back && !request.posts({"transfers"})) continue;
    Transfer& transfer = transfers[number_of(request.operation->merchant, request.body())];
    if (!back)
      add_requested_transfer(transfer, request);
    else if (request.may_have_acted())
      transfer.reversed.add_request(request);
  }
  for (const auto& [id, object] : reading.objects) {
    if (object.kind != "transfer") continue;
    for (const Observation& observation : object.observations)
      add_observed_transfer(transfers[number_of(observation.request->operation->merchant, *observation.fields)],
                            observation);
  }
  for (const auto& [number, transfer] : transfers) book_transfer(books, number, transfer);
}

// Changes of an account's version that move no money, for example a freeze. They are not certain, because a request for
// the current state causes no change.

void book_changes(Books& books, const Reading& reading) {
  for (const Request& request : reading.requests) {
    const bool is_change = request.posts({"accounts", "*", "*"}) && request.may_have_acted();
    if (!is_change) continue;
    Times times;
    times.add_request(request);
    AccountModel& book = books[request.path[1]];
    Delta& move = book.moves[static_cast<std::size_t>(add(book, {}, times, request.path[2]))];
    if (request.outcome == OperationOutcome::done) move.window.until = request.window.until;
  }
}

// Model of refusals with insufficient_balance.

/// Returns the time of the first request for each transfer. A refusal of a transfer is permanent: later requests return
/// the first refusal, so the balance may have been insufficient at any time since the first request.
std::map<Number, std::int64_t> first_requests_of(const Reading& reading) {
  std::map<Number, std::int64_t> first;
  for (const Request& request : reading.requests) {
    if (!request.posts({"transfers"})) continue;
    const auto [at, is_new] =
        first.try_emplace(number_of(request.operation->merchant, request.body()), request.operation->call);
    if (!is_new) at->second = std::min(at->second, request.operation->call);
  }
  return first;
}

void book_shortage(Books& books, const Reading& reading, const std::map<Number, std::int64_t>& first,
                   const Request& request) {
  if (request.code != "insufficient_balance") return;
  std::string_view account;
  Window window = request.window;
  if (request.posts({"transfers"})) window.from = first.at(number_of(request.operation->merchant, request.body()));
  std::optional<std::int64_t> amount = number(request.body(), "amount");
  if (request.posts({"transfers"})) account = text(request.body(), "debit_account");
  Number hold;
  if (request.posts({"holds"})) {
    account = text(request.body(), "account");
    hold = number_of(request.operation->merchant, request.body());
  }
  if (request.posts({"transfers", "reverse"})) {  // the reversal debits the credited account
    for (const auto& [id, object] : reading.objects) {
      const boost::json::object& fields = *object.observations.front().fields;
      const std::string_view merchant = object.observations.front().request->operation->merchant;
      if (object.kind != "transfer" ||
          number_of(merchant, fields) != number_of(request.operation->merchant, request.body()))
        continue;
      account = text(fields, "credit_account");
      amount = number(fields, "amount");
    }
  }
  if (!account.empty() && amount) books[account].shortages.push_back({*amount, window, request.place, hold});
}

}  // namespace

std::map<std::string_view, AccountModel> books_of(const Reading& reading) {
  Books books;
  book_transfers(books, reading);
  book_holds(books, reading);
  book_wallet(books, reading);
  book_changes(books, reading);
  const std::map<Number, std::int64_t> first = first_requests_of(reading);
  for (const Request& request : reading.requests) book_shortage(books, reading, first, request);
  return books;
}

}  // namespace finality::history
