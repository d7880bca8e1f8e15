#include "history/money.h"

#include <boost/json/array.hpp>

#include <algorithm>
#include <set>
#include <tuple>

namespace finality::history {
namespace {

namespace json = boost::json;
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

int add(AccountModel& book, Amounts by, const Times& times, std::string_view what) {
  by.changes = 1;
  book.moves.push_back({.by = by,
                        .window = {times.window.from == kNever ? 0 : times.window.from, times.window.until},
                        .certain = times.is_reported(),
                        .requested = times.requested,
                        .requested_at = times.requested ? times.requested_at : times.reported_at,
                        .reported_at = times.is_reported() ? times.reported_at : times.requested_at,
                        .what = what});
  return static_cast<int>(book.moves.size()) - 1;
}

// Model of transfers: the changes of the debited and the credited account.

Number number_of(std::string_view merchant, const json::object& fields) {
  const std::string_view source = text(fields, "source");
  return {merchant, source.empty() ? "api" : source, text(fields, "reference")};
}

struct Terms {
  std::string_view debit, credit;
  std::optional<std::int64_t> amount;
};

struct Transfer {
  Times posted, reversed;
  std::vector<Terms> requested;  // distinct contents of the requests
  std::optional<Terms> reported;
  bool never = false;  // true: a response shows that the transfer was permanently refused or reversed before posting
};

Terms terms_of(const json::object& fields, std::string_view debit) {
  return {text(fields, debit), text(fields, "credit_account"), number(fields, "amount")};
}

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

// Model of holds: the changes of accounts by the creation and the end of a hold.

struct Hold {
  Times made, posted, voided, expired;
  std::optional<Terms> terms;
  std::set<std::int64_t> posts;  // amounts of the requests to post the hold; 0: the full amount
  std::optional<std::int64_t> posted_amount;
  std::string_view id;
  bool ended() const { return posted.is_reported() || voided.is_reported() || expired.is_reported(); }
};

void add_observed_hold(Hold& hold, const Observation& observation) {
  hold.id = text(*observation.fields, "id");
  hold.terms = terms_of(*observation.fields, "account");
  hold.made.add_observation(observation);
  if (observation.state() == "posted") {
    hold.posted.add_observation(observation);
    hold.posted_amount = number(*observation.fields, "posted_amount");
  }
  if (observation.state() == "voided") hold.voided.add_observation(observation);
  if (observation.state() == "expired") hold.expired.add_observation(observation);
}

struct HoldEnd {
  const Times* times = nullptr;
  std::int64_t posted = 0;
};

// Returns the possible ends of the hold: the reported end or, if no response reports an end, the expiry and each
// requested end.
std::vector<HoldEnd> ends_of(const Hold& hold) {
  if (hold.posted.is_reported()) return {{&hold.posted, hold.posted_amount.value_or(0)}};
  if (hold.voided.is_reported()) return {{&hold.voided, 0}};
  std::vector<HoldEnd> ends{{&hold.expired, 0}};
  if (hold.ended()) return ends;
  for (const std::int64_t amount : hold.posts)
    ends.push_back({&hold.posted, amount != 0 ? amount : hold.terms->amount.value_or(0)});
  if (hold.voided.requested) ends.push_back({&hold.voided, 0});
  return ends;
}

void book_hold(Books& books, const Number& number, Hold& hold) {
  if (!hold.terms) return;
  const std::string_view what = number.reference;
  const std::int64_t amount = hold.terms->amount.value_or(0);
  hold.expired.window.from = hold.made.window.from;  // a hold may expire at any time after its creation
  hold.expired.requested_at = hold.made.requested ? hold.made.requested_at : hold.made.reported_at;
  hold.expired.requested = true;
  AccountModel& book = books[hold.terms->debit];
  const int made = add(book, {0, amount}, hold.made, what);
  book.moves.back().hold = number;
  const std::vector<HoldEnd> ends = ends_of(hold);
  const int group = ends.size() > 1 ? book.groups++ : -1;
  for (const HoldEnd& end : ends) {
    Delta& move = book.moves[static_cast<std::size_t>(add(book, {-end.posted, -amount}, *end.times, what))];
    move.after = made;
    move.group = group;
    move.is_numbered = true;
    move.hold = number;
    if (end.posted == 0) continue;
    // The server may post a hold as one change or as two: the release of the held amount and the debit. The second
    // change is optional.
    const int post = static_cast<int>(book.moves.size()) - 1;
    Delta& release = book.moves[static_cast<std::size_t>(add(book, {}, *end.times, what))];
    release.certain = false;
    release.after = post;
    AccountModel& credited = books[hold.terms->credit];
    add(credited, {end.posted, 0}, *end.times, what);
    credited.moves.back().is_numbered = true;
  }
}

void book_holds(Books& books, const Reading& reading) {
  std::map<Number, Hold> holds;
  std::map<std::string_view, Hold*> by_id;
  for (const auto& [id, object] : reading.objects) {
    if (object.kind != "hold") continue;
    for (const Observation& observation : object.observations) {
      Hold& hold = holds[number_of(observation.request->operation->merchant, *observation.fields)];
      add_observed_hold(hold, observation);
      by_id[id] = &hold;
    }
  }
  for (const Request& request : reading.requests) {
    if (!request.is_post || request.path.empty() || request.path[0] != "holds" || !request.may_have_acted()) continue;
    if (request.path.size() == 1) {
      Hold& hold = holds[number_of(request.operation->merchant, request.body())];
      hold.made.add_request(request);
      if (!hold.terms) hold.terms = terms_of(request.body(), "account");
    } else if (const auto at = by_id.find(request.path[1]); at != by_id.end() && request.path.size() == 3) {
      const bool posts = request.path[2] == "post";
      (posts ? at->second->posted : at->second->voided).add_request(request);
      if (posts) at->second->posts.insert(number(request.body(), "amount").value_or(0));
    }
  }
  for (auto& [number, hold] : holds) book_hold(books, number, hold);
}

// Model of wallet payments, which pay an order from an account, and of refunds to that account.

struct Wallet {
  std::string_view account;
  Times paid;
  std::int64_t amount = 0;
};

/// A request to pay an order from an account.
struct WalletRequest {
  std::string_view name;  // identifies the payment: merchant_order_no, merchant_payment_no or Idempotency-Key
  std::string_view account;
  std::string_view order_no;  // merchant_order_no; set if the request also creates the order
  std::string_view order;     // id of the existing order; set if `order_no` is empty
  std::optional<std::int64_t> amount;
};

std::optional<WalletRequest> wallet_request(const Request& request) {
  const json::object* payment = nullptr;
  WalletRequest result;
  if (request.posts({"orders"})) {
    const json::value* value = request.body().if_contains("payment");
    payment = value != nullptr && value->is_object() ? &value->get_object() : nullptr;
    result.name = result.order_no = text(request.body(), "merchant_order_no");
    result.amount = number(request.body(), "amount");
  } else if (request.posts({"orders", "*", "payments"})) {
    payment = &request.body();
    result.order = request.path[1];
    result.name = text(*payment, "merchant_payment_no");
    if (result.name.empty()) result.name = request.operation->key;
  }
  if (payment == nullptr || text(*payment, "channel") != "wallet") return std::nullopt;
  result.account = text(*payment, "account");
  return result;
}

// Returns whether the request certainly moved no money. A payment from an account succeeds or fails within its first
// request, so the response to this request shows the result.
bool has_paid_nothing(const Request& request) {
  if (request.outcome != OperationOutcome::done) return request.outcome == OperationOutcome::refused;
  const json::value* payments = request.answer().if_contains("payments");
  const std::string_view state = text(request.answer(), "state");
  if (payments == nullptr || !payments->is_array()) return !state.empty() && state != "succeeded";
  return std::ranges::none_of(payments->get_array(), [](const json::value& payment) {
    return payment.is_object() && text(payment.get_object(), "state") == "succeeded";
  });
}

struct Wallets {
  std::map<std::string_view, Wallet> by_payment;                                              // succeeded payments
  std::map<std::pair<std::string_view, std::string_view>, std::string_view> order_by_number;  // ids of orders
  std::map<std::string_view, std::int64_t> amount_of_order;
  std::set<std::string_view> paid_orders;
};

Wallets wallets_of(const Reading& reading) {
  Wallets wallets;
  for (const auto& [id, object] : reading.objects) {
    const json::object& first = *object.observations.front().fields;
    if (object.kind == "order") {
      const std::string_view merchant = object.observations.front().request->operation->merchant;
      wallets.order_by_number[{merchant, text(first, "merchant_order_no")}] = id;
      wallets.amount_of_order[id] = number(first, "amount").value_or(0);
    }
    if (object.kind != "payment") continue;
    for (const Observation& observation : object.observations) {
      if (observation.state() != "succeeded") continue;
      wallets.paid_orders.insert(text(first, "order"));
      if (text(first, "channel") != "wallet") continue;
      Wallet& wallet = wallets.by_payment[id];
      wallet.account = text(*observation.fields, "account");
      wallet.amount = number(*observation.fields, "amount").value_or(0);
      wallet.paid.add_observation(observation);
    }
  }
  return wallets;
}

void book_payments(Books& books, const Reading& reading, Wallets& wallets) {
  std::map<std::string_view, std::map<std::string_view, Times>> open;  // possible payments, by order and account
  std::set<std::pair<std::string_view, std::string_view>> unpaid;      // failed payments, by merchant and name
  for (const Request& request : reading.requests)
    if (const auto payment = wallet_request(request);
        payment && !payment->name.empty() && request.outcome == OperationOutcome::done && has_paid_nothing(request))
      unpaid.insert({request.operation->merchant, payment->name});
  for (const Request& request : reading.requests) {
    const auto payment = wallet_request(request);
    if (!payment || has_paid_nothing(request) || unpaid.contains({request.operation->merchant, payment->name}))
      continue;
    const auto listed = wallets.order_by_number.find({request.operation->merchant, payment->order_no});
    const std::string_view order =
        payment->order.empty() && listed != wallets.order_by_number.end() ? listed->second : payment->order;
    if (order.empty()) {  // no response contains the order, so its id is unknown
      Times times;
      times.add_request(request);
      if (payment->amount) add(books[payment->account], {-*payment->amount, 0}, times, payment->order_no);
    } else {
      open[order][payment->account].add_request(request);
    }
  }
  for (auto& [id, wallet] : wallets.by_payment) {
    const auto& accounts = open[text(*reading.objects.at(id).observations.front().fields, "order")];
    if (wallet.account.empty() && accounts.size() == 1) wallet.account = accounts.begin()->first;
    if (wallet.account.empty())
      for (const auto& [account, times] : accounts) books[account].unknown = true;
    if (const auto requested = accounts.find(wallet.account); requested != accounts.end()) {
      wallet.paid.window.from = requested->second.window.from;
      wallet.paid.requested = true;
    }
    add(books[wallet.account], {-wallet.amount, 0}, wallet.paid, id);
  }
  for (const auto& [order, accounts] : open) {
    const auto amount = wallets.amount_of_order.find(order);
    if (wallets.paid_orders.contains(order)) continue;
    for (const auto& [account, times] : accounts) {
      if (amount == wallets.amount_of_order.end())
        books[account].unknown = true;
      else
        add(books[account], {-amount->second, 0}, times, order);
    }
  }
}

void book_refunds(Books& books, const Reading& reading, const Wallets& wallets) {
  std::map<std::string_view, Times> requested;  // by merchant_refund_no
  std::set<std::string_view> reported;
  for (const Request& request : reading.requests)
    if (request.posts({"refunds"}) && request.may_have_acted())
      requested[text(request.body(), "merchant_refund_no")].add_request(request);
  for (const auto& [id, object] : reading.objects) {
    const json::object& first = *object.observations.front().fields;
    const auto wallet = wallets.by_payment.find(text(first, "payment"));
    if (object.kind != "refund" || wallet == wallets.by_payment.end()) continue;
    reported.insert(text(first, "merchant_refund_no"));
    Times times = requested[text(first, "merchant_refund_no")];
    for (const Observation& observation : object.observations)
      if (observation.state() == "succeeded") times.add_observation(observation);
    if (times.is_reported()) add(books[wallet->second.account], {number(first, "amount").value_or(0), 0}, times, id);
  }
  for (const Request& request : reading.requests) {
    if (!request.posts({"refunds"}) || request.outcome != OperationOutcome::unknown) continue;
    const auto wallet = wallets.by_payment.find(text(request.body(), "payment"));
    const std::string_view name = text(request.body(), "merchant_refund_no");
    if (wallet == wallets.by_payment.end() || !reported.insert(name).second) continue;
    const auto amount = number(request.body(), "amount");
    if (amount)
      add(books[wallet->second.account], {*amount, 0}, requested[name], name);
    else
      books[wallet->second.account].unknown = true;
  }
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
      const json::object& fields = *object.observations.front().fields;
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
  Wallets wallets = wallets_of(reading);
  book_payments(books, reading, wallets);
  book_refunds(books, reading, wallets);
  book_changes(books, reading);
  const std::map<Number, std::int64_t> first = first_requests_of(reading);
  for (const Request& request : reading.requests) book_shortage(books, reading, first, request);
  return books;
}

}  // namespace finality::history
