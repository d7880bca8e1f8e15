// Effects: outgoing requests that the worker performs once their commit is durable. An effect can be lost in a crash or
// because of a full queue. It is then repeated: its row becomes due again after `deadline` plus limits::kEffectMargin.
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

/// One request to a channel about a payment. Must not be sent after `deadline`, but a response that arrives later is
/// still recorded as evidence.
struct ChannelCall {
  ChannelCallKind kind = ChannelCallKind::query_payment;
  Order order;
  Payment payment;
  Time deadline;
  std::string return_url;     // send_payment: page to which the channel redirects the payer; may be empty
  std::string traceparent{};  // of the API request that caused this request; may be empty
};

enum class RefundCallKind : std::uint8_t { send_refund, query_refund };
BOOST_DESCRIBE_ENUM(RefundCallKind, send_refund, query_refund)

/// One request to a channel about a refund or reversal. It identifies the trade by channel_trade_no: the
/// out_trade_no is ambiguous if the payer has paid several trades of the payment.
struct RefundCall {
  RefundCallKind kind = RefundCallKind::query_refund;
  ObjectRef row;  // type and id of the refund or reversal
  MerchantId merchant_id;
  OrderId order_id;
  std::string channel;
  ChannelAccountId channel_account_id;  // channel account of the refund or reversal
  std::string channel_trade_no;
  std::string out_refund_no;
  MinorUnits amount = 0;
  MinorUnits trade_amount = 0;  // amount that the channel collected for the trade
  Currency currency;
  std::optional<std::string> scenario;
  std::string reason{};  // reason that the merchant gave, shown to the payer; may be empty
  Time deadline;
  std::string traceparent{};  // of the API request that caused this request; may be empty
};

enum class AuthorizationCallKind : std::uint8_t {
  send_authorization,
  query_authorization,
  close_authorization,  // nothing is known to be held; if something is held, it is released
  release_authorization,
};
BOOST_DESCRIBE_ENUM(AuthorizationCallKind, send_authorization, query_authorization, close_authorization,
                    release_authorization)

/// One request to a channel about an authorization. A release states its number and amount in the authorization.
struct AuthorizationCall {
  AuthorizationCallKind kind = AuthorizationCallKind::query_authorization;
  Order order;
  Authorization authorization;
  Time deadline;
  std::string return_url;     // send_authorization: page to which the channel redirects the payer; may be empty
  std::string traceparent{};  // of the API request that caused this request; may be empty
};

enum class CaptureCallKind : std::uint8_t { send_capture, query_capture };
BOOST_DESCRIBE_ENUM(CaptureCallKind, send_capture, query_capture)

/// One request to a channel about a capture.
struct CaptureCall {
  CaptureCallKind kind = CaptureCallKind::query_capture;
  Order order;
  Authorization authorization;
  Capture capture;
  Time deadline;
  std::string traceparent{};  // of the API request that caused this request; may be empty
};

// Accessors with the same meaning for all kinds of requests.
inline const std::string& channel_of(const ChannelCall& call) { return call.payment.channel; }
inline const std::string& channel_of(const RefundCall& call) { return call.channel; }
inline const std::string& channel_of(const AuthorizationCall& call) { return call.authorization.channel; }
inline const std::string& channel_of(const CaptureCall& call) { return call.authorization.channel; }
/// Returns the out_trade_no of the payment, authorization or capture, or the out_refund_no of the refund or reversal.
inline const std::string& number_of(const ChannelCall& call) { return call.payment.out_trade_no; }
inline const std::string& number_of(const RefundCall& call) { return call.out_refund_no; }
inline const std::string& number_of(const AuthorizationCall& call) { return call.authorization.out_trade_no; }
inline const std::string& number_of(const CaptureCall& call) { return call.capture.out_trade_no; }
inline MerchantId merchant_of(const ChannelCall& call) { return call.payment.merchant_id; }
inline MerchantId merchant_of(const RefundCall& call) { return call.merchant_id; }
inline MerchantId merchant_of(const AuthorizationCall& call) { return call.authorization.merchant_id; }
inline MerchantId merchant_of(const CaptureCall& call) { return call.capture.merchant_id; }
/// Returns the row whose result the request brings.
inline ObjectRef row_of(const ChannelCall& call) { return call.payment.id; }
inline ObjectRef row_of(const RefundCall& call) { return call.row; }
inline ObjectRef row_of(const AuthorizationCall& call) { return call.authorization.id; }
inline ObjectRef row_of(const CaptureCall& call) { return call.capture.id; }
/// Returns whether the request only queries its row.
inline bool is_query(const ChannelCall& call) { return call.kind == ChannelCallKind::query_payment; }
inline bool is_query(const RefundCall& call) { return call.kind == RefundCallKind::query_refund; }
inline bool is_query(const AuthorizationCall& call) { return call.kind == AuthorizationCallKind::query_authorization; }
inline bool is_query(const CaptureCall& call) { return call.kind == CaptureCallKind::query_capture; }
/// Returns the `source` of the evidence that is derived from the response: `query` or `channel_reply`.
template <class Call>
CauseKind source_of(const Call& call) {
  return is_query(call) ? CauseKind::query : CauseKind::channel_reply;
}
/// Returns whether an earlier request may still have no result; always true for a capture, refund
/// or reversal. Such a result
/// remains outstanding if this request cannot be sent.
inline bool is_result_outstanding(const ChannelCall& call) {
  return payment_machine.due_effect(call.payment.state) == PaymentEffect::query;
}
inline bool is_result_outstanding(const RefundCall&) { return true; }
inline bool is_result_outstanding(const AuthorizationCall& call) {
  const AuthorizationEffect due = authorization_machine.due_effect(call.authorization.state);
  return due == AuthorizationEffect::query || due == AuthorizationEffect::query_or_release;
}
inline bool is_result_outstanding(const CaptureCall&) { return true; }

/// One attempt of a webhook delivery. Each of `secrets` produces one signature. Must not be sent after `deadline`.
struct DeliveryAttempt {
  Delivery delivery;
  std::vector<Secret> secrets;
  Time deadline;
  std::string traceparent{};  // of the API request that caused this request; may be empty
};

using Effect = std::variant<ChannelCall, RefundCall, AuthorizationCall, CaptureCall, DeliveryAttempt>;

}  // namespace finality
