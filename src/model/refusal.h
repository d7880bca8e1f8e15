// Business refusals: values, never exceptions. One table has the HTTP status and the title of each code, whether a
// retry helps, and whether the refusal is stored for replay (wire contract, table of codes).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/described.h"

namespace finality {

/// Codes in the order of the checks: the first failed check determines the code.
enum class RefusalCode : std::uint8_t {
  method_not_allowed,
  unauthorized,
  rate_limited,
  invalid_request,
  idempotency_key_reused,
  idempotency_key_in_use,
  forbidden,
  not_found,
  archived,
  merchant_order_no_conflict,
  merchant_payment_no_conflict,
  merchant_refund_no_conflict,
  reference_conflict,
  order_not_payable,
  order_succeeded,
  payment_not_refundable,
  refund_exceeds_paid,
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
  illegal_transition,
  busy,
  storage_read_error,
  storage_write_error,
};
BOOST_DESCRIBE_ENUM(RefusalCode, method_not_allowed, unauthorized, rate_limited, invalid_request,
                    idempotency_key_reused, idempotency_key_in_use, forbidden, not_found, archived,
                    merchant_order_no_conflict, merchant_payment_no_conflict, merchant_refund_no_conflict,
                    reference_conflict, order_not_payable, order_succeeded, payment_not_refundable, refund_exceeds_paid,
                    hold_not_open, amount_exceeds_hold, already_reversed, account_locked, account_closed,
                    account_frozen, currency_mismatch, price_not_found, insufficient_balance, payment_in_progress,
                    illegal_transition, busy, storage_read_error, storage_write_error)

struct RefusalInfo {
  int status;
  bool stored;              // in the idempotency record
  int retry_after_seconds;  // 0: a retry does not help
  std::string_view title;
};

constexpr RefusalInfo info_of(RefusalCode code) {
  constexpr RefusalInfo infos[] = {
      {405, false, 0, "Method not allowed"},
      {401, false, 0, "Invalid or missing API key"},
      {429, false, 1, "Too many requests"},
      {400, false, 0, "Invalid request"},
      {422, false, 0, "Idempotency key reused with another request"},
      {409, false, 1, "Idempotency key in use"},
      {403, false, 0, "Operation not permitted"},
      {404, false, 0, "Object not found"},
      {410, false, 0, "Order archived"},
      {409, true, 0, "Merchant order number already in use"},
      {409, true, 0, "Merchant payment number already in use"},
      {409, true, 0, "Merchant refund number already in use"},
      {409, true, 0, "Reference already in use"},
      {409, true, 0, "Order not payable"},
      {409, true, 0, "Order already paid"},
      {409, true, 0, "Payment not refundable"},
      {409, true, 0, "Refund amount above the refundable amount"},
      {409, true, 0, "Hold not open"},
      {409, true, 0, "Amount above the held amount"},
      {409, true, 0, "Transfer already reversed"},
      {409, false, 1, "Account locked"},
      {422, true, 0, "Account closed"},
      {422, true, 0, "Account frozen"},
      {422, true, 0, "Currency mismatch"},
      {422, true, 0, "Price not found"},
      {422, true, 0, "Insufficient balance"},
      {409, false, 1, "Payment in progress"},
      {409, true, 0, "Operation not allowed in this state"},
      {503, false, 1, "Server busy"},
      {503, false, 1, "Storage read error"},
      {503, false, 1, "Storage write error"},
  };
  static_assert(std::size(infos) == kCount<RefusalCode>);
  return infos[static_cast<std::size_t>(code)];
}

struct Refusal {
  RefusalCode code = RefusalCode::invalid_request;
  std::string detail;                // for people: the reason and the next step
  std::optional<std::string> param;  // the invalid field
  std::optional<std::string> state;  // the object's state, when it is the reason
  /// Whether the changes of the refused command are committed, such as a refused transfer.
  bool kept = false;
};

}  // namespace finality
