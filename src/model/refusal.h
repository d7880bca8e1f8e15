// Business refusals: values, never exceptions. One table says what each is called, its HTTP status, whether asking
// again helps, and whether the refusal is kept for replay (wire contract, table of codes).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/described.h"

namespace finality {

/// In the order in which the checks run: an earlier one hides a later one.
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
  bool stored;              // kept under the idempotency key
  int retry_after_seconds;  // 0: asking again does not help
  std::string_view title;
};

constexpr RefusalInfo info_of(RefusalCode code) {
  constexpr RefusalInfo infos[] = {
      {405, false, 0, "This address does not take that method"},
      {401, false, 0, "No valid key"},
      {429, false, 1, "Too many requests"},
      {400, false, 0, "The request is not valid"},
      {422, false, 0, "The idempotency key was used with another request"},
      {409, false, 1, "The first request with this idempotency key is still under way"},
      {403, false, 0, "The key's role does not allow this"},
      {404, false, 0, "There is no such object"},
      {410, false, 0, "The order has been archived"},
      {409, true, 0, "The merchant_order_no belongs to another order"},
      {409, true, 0, "The merchant_payment_no belongs to another payment"},
      {409, true, 0, "The merchant_refund_no belongs to another refund"},
      {409, true, 0, "The reference belongs to another request"},
      {409, true, 0, "The order takes no more payments"},
      {409, true, 0, "The order has been paid"},
      {409, true, 0, "There is nothing of this payment to give back"},
      {409, true, 0, "More would be given back than was paid"},
      {409, true, 0, "The hold is not open any more"},
      {409, true, 0, "The amount exceeds the hold"},
      {409, true, 0, "The transfer was reversed"},
      {409, false, 1, "Somebody holds the account's lock"},
      {422, true, 0, "The account is closed"},
      {422, true, 0, "The account is frozen"},
      {422, true, 0, "The currencies differ"},
      {422, true, 0, "The price list has no such name"},
      {422, true, 0, "The account has not enough"},
      {409, false, 1, "An answer from the channel is still owed"},
      {409, true, 0, "The object's state does not allow this"},
      {503, false, 1, "The server is busy"},
      {503, false, 1, "The store cannot be read"},
      {503, false, 1, "The store cannot be written"},
  };
  static_assert(std::size(infos) == kCount<RefusalCode>);
  return infos[static_cast<std::size_t>(code)];
}

struct Refusal {
  RefusalCode code = RefusalCode::invalid_request;
  std::string detail;                // for people: what is wrong and what to do
  std::optional<std::string> param;  // the field at fault
  std::optional<std::string> state;  // the object's state, where that is the reason
  /// What keeps the refusal's trace: the decision's changes are committed all the same.
  bool kept = false;
};

}  // namespace finality
