// Effects: outgoing requests that the worker performs once their commit is durable. A lost effect (crash, full queue)
// is repeated, because its row becomes due again after `deadline` and a margin.
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

/// One request to a channel. Must not be sent after `deadline`; a response that arrives later is still evidence.
struct ChannelCall {
  ChannelCallKind kind = ChannelCallKind::query_payment;
  Order order;
  Payment payment;
  Time deadline;
  std::string return_url;     // of a send: the page to which the channel redirects the payer; empty without return_url
  std::string traceparent{};  // of the request that caused this one (Cause); may be empty
};

enum class RefundCallKind : std::uint8_t { send_refund, query_refund };
BOOST_DESCRIBE_ENUM(RefundCallKind, send_refund, query_refund)

/// One request to a channel about a refund or reversal. It names the trade by the receipt's channel_trade_no: by our
/// out_trade_no the channel could refund another trade of the same payment.
struct RefundCall {
  RefundCallKind kind = RefundCallKind::query_refund;
  ObjectRef row;  // the refund or the reversal
  MerchantId merchant_id;
  OrderId order_id;
  std::string channel;
  ChannelAccountId channel_account_id;  // of the refund or reversal
  std::string channel_trade_no;
  std::string out_refund_no;
  MinorUnits amount = 0;
  MinorUnits trade_amount = 0;  // amount that the trade collected
  Currency currency;
  std::optional<std::string> scenario;
  std::string reason{};  // from the merchant, shown to the payer; may be empty
  Time deadline;
  std::string traceparent{};  // as in ChannelCall
};

// Properties that both kinds of requests have.
inline const std::string& channel_of(const ChannelCall& call) { return call.payment.channel; }
inline const std::string& channel_of(const RefundCall& call) { return call.channel; }
/// The out_trade_no of the trade, or the out_refund_no of the refund or reversal.
inline const std::string& number_of(const ChannelCall& call) { return call.payment.out_trade_no; }
inline const std::string& number_of(const RefundCall& call) { return call.out_refund_no; }
inline MerchantId merchant_of(const ChannelCall& call) { return call.payment.merchant_id; }
inline MerchantId merchant_of(const RefundCall& call) { return call.merchant_id; }
/// Whether the request is a query.
inline bool is_query(const ChannelCall& call) { return call.kind == ChannelCallKind::query_payment; }
inline bool is_query(const RefundCall& call) { return call.kind == RefundCallKind::query_refund; }
/// The source of evidence from the response.
template <class Call>
CauseKind source_of(const Call& call) {
  return is_query(call) ? CauseKind::query : CauseKind::channel_reply;
}
/// Whether the result was outstanding before this request, as for every query. A query that cannot be sent does not
/// change that.
inline bool is_result_outstanding(const ChannelCall& call) {
  return payment_machine.due_effect(call.payment.state) == PaymentEffect::query;
}
inline bool is_result_outstanding(const RefundCall&) { return true; }

/// One attempt of a delivery, signed with each of `secrets`.
struct DeliveryAttempt {
  Delivery delivery;
  std::vector<Secret> secrets;
  Time deadline;
  std::string traceparent{};  // as in ChannelCall
};

using Effect = std::variant<ChannelCall, RefundCall, DeliveryAttempt>;

}  // namespace finality
