#include "sim/auditors/history_recorder.h"

#include <boost/json/parse.hpp>

#include "history/check.h"
#include "history/json_lines.h"
#include "wire/wire.h"

namespace finality::sim {
namespace {

namespace json = boost::json;

template <class Value>
void add(json::object& body, std::string_view name, const std::optional<Value>& value) {
  if (value) body[name] = *value;
}

json::object body_of(const PaymentFields& fields) {
  json::object body{{"channel", fields.channel}};
  if (fields.account_id) body["account"] = to_text(*fields.account_id);
  add(body, "merchant_payment_no", fields.merchant_payment_no);
  return body;
}

/// Visitor that writes path and body of the API request for a command; false if no request is recorded.
struct Writer {
  std::string path;
  json::object body;

  bool operator()(const CreateOrder& order) {
    path = "/v1/orders";
    body = {{"merchant_order_no", order.merchant_order_no},
            {"amount", order.amount},
            {"currency", order.currency.text()},
            {"subject", order.subject}};
    if (order.payment) body["payment"] = body_of(*order.payment);
    if (order.capture_method == CaptureMethod::automatic) return true;
    body["capture_method"] = name_of(order.capture_method);
    body["on_capture_deadline"] = name_of(order.on_capture_deadline);
    add(body, "capture_within", order.capture_within);
    return true;
  }
  bool operator()(const StartPayment& start) {
    path = "/v1/orders/" + to_text(start.order_id) + "/payments";
    body = body_of(start.fields);
    return true;
  }
  bool operator()(const StartAuthorization& start) {
    path = "/v1/orders/" + to_text(start.order_id) + "/authorizations";
    body = body_of(start.fields);
    return true;
  }
  bool operator()(const CreateCapture& capture) {
    body = {{"merchant_capture_no", capture.merchant_capture_no}, {"final", capture.is_final}};
    add(body, "amount", capture.amount);
    return on_authorization(capture.authorization_id, "captures");
  }
  bool operator()(const ReleaseAuthorization& release) { return on_authorization(release.authorization_id, "release"); }
  bool operator()(const QueryAuthorization& query) { return on_authorization(query.authorization_id, "query"); }
  bool operator()(const CloseOrder& close) {
    path = "/v1/orders/" + to_text(close.order_id) + "/close";
    return true;
  }
  bool operator()(const QueryPayment& query) {
    path = "/v1/payments/" + to_text(query.payment_id) + "/query";
    return true;
  }
  bool operator()(const CreateRefund& refund) {
    path = "/v1/refunds";
    body = {{name_of(refund.collected.type), to_text(refund.collected)},
            {"merchant_refund_no", refund.merchant_refund_no}};
    add(body, "amount", refund.amount);
    return true;
  }
  bool operator()(const OpenAccount& open) {
    path = "/v1/accounts";
    body = {{"name", open.name}, {"currency", open.currency.text()}, {"overdraft", open.overdraft}};
    return true;
  }
  bool operator()(const ChangeAccount& change) { return on_account(change.account_id, name_of(change.event)); }
  bool operator()(const LockAccount& lock) {
    body = {{"owner", lock.owner}};
    add(body, "token", lock.token);
    return on_account(lock.account_id, "lock");
  }
  bool operator()(const UnlockAccount& unlock) {
    body = {{"token", unlock.token}};
    return on_account(unlock.account_id, "unlock");
  }
  bool operator()(const PostTransfer& transfer) {
    path = "/v1/transfers";
    body = {{"debit_account", to_text(transfer.debit_account_id)},
            {"credit_account", to_text(transfer.credit_account_id)},
            {"currency", transfer.currency.text()},
            {"source", transfer.source},
            {"reference", transfer.reference}};
    add(body, "amount", transfer.amount);
    add(body, "price", transfer.price);
    add(body, "quantity", transfer.quantity);
    add(body, "lock_token", transfer.lock_token);
    return true;
  }
  bool operator()(const ReverseTransfer& back) {
    path = "/v1/transfers/reverse";
    body = {{"source", back.source}, {"reference", back.reference}};
    add(body, "lock_token", back.lock_token);
    return true;
  }
  bool operator()(const CreateHold& hold) {
    path = "/v1/holds";
    body = {{"account", to_text(hold.account_id)},
            {"credit_account", to_text(hold.credit_account_id)},
            {"amount", hold.amount},
            {"currency", hold.currency.text()},
            {"source", hold.source},
            {"reference", hold.reference}};
    add(body, "lock_token", hold.lock_token);
    return true;
  }
  bool operator()(const PostHold& post) {
    path = "/v1/holds/" + to_text(post.hold_id) + "/post";
    add(body, "amount", post.amount);
    return true;
  }
  bool operator()(const VoidHold& hold) {
    path = "/v1/holds/" + to_text(hold.hold_id) + "/void";
    return true;
  }
  bool operator()(const auto&) { return false; }

