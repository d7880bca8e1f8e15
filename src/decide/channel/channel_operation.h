// Lifecycle of channel operations, the rows with a request to a channel that has a result: payments, refunds,
// reversals.
//
//   send ─► unknown ─► query ─► result           out_trade_no, out_refund_no: unchanged until the result
//    ▲                   │
//    └──── not found ◄───┘                        sent again unchanged, after a pause that grows with the age
//    └──── not now ◄─────┘                        sent again unchanged, after minutes to hours
//
// A send is claimed before any byte is sent; nothing is sent after its deadline. The pauses grow with the time for
// which the result has been outstanding, so a retry does not reset them. After Policy::sends_max sends for which the
// channel has no trade or refund, a case `not_accepted` is opened. A payment is then only queried until operators
// resolve the case. A refund or reversal is still sent hourly, because the payer must receive the money in any case. A
// result that stays outstanding for too long opens a case `result_overdue`.
//
// ChannelOperation and the overloads in channel_operation.cpp contain the differences between the row types. Each row
// type has its own machine; record_evidence.cpp and record_refund.cpp classify and book the evidence.
#pragma once

#include <boost/mp11/algorithm.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>

#include "decide/order/order_writer.h"
#include "model/evidence.h"

namespace finality {

/// Specialised per row type that is a channel operation.
template <class Row>
struct ChannelOperation;

template <>
struct ChannelOperation<Payment> {
  using CallKind = ChannelCallKind;
  static constexpr CallKind send = ChannelCallKind::send_payment;
  static constexpr CallKind query = ChannelCallKind::query_payment;
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
/// The row types that are channel operations.
using ChannelOperationRows = boost::mp11::mp_copy_if<ChildRows<OrderAggregate>, IsChannelOperation>;

/// Calls visit(std::type_identity<Row>) for the row type of `type`, if that row type is a channel operation.
template <class Visit>
void visit_channel_operation(ObjectType type, Visit visit) {
  boost::mp11::mp_for_each<boost::mp11::mp_transform<std::type_identity, ChannelOperationRows>>(
      [&]<class Row>(std::type_identity<Row> row) {
        if (decltype(Row::id)::type == type) visit(row);
      });
}

/// Whether the next request of the row is a send.
template <ChannelOperationRow Row>
bool is_to_be_sent(const Row& row) {
  const auto effect = machine_of(row.state).due_effect(row.state);
  return effect == decltype(effect)::send;
}

/// Adds the effect of a request of that kind. A due row becomes due again when no result is recorded. Does not
/// increment the root's version.
template <ChannelOperationRow Row>
void call_channel(Context& context, const OrderAggregate& aggregate, Row& row,
                  typename ChannelOperation<Row>::CallKind kind);

/// Applies the `send` event, assigns the deadline and, for a new attempt of a refund or reversal, its out_refund_no,
/// and adds the effect of the request. When the channel or the order requires a pause first, only sets the row due
/// after the pause.
template <ChannelOperationRow Row>
void claim_send(OrderWriter& writer, Row& row);

/// The row's next due_at, by its state and the event that led to it; empty when the state has no due effect.
template <ChannelOperationRow Row>
std::optional<Time> next_look(const Context& context, const Row& row, typename MachineOf<Row>::Event event);

/// Whether the row was sent Policy::sends_max times since the channel last confirmed that it has the request.
template <ChannelOperationRow Row>
bool sends_used_up(const Context& context, const Row& row);

/// Input of case_due(). `absent_at`: the time at which the channel reported that it did not have the request.
/// `is_stranded`: the channel has the request, but does not complete it until an operator acts at the channel.
struct Overdue {
  std::optional<Time> absent_at;
  bool is_stranded = false;
};
/// The kind of case to open now, because the result has been outstanding for too long or too many sends were not
/// accepted. Empty when no case is due or the case is already open.
template <ChannelOperationRow Row>
std::optional<CaseKind> case_due(const Context& context, const OrderAggregate& aggregate, const Row& row,
                                 Overdue overdue);

/// Settles the row's cases about a missing result once the result is no longer outstanding.
template <ChannelOperationRow Row>
void settle_overdue(OrderWriter& writer, const Row& row);

/// Hash of the content of evidence, without its time and source, to recognise repeated evidence. Rows store the last
/// digest (`last_evidence`). `event`: the event that the evidence was classified as.
std::int64_t digest_of(const Evidence& evidence, MerchantId merchant, std::string_view event);
std::int64_t digest_of(const RefundEvidence& evidence, MerchantId merchant, std::string_view event,
                       std::string_view out_refund_no);

}  // namespace finality
