#include "history/money.h"

#include <boost/json/array.hpp>

#include <algorithm>
#include <set>
#include <tuple>

namespace finality::history {
namespace {

namespace json = boost::json;
using Books = std::map<std::string_view, AccountModel>;

/// When a change happened, derived from the requests for it and the answers that report it.
struct Times {
  Window window{kNever, kNever};
  bool asked = false;
  std::size_t asked_at = 0;
  std::size_t told_at = 0;

  void ask(const Asked& request) {
    if (request.operation->call < window.from) asked_at = request.place;
    window.from = std::min(window.from, request.operation->call);
    asked = true;
  }
  void tell(const Observation& seen) {
    if (seen.asked->operation->returned < window.until) told_at = seen.asked->place;
    window.until = std::min(window.until, seen.asked->operation->returned);
  }
  bool told() const { return window.until != kNever; }
};

int add(AccountModel& book, Amounts by, const Times& times, std::string_view what) {
  by.changes = 1;
  book.moves.push_back({.by = by,
                        .window = {times.window.from == kNever ? 0 : times.window.from, times.window.until},
                        .certain = times.told(),
                        .asked = times.asked,
                        .asked_at = times.asked ? times.asked_at : times.told_at,
                        .told_at = times.told() ? times.told_at : times.asked_at,
                        .what = what});
  return static_cast<int>(book.moves.size()) - 1;
}

// Transfers.

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
  std::vector<Terms> asked;  // without duplicates
  std::optional<Terms> told;
  bool never = false;  // permanently refused, or reversed before it was posted
};

Terms terms_of(const json::object& fields, std::string_view debit) {
  return {text(fields, debit), text(fields, "credit_account"), number(fields, "amount")};
}

void tell_transfer(Transfer& transfer, const Observation& seen) {
  const bool moved = !text(*seen.fields, "debit_account").empty() && seen.state() != "refused";
  if (!moved) {
    transfer.never = true;
    return;
  }
  transfer.told = terms_of(*seen.fields, "debit_account");
  transfer.posted.tell(seen);
  if (seen.state() == "reversed") transfer.reversed.tell(seen);
}

void ask_transfer(Transfer& transfer, const Asked& asked) {
  if (asked.outcome == OperationOutcome::refused && asked.operation->status == 422) transfer.never = true;
  if (!asked.may_have_acted()) return;
  transfer.posted.ask(asked);
  const Terms terms = terms_of(asked.body(), "debit_account");
  if (std::ranges::none_of(transfer.asked, [&](const Terms& one) {
        return std::tuple(one.debit, one.credit, one.amount) == std::tuple(terms.debit, terms.credit, terms.amount);
      }))
    transfer.asked.push_back(terms);
}

void post_side(AccountModel& book, const Transfer& transfer, std::int64_t amount, std::string_view what) {
  const int there = add(book, {amount, 0}, transfer.posted, what);
  book.moves.back().is_numbered = true;
  if (!transfer.reversed.asked && !transfer.reversed.told()) return;
  add(book, {-amount, 0}, transfer.reversed, what);
  book.moves.back().after = there;
  book.moves.back().is_numbered = true;
}

void book_transfer(Books& books, const Number& number, const Transfer& transfer) {
  if (transfer.never && !transfer.told) return;
  // At most one of several contents with one number was posted. Accepting each of them as possible can only hide
  // violations, not invent them.
  const std::vector<Terms> all = transfer.told ? std::vector{*transfer.told} : transfer.asked;
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
  for (const Asked& asked : reading.asked) {
    const bool back = asked.posts({"transfers", "reverse"});
    if (!back && !asked.posts({"transfers"})) continue;
    Transfer& transfer = transfers[number_of(asked.operation->merchant, asked.body())];
    if (!back)
      ask_transfer(transfer, asked);
    else if (asked.may_have_acted())
      transfer.reversed.ask(asked);
  }
  for (const auto& [id, object] : reading.objects) {
    if (object.kind != "transfer") continue;
    for (const Observation& seen : object.observations)
      tell_transfer(transfers[number_of(seen.asked->operation->merchant, *seen.fields)], seen);
  }
  for (const auto& [number, transfer] : transfers) book_transfer(books, number, transfer);
}

// Holds.

struct Hold {
  Times made, posted, voided, expired;
  std::optional<Terms> terms;
  std::set<std::int64_t> posts;  // requested amounts; 0: the full amount
  std::optional<std::int64_t> posted_amount;
  std::string_view id;
  bool ended() const { return posted.told() || voided.told() || expired.told(); }
};

void tell_hold(Hold& hold, const Observation& seen) {
  hold.id = text(*seen.fields, "id");
  hold.terms = terms_of(*seen.fields, "account");
  hold.made.tell(seen);
  if (seen.state() == "posted") {
    hold.posted.tell(seen);
    hold.posted_amount = number(*seen.fields, "posted_amount");
  }
  if (seen.state() == "voided") hold.voided.tell(seen);
  if (seen.state() == "expired") hold.expired.tell(seen);
}

struct HoldEnd {
  const Times* times = nullptr;
  std::int64_t posted = 0;
};

// Possible ends of the hold: the reported one; if none was reported, expiry and the requested ones.
std::vector<HoldEnd> ends_of(const Hold& hold) {
  if (hold.posted.told()) return {{&hold.posted, hold.posted_amount.value_or(0)}};
  if (hold.voided.told()) return {{&hold.voided, 0}};
  std::vector<HoldEnd> ends{{&hold.expired, 0}};
  if (hold.ended()) return ends;
  for (const std::int64_t amount : hold.posts)
    ends.push_back({&hold.posted, amount != 0 ? amount : hold.terms->amount.value_or(0)});
  if (hold.voided.asked) ends.push_back({&hold.voided, 0});
  return ends;
}

void book_hold(Books& books, const Number& number, Hold& hold) {
  if (!hold.terms) return;
  const std::string_view what = number.reference;
  const std::int64_t amount = hold.terms->amount.value_or(0);
  hold.expired.window.from = hold.made.window.from;  // without a request, at any time
  hold.expired.asked_at = hold.made.asked ? hold.made.asked_at : hold.made.told_at;
  hold.expired.asked = true;
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
    // The server may release the held amount and post it in two changes.
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
    for (const Observation& seen : object.observations) {
      Hold& hold = holds[number_of(seen.asked->operation->merchant, *seen.fields)];
      tell_hold(hold, seen);
      by_id[id] = &hold;
    }
  }
  for (const Asked& asked : reading.asked) {
    if (!asked.is_post || asked.path.empty() || asked.path[0] != "holds" || !asked.may_have_acted()) continue;
    if (asked.path.size() == 1) {
      Hold& hold = holds[number_of(asked.operation->merchant, asked.body())];
      hold.made.ask(asked);
      if (!hold.terms) hold.terms = terms_of(asked.body(), "account");
    } else if (const auto at = by_id.find(asked.path[1]); at != by_id.end() && asked.path.size() == 3) {
      const bool posts = asked.path[2] == "post";
      (posts ? at->second->posted : at->second->voided).ask(asked);
      if (posts) at->second->posts.insert(number(asked.body(), "amount").value_or(0));
    }
  }
  for (auto& [number, hold] : holds) book_hold(books, number, hold);
}