 private:
  bool on_authorization(AuthorizationId authorization, std::string_view verb) {
    path = fmt::format("/v1/authorizations/{}/{}", to_text(authorization), verb);
    return true;
  }
  bool on_account(AccountId account, std::string_view verb) {
    path = fmt::format("/v1/accounts/{}/{}", to_text(account), verb);
    return true;
  }
};

MerchantId merchant_of(const Command& command) {
  return std::visit(
      [](const auto& value) {
        if constexpr (requires { MerchantId{value.merchant_id}; }) return MerchantId{value.merchant_id};
        return MerchantId{};
      },
      command);
}

}  // namespace

std::optional<history::Operation> HistoryRecorder::request_of(const Command& command, const std::string& key) {
  Writer writer;
  if (!std::visit(writer, command)) return std::nullopt;
  history::Operation request;
  request.merchant = to_text(merchant_of(command));
  request.method = "POST";
  request.path = std::move(writer.path);
  request.key = key;
  request.body = std::move(writer.body);
  return request;
}

std::size_t HistoryRecorder::sent(const history::Operation& request) {
  operations_.push_back({.call = ++last_instant_,
                         .merchant = request.merchant,
                         .method = request.method,
                         .path = request.path,
                         .key = request.key,
                         .body = json::object(request.body, &memory_),
                         .answer = fresh()});
  return operations_.size() - 1;
}

void HistoryRecorder::replied(std::size_t which, const Reply& reply) {
  history::Operation& operation = operations_[which];
  operation.returned = ++last_instant_;
  operation.status = reply.status;
  operation.replayed = reply.replayed;
  if (!reply.body.empty())
    operation.answer = json::parse(reply.body, &memory_).as_object();
  else if (reply.object)  // the client reads the object later; no check uses its state
    operation.answer = {{"id", to_text(*reply.object)}};
}

void HistoryRecorder::shown(const OrderAggregate& order) {
  add_shown("/v1/orders/" + to_text(order.order.id), order.order.merchant_id, wire::order_json(order, ""));
  std::vector<std::string> refunds;  // GET /v1/refunds also returns external refunds
  for (const Refund& refund : order.refunds) refunds.push_back(wire::refund_json(refund));
  add_shown("/v1/refunds?order=" + to_text(order.order.id), order.order.merchant_id,
            wire::list_json("/v1/refunds", false, refunds));
}

void HistoryRecorder::shown(const Account& account, Time now) {
  add_shown("/v1/accounts/" + to_text(account.id), account.merchant_id, wire::account_json(account, now));
}

void HistoryRecorder::add_shown(std::string path, MerchantId merchant, const std::string& body) {
  history::Operation& operation = operations_.emplace_back(history::Operation{.answer = fresh()});
  operation.call = ++last_instant_;
  operation.returned = ++last_instant_;
  operation.merchant = to_text(merchant);
  operation.method = "GET";
  operation.path = std::move(path);
  operation.status = 200;
  operation.answer = json::parse(body, &memory_).as_object();
  operation.answer.erase("checkout_url");  // the simulated reader does not know the base URL
}

void HistoryRecorder::check(Findings& findings) const {
  for (const history::Impossibility& violation : history::check(operations_).impossible) {
    std::string shown;  // the requests and replies that contradict each other
    for (const std::size_t place : violation.operations) shown += "\n    " + history::to_line(operations_[place]);
    findings.require(false, "9 consistent history", "{}: {}: {}{}", violation.object, violation.rule, violation.detail,
                     shown);
  }
}

}  // namespace finality::sim
