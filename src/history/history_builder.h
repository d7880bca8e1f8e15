// Test fixture: builds histories and the API's JSON objects for their responses.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/json/parse.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "history/check.h"

namespace finality::history::test {

namespace json = boost::json;

/// Builds a history of consecutive requests that do not overlap. Tests may change the times of the returned operations.
class HistoryBuilder {
 public:
  Operation& request(std::string method, std::string path, std::string_view body, int status, std::string_view answer) {
    Operation& operation = history.emplace_back();
    operation.call = ++now_ * 10;
    operation.returned = status == 0 ? kNever : operation.call + 5;
    operation.client = "till";
    operation.merchant = "tea";
    operation.method = std::move(method);
    operation.path = std::move(path);
    if (!body.empty()) operation.body = json::parse(body).as_object();
    operation.status = status;
    if (!answer.empty()) operation.answer = json::parse(answer).as_object();
    return operation;
  }
  Operation& post(std::string path, std::string_view body, int status, std::string_view answer) {
    return request("POST", std::move(path), body, status, answer);
  }
  Operation& get(std::string path, std::string_view answer) { return request("GET", std::move(path), "", 200, answer); }

  std::vector<Operation> history;

 private:
  std::int64_t now_ = 0;
};

inline std::string account(std::string_view id, int balance, int held, int version, std::string_view state = "open") {
  return fmt::format(
      R"({{"id":"{}","object":"account","currency":"CNY","balance":{},"held":{},"available":{},"overdraft":{},
           "state":"{}","version":{}}})",
      id, balance, held, balance - held, id == "acc_till" ? 1'000'000'000 : 0, state, version);
}

inline std::string transfer_body(std::string_view from, std::string_view to, int amount, std::string_view reference) {
  return fmt::format(R"({{"debit_account":"{}","credit_account":"{}","amount":{},"currency":"CNY","reference":"{}"}})",
                     from, to, amount, reference);
}

inline std::string transfer(std::string_view from, std::string_view to, int amount, std::string_view reference,
                            std::string_view state = "posted") {
  return fmt::format(
      R"({{"id":"tra_{}","object":"transfer","debit_account":"{}","credit_account":"{}","amount":{},"currency":"CNY",
           "source":"api","reference":"{}","state":"{}","version":{}}})",
      reference, from, to, amount, reference, state, state == "posted" ? 1 : 2);
}

inline std::string hold(std::string_view state, int posted) {
  return fmt::format(
      R"({{"id":"hol_1","object":"hold","account":"acc_alice","credit_account":"acc_till","amount":15,
           "posted_amount":{},"currency":"CNY","source":"api","reference":"h1","state":"{}","version":{}}})",
      posted, state, state == "held" ? 1 : 2);
}

inline std::string payment(std::string_view id, std::string_view state, int version) {
  return fmt::format(
      R"({{"id":"{}","object":"payment","order":"ord_1","channel":"sandbox","state":"{}","amount":100,
           "currency":"CNY","paid_amount":{},"reversed_amount":0,"version":{}}})",
      id, state, state == "succeeded" ? 100 : 0, version);
}

inline std::string order(std::string_view state, int refunded, int version, const std::string& payments) {
  return fmt::format(
      R"({{"id":"ord_1","object":"order","merchant_order_no":"n1","amount":100,"currency":"CNY","state":"{}",
           "close_requested":false,"paid_amount":{},"refunded_amount":{},"version":{},"payments":[{}]}})",
      state, state == "succeeded" ? 100 : 0, refunded, version, payments);
}

inline std::string closed_order(std::string_view state, int version) {
  return fmt::format(
      R"({{"id":"ord_2","object":"order","merchant_order_no":"n2","amount":70,"currency":"CNY","state":"{}",
           "close_requested":{},"paid_amount":0,"refunded_amount":0,"version":{},"payments":[]}})",
      state, state == "closed", version);
}

