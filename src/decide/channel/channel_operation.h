// Lifecycle of channel operations: payments, authorizations, captures, refunds and reversals. Each is a row with a
// request to a channel, whose result becomes known later.
//
//   send ─► unknown ─► query ─► result           out_trade_no, out_refund_no: unchanged until the result
//    ▲                   │
//    ├──── not found ◄───┤                        sent again unchanged, after a pause that grows with the age
//    ├──── not now ◄─────┤                        sent again unchanged, after minutes to hours
//    └──── try again ◄───┘                        sent again under a new number, after minutes to hours: the channel
//                                                 has proved that no money moves under the old one
//
// The release of an authorization is sent and sent again in the same way, while the authorization is `releasing` or, in
// a final state, still holds something. There, the reply "still held" has the meaning of "not found".
//
// A send is committed before any byte is sent; nothing is sent after its deadline. The pauses grow with the time for
// which the result has been outstanding, so a retry does not reset them. After Policy::sends_max sends for which the
// channel has no trade or refund, a case `not_accepted` is opened. A payment, authorization or capture is then only
// queried until operators resolve the case. A refund, reversal or release is still sent hourly, because the payer must
// get the money back. A result that is outstanding for longer than Policy::result_overdue_after opens a case
// `result_overdue`. Temporary refusals are not counted: only a permanent refusal ends a row as failed.
//
// ChannelOperation and the overloads in channel_operation.cpp contain the differences between the row types. Each row
// type has a state machine; the record_*.cpp files classify and book the evidence.
#pragma once

#include <boost/mp11/algorithm.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>

#include "decide/order/order_writer.h"
#include "model/evidence.h"

namespace finality {

/// Traits of a channel operation: its request kinds. Specialised for each row type with requests to channels.
template <class Row>
struct ChannelOperation;

template <>
struct ChannelOperation<Payment> {
  using CallKind = ChannelCallKind;
  static constexpr CallKind send = ChannelCallKind::send_payment;
  static constexpr CallKind query = ChannelCallKind::query_payment;
};
template <>
struct ChannelOperation<Authorization> {
  using CallKind = AuthorizationCallKind;
  static constexpr CallKind send = AuthorizationCallKind::send_authorization;
  static constexpr CallKind query = AuthorizationCallKind::query_authorization;
};
template <>
struct ChannelOperation<Capture> {
  using CallKind = CaptureCallKind;
  static constexpr CallKind send = CaptureCallKind::send_capture;
  static constexpr CallKind query = CaptureCallKind::query_capture;
};
template <>
struct ChannelOperation<Refund> {
  using CallKind = RefundCallKind;
  static constexpr CallKind send = RefundCallKind::send_refund;
  static constexpr CallKind query = RefundCallKind::query_refund;
};
template <>
struct ChannelOperation<Reversal> : ChannelOperation<Refund> {};

template <class Row>
concept ChannelOperationRow = requires { typename ChannelOperation<Row>::CallKind; };

template <class Row>
using IsChannelOperation = boost::mp11::mp_bool<ChannelOperationRow<Row>>;
/// Type list of the child rows of an order that are channel operations.
using ChannelOperationRows = boost::mp11::mp_copy_if<ChildRows<OrderAggregate>, IsChannelOperation>;

/// Calls visit(std::type_identity<Row>) with the row type of `type`. Does nothing for a type without channel requests.
template <class Visit>
void visit_channel_operation(ObjectType type, Visit visit) {
  boost::mp11::mp_for_each<boost::mp11::mp_transform<std::type_identity, ChannelOperationRows>>(
      [&]<class Row>(std::type_identity<Row> row) {
        if (decltype(Row::id)::type == type) visit(row);
      });
}

/// Whether the row's next request to the channel is a send (otherwise a query).
template <ChannelOperationRow Row>
bool is_to_be_sent(const Row& row) {
  const auto effect = machine_of(row.state).due_effect(row.state);
  return effect == decltype(effect)::send;
}

/// Adds the effect that makes the request `kind`. A send, and the release of an authorization, set the send deadline
/// and count as a send, so they need a new version of the order. A due row becomes due again after the request's
/// timeout, in case no result is recorded. Does not increment the root's version.
template <ChannelOperationRow Row>
void call_channel(Context& context, const OrderAggregate& aggregate, Row& row,
                  typename ChannelOperation<Row>::CallKind kind);

/// Applies the event `send`, sets the send deadline and adds the effect of the request. Assigns an out_refund_no to a
/// new attempt of a refund or reversal. When the channel or the order requires a pause first, only sets `due_at` to the
/// end of the pause.
template <ChannelOperationRow Row>
void claim_send(OrderWriter& writer, Row& row);

/// Returns the row's next due_at by its state and the event that led to the state. Empty when no request is due in that
/// state.
template <ChannelOperationRow Row>
std::optional<Time> next_look(const Context& context, const Row& row, typename MachineOf<Row>::Event event);

/// Whether the row was sent at least Policy::sends_max times since the channel last confirmed that it has the request.
template <ChannelOperationRow Row>
bool sends_used_up(const Context& context, const Row& row);

/// Input of case_due(). `absent_at`: time at which the channel reported that it had no such trade or refund.
/// `is_stranded`: the channel has accepted the request, but does not complete it until an operator acts at the channel.
struct Overdue {
  std::optional<Time> absent_at;
  bool is_stranded = false;
};
/// Returns the kind of case to open now: `not_accepted` after Policy::sends_max sends that the channel does not have,
/// or `result_overdue`. Empty when no case is due or an open case covers the problem.
template <ChannelOperationRow Row>
std::optional<CaseKind> case_due(const Context& context, const OrderAggregate& aggregate, const Row& row,
                                 Overdue overdue);

/// Resolves the row's cases `result_overdue` and `not_accepted` as settled once the result is known. The case
/// `not_accepted` is also settled when the number of sends is 0 again, and `result_overdue` when the channel has ended
/// the attempt of a refund or reversal for which it was opened, unless the whole row is overdue.
template <ChannelOperationRow Row>
void settle_overdue(OrderWriter& writer, const Row& row);

/// Returns a hash of the content of evidence, without its time and source. Rows store the last digest in
/// `last_evidence` to recognise repeated evidence. `event`: the event that the evidence was classified as.
std::int64_t digest_of(const Evidence& evidence, MerchantId merchant, std::string_view event);
std::int64_t digest_of(const RefundEvidence& evidence, MerchantId merchant, std::string_view event,
                       std::string_view out_refund_no);
/// `release`: number of the release request that the evidence is about; 0 if it is about no release request.
std::int64_t digest_of(const AuthorizationEvidence& evidence, MerchantId merchant, std::string_view event,
                       std::int64_t release);

}  // namespace finality
