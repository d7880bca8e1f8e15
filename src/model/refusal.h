// Refusal: the error of a request that was not executed. It is a return value, never an exception. info_of() returns
// the properties of each code: its HTTP status and title, the time after which to retry, and whether a repeated request
// receives the stored refusal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/described.h"

namespace finality {

/// Error code of the API. The order is that of the checks: the first failed check determines the code.
enum class RefusalCode : std::uint8_t {
  unknown_endpoint,
  method_not_allowed,
  unauthorized,
  rate_limited,
  invalid_request,
  idempotency_key_reused,
  idempotency_key_in_use,
  forbidden,
  not_found,
  archived,
  file_expired,
  merchant_order_no_conflict,
  merchant_payment_no_conflict,
  merchant_refund_no_conflict,
  merchant_capture_no_conflict,
  reference_conflict,
  order_not_payable,
  order_succeeded,
  capture_method_mismatch,
  payment_not_refundable,
  refund_exceeds_paid,
  authorization_not_capturable,
  partial_capture_unsupported,
  multiple_captures_unsupported,
  capture_exceeds_authorized,
  hold_not_open,
  amount_exceeds_hold,
  already_reversed,
  account_locked,
  account_closed,
  account_frozen,
  currency_mismatch,
  price_not_found,
  insufficient_balance,
  payment_in_progress,
  capture_in_progress,
  illegal_transition,
  preview_changed,
  busy,
  storage_read_error,
  storage_write_error,
};
BOOST_DESCRIBE_ENUM(RefusalCode, unknown_endpoint, method_not_allowed, unauthorized, rate_limited, invalid_request,
                    idempotency_key_reused, idempotency_key_in_use, forbidden, not_found, archived, file_expired,
                    merchant_order_no_conflict, merchant_payment_no_conflict, merchant_refund_no_conflict,
                    merchant_capture_no_conflict, reference_conflict, order_not_payable, order_succeeded,
                    capture_method_mismatch, payment_not_refundable, refund_exceeds_paid, authorization_not_capturable,
                    partial_capture_unsupported, multiple_captures_unsupported, capture_exceeds_authorized,
                    hold_not_open, amount_exceeds_hold, already_reversed, account_locked, account_closed,
                    account_frozen, currency_mismatch, price_not_found, insufficient_balance, payment_in_progress,
                    capture_in_progress, illegal_transition, preview_changed, busy, storage_read_error,
                    storage_write_error)

/// The properties of one refusal code.
struct RefusalInfo {
  int status;
  bool stored;              // whether the idempotency record stores the refusal
  int retry_after_seconds;  // value of Retry-After; 0: do not retry
  std::string_view title;   // `title` of the problem details, a noun phrase (RFC 9457)
  std::string_view advice;  // what the client should do, for docs/reference/errors.md
};

constexpr RefusalInfo info_of(RefusalCode code) {
  constexpr RefusalInfo infos[] = {
      {404, false, 0, "Unknown endpoint", "Check method and path against the API reference."},
      {405, false, 0, "Method not allowed", "Use a method that the `Allow` header lists."},
      {401, false, 0, "Invalid or missing API key",
       "Send a valid key; `detail` states whether it is missing, malformed or unknown."},
      {429, false, 1, "Too many requests", "Wait for `Retry-After`."},
      {400, false, 0, "Invalid request", "Correct the field that `param` names."},
      {422, false, 0, "Idempotency key reused with another request",
       "Use a new key for a new request, and the same body for a retry."},
      {409, false, 1, "Idempotency key in use", "Wait for `Retry-After`, then repeat the request with the same key."},
      {403, false, 0, "Operation not permitted", "Use a key whose role permits the operation."},
      {404, false, 0, "Object not found", "Check the id. Objects of other merchants are not found either."},
      {410, false, 0, "Order archived", "Ask the operator to restore the order."},
      {410, false, 0, "Statement file expired", "Use the counts and differences of the statement, or fetch it again."},
      {409, true, 0, "Merchant order number already in use",
       "Use a new number, or the same content to get the existing order."},
      {409, true, 0, "Merchant payment number already in use",
       "Use a new number, or the same content to get the existing payment."},
      {409, true, 0, "Merchant refund number already in use",
       "Use a new number, or the same content to get the existing refund."},
      {409, true, 0, "Merchant capture number already in use",
       "Use a new number, or the same content to get the existing capture."},
      {409, true, 0, "Reference already in use",
       "Use a new reference, or the same content to get the existing object."},
      {409, true, 0, "Order not payable", "Create a new order; `state` tells why this one accepts no payment."},
      {409, true, 0, "Order already paid", "Refund the payment instead."},
      {409, true, 0, "Order with another capture method",
       "Start a payment if the order's `capture_method` is `automatic`, and an authorization if it is `manual`."},
      {409, true, 0, "Payment not refundable",
       "Check the payment; a channel that pays no refunds, or an open exception case, can be the reason."},
      {409, true, 0, "Refund amount above the refundable amount", "Reduce `amount`."},
      {409, true, 0, "Authorization not capturable",
       "Read the authorization; `state` tells why it accepts no capture. Its deadline is `capture_before`."},
      {409, true, 0, "Partial capture not supported", "Omit `amount`: the channel captures only the whole amount."},
      {409, true, 0, "Several captures not supported",
       "Capture once, with `final: true`: the channel accepts one capture per authorization."},
      {409, true, 0, "Capture amount above the held amount", "Reduce `amount`."},
      {409, true, 0, "Hold not open", "Read the hold; it was posted, voided or has expired."},
      {409, true, 0, "Amount above the held amount", "Reduce `amount`."},
      {409, true, 0, "Transfer already reversed", "Do not retry; a reversal with this reference arrived first."},
      {409, false, 1, "Account locked", "Send the lock token, or wait for `Retry-After`."},
      {422, true, 0, "Account closed", "Use another account."},
      {422, true, 0, "Account frozen", "Ask the operator to unfreeze the account."},
      {422, true, 0, "Currency mismatch", "Use accounts of the same currency."},
      {422, true, 0, "Price not found", "Set the price first, or send `amount`."},
      {422, true, 0, "Insufficient balance", "Credit the account first."},
      {409, false, 1, "Payment in progress",
       "Wait for `Retry-After`: the result of another payment of the order is unknown, or operators decide about its "
       "amount."},
      {409, false, 1, "Capture in progress",
       "Wait for `Retry-After`: the result of another capture of the authorization is unknown."},
      {409, true, 0, "Operation not allowed in this state", "Read the object; `state` is its current state."},
      {409, true, 0, "Reviewed version changed",
       "Read the object again, review it, and approve the `version` that you have reviewed."},
      {503, false, 1, "Server busy", "Wait for `Retry-After`, then repeat the request with the same key."},
      {503, false, 1, "Storage read error", "Wait for `Retry-After`, then repeat the request with the same key."},
      {503, false, 1, "Storage write error", "Wait for `Retry-After`, then repeat the request with the same key."},
  };
  static_assert(std::size(infos) == kCount<RefusalCode>);
  return infos[static_cast<std::size_t>(code)];
}

struct Refusal {
  RefusalCode code = RefusalCode::invalid_request;
  std::string detail;                // reason and next step, for the developer of the client
  std::optional<std::string> param;  // path of the invalid field, if any
  std::optional<std::string> state;  // state of the object, if the state is the reason
  /// Whether the changes of the refused command are committed, for example the record of a refused transfer.
  bool kept = false;
  int retry_after_seconds = 0;            // if not 0: value of Retry-After instead of that of the code
  std::optional<std::int64_t> version{};  // current version of the object, if the version is the reason
};

/// The value of Retry-After for the refusal; 0: do not retry.
inline int retry_after_of(const Refusal& refusal) {
  return refusal.retry_after_seconds != 0 ? refusal.retry_after_seconds : info_of(refusal.code).retry_after_seconds;
}

}  // namespace finality
