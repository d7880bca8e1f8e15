// The receipt: one upstream trade that was really paid. Unique per merchant by (channel, upstream trade number); it is
// accepted, or it goes back.
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
  MinorUnits written_off = 0;  // of an accepted one: what the channel took back by contradicting itself, now our loss
  std::string refund_numbers;  // of its external refunds: every number that was reported, separated by spaces
  MinorUnits numbered_refunds = 0;      // what these numbers stand for, together
  MinorUnits reported_refunded = 0;     // a running total that came while a refund of ours was under way; 0: none waits
  bool is_total_queried = false;        // the channel is asked how much was refunded: what it said came too early
  bool is_refund_unknown = false;       // something was refunded, and the amount was not reported
  std::optional<Time> refund_ended_at;  // when a refund or reversal of ours last ended: older totals say nothing
  Time paid_at;
  Time created_at;
};
BOOST_DESCRIBE_STRUCT(Receipt, (),
                      (id, order_id, payment_id, merchant_id, channel, channel_account_id, channel_trade_no, amount,
                       currency, state, written_off, refund_numbers, numbered_refunds, reported_refunded,
                       is_total_queried, is_refund_unknown, refund_ended_at, paid_at, created_at))
FINALITY_ROW(Receipt, "receipts", child, "order_id id",
             "payment_id merchant_id channel channel_account_id channel_trade_no amount currency paid_at created_at",
             .about = "one upstream trade that was really paid: accepted, in suspense or returned",
             .parent = "order_id", .presence = 1, .is_usual = true)

}  // namespace finality
