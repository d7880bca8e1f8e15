// Receipt: one paid trade at a channel. Unique per merchant by (channel, channel_trade_no). It is accepted for the
// order or returned to the payer.
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
  PaymentId payment_id;
  MerchantId merchant_id;
  std::string channel;
  ChannelAccountId channel_account_id;  // the payment's
  std::string channel_trade_no;
  MinorUnits amount = 0;
  Currency currency;
  ReceiptState state = ReceiptState::suspense;
  MinorUnits written_off = 0;  // of an accepted receipt: booked as a loss after contradictory evidence from the channel
  std::string refund_numbers;  // every refund number reported for its external refunds, separated by spaces
  MinorUnits numbered_refunds = 0;   // sum of the amounts reported under these refund numbers
  MinorUnits reported_refunded = 0;  // a running total received while one of our refunds was in progress; 0: none
  bool is_total_queried = false;     // the channel is queried for the running total, because the last one was too old
  bool is_refund_unknown = false;    // a part was refunded, and the amount was not reported
  std::optional<Time> refund_ended_at;  // when one of our refunds or reversals last ended: older totals are ignored
  Time paid_at;
  Time created_at;
};
BOOST_DESCRIBE_STRUCT(Receipt, (),
                      (id, order_id, payment_id, merchant_id, channel, channel_account_id, channel_trade_no, amount,
                       currency, state, written_off, refund_numbers, numbered_refunds, reported_refunded,
                       is_total_queried, is_refund_unknown, refund_ended_at, paid_at, created_at))
FINALITY_ROW(Receipt, "receipts", child, "order_id id",
             "payment_id merchant_id channel channel_account_id channel_trade_no amount currency paid_at created_at",
             .about = "one paid trade at a channel: accepted, in suspense or returned", .parent = "order_id",
             .presence = 1, .is_usual = true)

}  // namespace finality