// Orders paid from an account, and refunds to it.

struct Wallet {
  std::string_view account;
  Times paid;
  std::int64_t amount = 0;
};

/// A request to pay an order from an account.
struct WalletRequest {
  std::string_view name;  // requests with the same name are the same payment
  std::string_view account;
  std::string_view order_no;  // if the request also creates the order
  std::string_view order;     // otherwise
  std::optional<std::int64_t> amount;
};

std::optional<WalletRequest> wallet_request(const Asked& asked) {
  const json::object* payment = nullptr;
  WalletRequest request;
  if (asked.posts({"orders"})) {
    const json::value* value = asked.body().if_contains("payment");
    payment = value != nullptr && value->is_object() ? &value->get_object() : nullptr;
    request.name = request.order_no = text(asked.body(), "merchant_order_no");
    request.amount = number(asked.body(), "amount");
  } else if (asked.posts({"orders", "*", "payments"})) {
    payment = &asked.body();
    request.order = asked.path[1];
    request.name = text(*payment, "merchant_payment_no");
    if (request.name.empty()) request.name = asked.operation->key;
  }
  if (payment == nullptr || text(*payment, "channel") != "wallet") return std::nullopt;
  request.account = text(*payment, "account");
  return request;
}

// A payment from an account succeeds immediately or not at all, so the first answer decides.
bool has_paid_nothing(const Asked& asked) {
  if (asked.outcome != OperationOutcome::done) return asked.outcome == OperationOutcome::refused;
  const json::value* payments = asked.answer().if_contains("payments");
  const std::string_view state = text(asked.answer(), "state");
  if (payments == nullptr || !payments->is_array()) return !state.empty() && state != "succeeded";
  return std::ranges::none_of(payments->get_array(), [](const json::value& one) {
    return one.is_object() && text(one.get_object(), "state") == "succeeded";
  });
}

