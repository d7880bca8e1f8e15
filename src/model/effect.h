// What a commit asks the worker to do outside, once it is durable. An effect that is lost (a crash, a full queue) comes
// back by itself: its row is due again after `deadline` and a margin.
#pragma once

#include <variant>
#include <vector>

#include "base/secret.h"
#include "base/time/time.h"
#include "model/aggregate.h"
#include "model/objects/event.h"

namespace finality {

enum class ChannelCallKind : std::uint8_t { send_payment, query_payment, close_payment };
BOOST_DESCRIBE_ENUM(ChannelCallKind, send_payment, query_payment, close_payment)

/// One request to a channel. Nothing may be sent after `deadline`; what comes back later is still evidence.
struct ChannelCall {
  ChannelCallKind kind = ChannelCallKind::query_payment;
  Order order;
  Payment payment;
  Time deadline;
  std::string return_url;  // of a send: where the channel sends the payer back to; empty when the shop wants none back
  std::string traceparent{};  // of the request that led to this (Cause); may be empty
};

enum class RefundCallKind : std::uint8_t { send_refund, query_refund };
BOOST_DESCRIBE_ENUM(RefundCallKind, send_refund, query_refund)

/// One request to a channel about money going back. It names the upstream trade by the receipt's own number: by ours it
/// could return another trade of the same payment.
struct RefundCall {
  RefundCallKind kind = RefundCallKind::query_refund;
  ObjectRef row;  // the refund or the reversal
  MerchantId merchant_id;
  OrderId order_id;
  std::string channel;
  ChannelAccountId channel_account_id;  // the row's
  std::string channel_trade_no;
  std::string out_refund_no;
  MinorUnits amount = 0;
  MinorUnits trade_amount = 0;  // what the trade collected
  Currency currency;
  std::optional<std::string> scenario;
  std::string reason{};  // the merchant's, for the payer to read; may be empty
  Time deadline;
  std::string traceparent{};  // as in ChannelCall
};

// What the requests to channels have in common, whatever they are about.
inline const std::string& channel_of(const ChannelCall& call) { return call.payment.channel; }
inline const std::string& channel_of(const RefundCall& call) { return call.channel; }
/// Our number of what it is about.
inline const std::string& number_of(const ChannelCall& call) { return call.payment.out_trade_no; }
inline const std::string& number_of(const RefundCall& call) { return call.out_refund_no; }
inline MerchantId merchant_of(const ChannelCall& call) { return call.payment.merchant_id; }
inline MerchantId merchant_of(const RefundCall& call) { return call.merchant_id; }
/// Whether it only asks.
inline bool is_query(const ChannelCall& call) { return call.kind == ChannelCallKind::query_payment; }
inline bool is_query(const RefundCall& call) { return call.kind == RefundCallKind::query_refund; }
/// What an answer to it is evidence from.
template <class Call>
CauseKind source_of(const Call& call) {
  return is_query(call) ? CauseKind::query : CauseKind::channel_reply;
}
/// Whether its result is outstanding already, so that it stays so where it cannot be asked now.
inline bool is_owed(const ChannelCall& call) {
  return payment_machine.due_effect(call.payment.state) == PaymentEffect::query;
}
inline bool is_owed(const RefundCall&) { return true; }

/// One attempt of a delivery, signed with each of `secrets`.
struct DeliveryAttempt {
  Delivery delivery;
  std::vector<Secret> secrets;
  Time deadline;
  std::string traceparent{};  // as in ChannelCall
};

using Effect = std::variant<ChannelCall, RefundCall, DeliveryAttempt>;

}  // namespace finality