/// Returns the JSON of a capture of auth_1; its merchant_capture_no is `n_` and its id.
inline std::string capture(std::string_view id, int amount, bool is_final, std::string_view state, int refunded = 0) {
  return fmt::format(
      R"({{"id":"{}","object":"capture","authorization":"auth_1","order":"ord_9","origin":"merchant",
           "merchant_capture_no":"n_{}","amount":{},"currency":"CNY","state":"{}","final":{},"fee_amount":0,
           "refunded_amount":{},"version":{}}})",
      id, id, amount, state, is_final, refunded, state == "processing" ? 2 : 3);
}

/// Returns the JSON of auth_1. `account`: field `account` of a wallet authorization; may be empty.
inline std::string authorization(std::string_view state, int captured, int version,
                                 const std::vector<std::string>& captures, std::string_view account = "") {
  const bool is_final = state == "captured" || state == "released";
  return fmt::format(
      R"({{"id":"auth_1","object":"authorization","order":"ord_9","channel":"{}",{}"state":"{}","amount":100,
           "authorized_amount":{},"currency":"CNY","captured_amount":{},"released_amount":{},{}"unfunded":false,
           "captures":[{}],"version":{}}})",
      account.empty() ? "sandbox" : "wallet", account.empty() ? "" : fmt::format(R"("account":"{}",)", account), state,
      state == "processing" ? 0 : 100, captured, is_final ? 100 - captured : 0,
      is_final ? fmt::format(R"("end_reason":"{}",)", state == "captured" ? "captured" : "requested") : "",
      fmt::join(captures, ","), version);
}

/// Returns the JSON of ord_9, an order with manual capture. `authorization`: its authorization, or empty.
inline std::string manual_order(std::string_view state, int paid, int refunded, int version,
                                const std::string& authorization) {
  return fmt::format(
      R"({{"id":"ord_9","object":"order","merchant_order_no":"n9","amount":100,"currency":"CNY","state":"{}",
           "close_requested":false,"capture_method":"manual","paid_amount":{},"refunded_amount":{},"version":{},
           "payments":[],"authorized_amount":{},"authorizations":[{}]}})",
      state, paid, refunded, version, authorization.empty() ? 0 : 100, authorization);
}

inline std::string refund(std::string_view id, int amount, std::string_view state) {
  return fmt::format(
      R"({{"id":"{}","object":"refund","kind":"refund","payment":"pay_1","order":"ord_1","merchant_refund_no":"n_{}",
           "amount":{},"currency":"CNY","state":"{}","version":{}}})",
      id, id, amount, state, state == "pending" ? 1 : 2);
}

/// Returns the JSON of an external refund, which the channel made without a request.
inline std::string external_refund(std::string_view id, int amount) {
  return fmt::format(
      R"({{"id":"{}","object":"refund","kind":"refund","payment":"pay_1","order":"ord_1","origin":"channel",
           "amount":{},"currency":"CNY","state":"succeeded","version":2}})",
      id, amount);
}

inline std::string list_of(const std::vector<std::string>& items) {
  return fmt::format(R"({{"object":"list","has_more":false,"data":[{}]}})", fmt::join(items, ","));
}

inline std::string refund_body(std::string_view id, int amount) {
  return fmt::format(R"({{"payment":"pay_1","merchant_refund_no":"n_{}","amount":{}}})", id, amount);
}

inline std::string problem(std::string_view code, std::string_view state = "") {
  return fmt::format(R"({{"code":"{}","state":"{}"}})", code, state);
}

inline std::string entry(int number, std::string_view reference, int amount, int before) {
  return fmt::format(
      R"({{"id":"ent_{}","object":"entry","account":"acc_alice","amount":{},"balance_before":{},"balance_after":{},
           "type":"{}","{}":"x","source":"api","reference":"{}"}})",
      number, amount, before, before + amount, reference == "h1" ? "hold_posted" : "transfer",
      reference == "h1" ? "hold" : "transfer", reference);
}

inline std::string text_of(const Report& report) {
  std::string all;
  for (const Impossibility& violation : report.impossible)
    all += fmt::format("{}: {}: {}\n", violation.object, violation.rule, violation.detail);
  return all;
}

}  // namespace finality::history::test