struct Wallets {
  std::map<std::string_view, Wallet> by_payment;                                              // succeeded ones
  std::map<std::pair<std::string_view, std::string_view>, std::string_view> order_by_number;  // merchant, number
  std::map<std::string_view, std::int64_t> amount_of_order;
  std::set<std::string_view> paid_orders;
};

Wallets wallets_of(const Reading& reading) {
  Wallets wallets;
  for (const auto& [id, object] : reading.objects) {
    const json::object& first = *object.observations.front().fields;
    if (object.kind == "order") {
      const std::string_view merchant = object.observations.front().asked->operation->merchant;
      wallets.order_by_number[{merchant, text(first, "merchant_order_no")}] = id;
      wallets.amount_of_order[id] = number(first, "amount").value_or(0);
    }
    if (object.kind != "payment") continue;
    for (const Observation& seen : object.observations) {
      if (seen.state() != "succeeded") continue;
      wallets.paid_orders.insert(text(first, "order"));
      if (text(first, "channel") != "wallet") continue;
      Wallet& wallet = wallets.by_payment[id];
      wallet.account = text(*seen.fields, "account");
      wallet.amount = number(*seen.fields, "amount").value_or(0);
      wallet.paid.tell(seen);
    }
  }
  return wallets;
}

void book_payments(Books& books, const Reading& reading, Wallets& wallets) {
  std::map<std::string_view, std::map<std::string_view, Times>> open;  // possible payments, by order and account
  std::set<std::pair<std::string_view, std::string_view>> in_vain;     // by merchant and name
  for (const Asked& asked : reading.asked)
    if (const auto request = wallet_request(asked);
        request && !request->name.empty() && asked.outcome == OperationOutcome::done && has_paid_nothing(asked))
      in_vain.insert({asked.operation->merchant, request->name});
  for (const Asked& asked : reading.asked) {
    const auto request = wallet_request(asked);
    if (!request || has_paid_nothing(asked) || in_vain.contains({asked.operation->merchant, request->name})) continue;
    const auto known = wallets.order_by_number.find({asked.operation->merchant, request->order_no});
    const std::string_view order =
        request->order.empty() && known != wallets.order_by_number.end() ? known->second : request->order;
    if (order.empty()) {  // no answer contains the order
      Times times;
      times.ask(asked);
      if (request->amount) add(books[request->account], {-*request->amount, 0}, times, request->order_no);
    } else {
      open[order][request->account].ask(asked);
    }
  }
  for (auto& [id, wallet] : wallets.by_payment) {
    const auto& accounts = open[text(*reading.objects.at(id).observations.front().fields, "order")];
    if (wallet.account.empty() && accounts.size() == 1) wallet.account = accounts.begin()->first;
    if (wallet.account.empty())
      for (const auto& [account, times] : accounts) books[account].unknown = true;
    if (const auto asked = accounts.find(wallet.account); asked != accounts.end()) {
      wallet.paid.window.from = asked->second.window.from;
      wallet.paid.asked = true;
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
  std::map<std::string_view, Times> asked_for;  // by merchant_refund_no
  std::set<std::string_view> told;
  for (const Asked& asked : reading.asked)
    if (asked.posts({"refunds"}) && asked.may_have_acted())
      asked_for[text(asked.body(), "merchant_refund_no")].ask(asked);
  for (const auto& [id, object] : reading.objects) {
    const json::object& first = *object.observations.front().fields;
    const auto wallet = wallets.by_payment.find(text(first, "payment"));
    if (object.kind != "refund" || wallet == wallets.by_payment.end()) continue;
    told.insert(text(first, "merchant_refund_no"));
    Times times = asked_for[text(first, "merchant_refund_no")];
    for (const Observation& seen : object.observations)
      if (seen.state() == "succeeded") times.tell(seen);
    if (times.told()) add(books[wallet->second.account], {number(first, "amount").value_or(0), 0}, times, id);
  }
  for (const Asked& asked : reading.asked) {
    if (!asked.posts({"refunds"}) || asked.outcome != OperationOutcome::unknown) continue;
    const auto wallet = wallets.by_payment.find(text(asked.body(), "payment"));
    const std::string_view name = text(asked.body(), "merchant_refund_no");
    if (wallet == wallets.by_payment.end() || !told.insert(name).second) continue;
    const auto amount = number(asked.body(), "amount");
    if (amount)
      add(books[wallet->second.account], {*amount, 0}, asked_for[name], name);
    else
      books[wallet->second.account].unknown = true;
  }
}

// Changes of an account that move no money. A request for the current state may cause no change.

void book_changes(Books& books, const Reading& reading) {
  for (const Asked& asked : reading.asked) {
    const bool is_change = asked.posts({"accounts", "*", "*"}) && asked.may_have_acted();
    if (!is_change) continue;
    Times times;
    times.ask(asked);
    AccountModel& book = books[asked.path[1]];
    Delta& move = book.moves[static_cast<std::size_t>(add(book, {}, times, asked.path[2]))];
    if (asked.outcome == OperationOutcome::done) move.window.until = asked.window.until;
  }
}

// Refusals.

/// Time of the first request for each transfer, by number. A refusal is permanent, with its first reason.
std::map<Number, std::int64_t> first_asked_of(const Reading& reading) {
  std::map<Number, std::int64_t> first;
  for (const Asked& asked : reading.asked) {
    if (!asked.posts({"transfers"})) continue;
    const auto [at, is_new] =
        first.try_emplace(number_of(asked.operation->merchant, asked.body()), asked.operation->call);
    if (!is_new) at->second = std::min(at->second, asked.operation->call);
  }
  return first;
}

void book_shortage(Books& books, const Reading& reading, const std::map<Number, std::int64_t>& first,
                   const Asked& asked) {
  if (asked.code != "insufficient_balance") return;
  std::string_view account;
  Window window = asked.window;
  if (asked.posts({"transfers"})) window.from = first.at(number_of(asked.operation->merchant, asked.body()));
  std::optional<std::int64_t> amount = number(asked.body(), "amount");
  if (asked.posts({"transfers"})) account = text(asked.body(), "debit_account");
  Number hold;
  if (asked.posts({"holds"})) {
    account = text(asked.body(), "account");
    hold = number_of(asked.operation->merchant, asked.body());
  }
  if (asked.posts({"transfers", "reverse"})) {  // the reversal debits the credited account
    for (const auto& [id, object] : reading.objects) {
      const json::object& fields = *object.observations.front().fields;
      const std::string_view merchant = object.observations.front().asked->operation->merchant;
      if (object.kind != "transfer" ||
          number_of(merchant, fields) != number_of(asked.operation->merchant, asked.body()))
        continue;
      account = text(fields, "credit_account");
      amount = number(fields, "amount");
    }
  }
  if (!account.empty() && amount) books[account].shortages.push_back({*amount, window, asked.place, hold});
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
  const std::map<Number, std::int64_t> first = first_asked_of(reading);
  for (const Asked& asked : reading.asked) book_shortage(books, reading, first, asked);
  return books;
}

}  // namespace finality::history
