#include <boost/json/array.hpp>

#include <algorithm>
#include <set>

#include "history/changes.h"

namespace finality::history {
namespace {

namespace json = boost::json;

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

}  // namespace

void book_wallet(Books& books, const Reading& reading) {
  Wallets wallets = wallets_of(reading);
  book_payments(books, reading, wallets);
  book_refunds(books, reading, wallets);
}

}  // namespace finality::history
