#include <boost/json/array.hpp>

#include <algorithm>
#include <set>

#include "history/changes.h"

namespace finality::history {
namespace {

namespace json = boost::json;

// Model of wallet payments, which pay an order from an account, of wallet authorizations, which reserve the amount of
// an order on an account, and of refunds to that account.

struct Wallet {
  std::string_view account;
  Times paid;
  std::int64_t amount = 0;
};

/// A request to pay an order from an account, or to reserve its amount there.
struct WalletRequest {
  bool is_hold = false;
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
    result.is_hold = text(request.body(), "capture_method") == "manual";
  } else if (request.posts({"orders", "*", "payments"}) || request.posts({"orders", "*", "authorizations"})) {
    payment = &request.body();
    result.is_hold = request.path[2] == "authorizations";
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
  std::map<std::string_view, std::string_view> accounts;  // ids of accounts, by the payment or capture of their money
};

// Returns the id of the order that the request pays; empty if no response contains it.
std::string_view order_of(const Wallets& wallets, const Request& request, const WalletRequest& payment) {
  const auto listed = wallets.order_by_number.find({request.operation->merchant, payment.order_no});
  return payment.order.empty() && listed != wallets.order_by_number.end() ? listed->second : payment.order;
}

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
    if (!payment || payment->is_hold || has_paid_nothing(request) ||
        unpaid.contains({request.operation->merchant, payment->name}))
      continue;
    const std::string_view order = order_of(wallets, request, *payment);
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
    wallets.accounts[id] = wallet.account;
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

// Adds what a response shows of an authorization. Only its released amount shows that the hold was released.
void add_observed_authorization(Hold& hold, const Observation& observation) {
  const json::object& fields = *observation.fields;
  const auto amount = number(fields, "authorized_amount");
  if (amount.value_or(0) == 0) return;  // refused
  hold.terms = Terms{.debit = text(fields, "account"), .credit = {}, .amount = amount};
  hold.made.add_observation(observation);
  if (observation.state() == "captured") {
    hold.posted.add_observation(observation);
    hold.posted_amount = number(fields, "captured_amount");
  }
  if (observation.state() == "released" && number(fields, "released_amount").value_or(0) > 0)
    hold.voided.add_observation(observation);
}

// Adds the captures to the holds: a wallet authorization ends with its capture. Finality can also capture at a
// deadline, without a request of the merchant.
void add_captures(std::map<std::string_view, Hold>& holds, const Reading& reading, Wallets& wallets) {
  for (auto& [id, hold] : holds) hold.posts.insert(0);
  for (const auto& [id, object] : reading.objects) {
    if (object.kind != "capture") continue;
    const auto at = holds.find(text(*object.observations.front().fields, "authorization"));
    if (at == holds.end() || !at->second.terms) continue;
    wallets.accounts[id] = at->second.terms->debit;
    for (const Observation& observation : object.observations) {
      if (observation.state() != "succeeded") continue;
      at->second.posted.add_observation(observation);
      at->second.posted_amount = number(*observation.fields, "amount");
    }
  }
  for (const Request& request : reading.requests)
    if (request.posts({"authorizations", "*", "captures"}) && request.may_have_acted())
      if (const auto at = holds.find(request.path[1]); at != holds.end())
        at->second.posts.insert(number(request.body(), "amount").value_or(0));
}

void book_authorizations(Books& books, const Reading& reading, Wallets& wallets) {
  std::map<std::string_view, Hold> holds;                                   // by authorization
  std::map<std::pair<std::string_view, std::string_view>, Hold*> by_order;  // those that held, by order and account
  for (const auto& [id, object] : reading.objects) {
    const json::object& first = *object.observations.front().fields;
    if (object.kind != "authorization" || text(first, "channel") != "wallet") continue;
    Hold& hold = holds[id];
    hold.is_numbered = false;
    for (const Observation& observation : object.observations) add_observed_authorization(hold, observation);
    if (hold.terms) by_order[{text(first, "order"), hold.terms->debit}] = &hold;
  }
  add_captures(holds, reading, wallets);
  for (const Request& request : reading.requests) {
    const auto wanted = wallet_request(request);
    if (!wanted || !wanted->is_hold || !request.may_have_acted()) continue;
    const auto at = by_order.find({order_of(wallets, request, *wanted), wanted->account});
    if (at != by_order.end())
      at->second->made.add_request(request);
    else if (request.outcome == OperationOutcome::unknown)
      books[wanted->account].unknown = true;  // an amount may be held or captured that no response shows
  }
  for (auto& [id, hold] : holds) {
    for (Times* end : {&hold.posted, &hold.voided}) {  // also at a deadline, or because the order is closed
      end->window.from = hold.made.window.from;
      end->requested_at = hold.made.requested_at;
      end->requested = true;
    }
    book_hold(books, {{}, "wallet", id}, hold);
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
    const auto account = wallets.accounts.find(collector_of(first));
    if (object.kind != "refund" || account == wallets.accounts.end()) continue;
    reported.insert(text(first, "merchant_refund_no"));
    Times times = requested[text(first, "merchant_refund_no")];
    for (const Observation& observation : object.observations)
      if (observation.state() == "succeeded") times.add_observation(observation);
    if (times.is_reported()) add(books[account->second], {number(first, "amount").value_or(0), 0}, times, id);
  }
  for (const Request& request : reading.requests) {
    if (!request.posts({"refunds"}) || request.outcome != OperationOutcome::unknown) continue;
    const auto account = wallets.accounts.find(collector_of(request.body()));
    const std::string_view name = text(request.body(), "merchant_refund_no");
    if (account == wallets.accounts.end() || !reported.insert(name).second) continue;
    const auto amount = number(request.body(), "amount");
    if (amount)
      add(books[account->second], {*amount, 0}, requested[name], name);
    else
      books[account->second].unknown = true;
  }
}

}  // namespace

void book_wallet(Books& books, const Reading& reading) {
  Wallets wallets = wallets_of(reading);
  book_payments(books, reading, wallets);
  book_authorizations(books, reading, wallets);
  book_refunds(books, reading, wallets);
}

}  // namespace finality::history
