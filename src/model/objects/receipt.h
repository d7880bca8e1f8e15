// Receipt: one paid trade at a channel. (channel, channel_trade_no, ordinal) is unique within a merchant. A receipt is
// either accepted for the order or returned to the payer.
#pragma once

#include <optional>
#include <string>

#include "base/money.h"
#include "base/time/time.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

enum class ReceiptState : std::uint8_t { accepted, suspense, returned };
BOOST_DESCRIBE_ENUM(ReceiptState, accepted, suspense, returned)

struct Receipt {
  ReceiptId id;
  OrderId order_id;
  PaymentId payment_id;  // 0 if a capture collected the receipt
  std::optional<CaptureId> capture_id;
  MerchantId merchant_id;
  std::string channel;
  ChannelAccountId channel_account_id;  // channel account of the payment
  std::string channel_trade_no;
  std::int64_t ordinal = 0;  // that of the capture, if the channel uses one trade number for all captures; else 0
  MinorUnits amount = 0;
  Currency currency;
  ReceiptState state = ReceiptState::suspense;
  MinorUnits written_off = 0;  // booked as a loss, after the channel contradicted its report of an accepted receipt
  MinorUnits accepted_difference = 0;  // amount less that of the payment, after operators accepted the mismatch; else 0
  std::string refund_numbers;          // refund numbers that the channel reported for external refunds, space separated
  MinorUnits numbered_refunds = 0;     // sum of the amounts reported for `refund_numbers`
  MinorUnits reported_refunded = 0;    // refunded total reported while a refund was in progress; 0: none
  bool is_total_queried = false;       // the refunded total is queried again: the last reported total was too old
  bool is_refund_unknown = false;      // part of the receipt was refunded, but the amount was not reported
  std::optional<Time> refund_ended_at;  // end of the last refund or reversal; older totals are ignored
  Time paid_at;
  Time created_at;
};
BOOST_DESCRIBE_STRUCT(Receipt, (),
                      (id, order_id, payment_id, capture_id, merchant_id, channel, channel_account_id, channel_trade_no,
                       ordinal, amount, currency, state, written_off, accepted_difference, refund_numbers,
                       numbered_refunds, reported_refunded, is_total_queried, is_refund_unknown, refund_ended_at,
                       paid_at, created_at))
FINALITY_ROW(Receipt, "receipts", child, "order_id id",
             "payment_id capture_id merchant_id channel channel_account_id channel_trade_no ordinal amount currency "
             "paid_at created_at",
             .about = "one paid trade at a channel: accepted, in suspense or returned", .parent = "order_id",
             .presence = 1, .is_usual = true)

}  // namespace finality
