// The one lifecycle of everything that is asked of a channel and has a result: payments, refunds, reversals.
//
//   send ─► unknown ─► query ─► result           the number stays until the channel has spoken
//    ▲                   │
//    └──── not found ◄───┘                        the same number again, after a pause that grows with the age
//    └──── not now ◄─────┘                        the same number again, after minutes to hours
//
// A sending is claimed before any byte leaves; nothing is sent after its deadline. The pauses grow with the time for
// which the result has been outstanding, so no repetition starts them anew. After Policy::sends_max sendings that the
// channel does not have, two operators are to look at it (case `not_accepted`): a payment is only asked about until
// they have, a refund or a reversal is sent on hourly, since the payer is owed the money whatever becomes of the order.
// A result that stays outstanding for too long is a case as well (`result_overdue`).
//
// What differs between the kinds is in ChannelOperation and the overloads of channel_operation.cpp: the machine is that
// of the row, its evidence is classified and booked by record_evidence.cpp and record_refund.cpp.
#pragma once

#include <boost/mp11/algorithm.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>

#include "decide/order/order_writer.h"
#include "model/evidence.h"

namespace finality {

/// One specialisation per row type that waits for a result from a channel.
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
/// The row types that are one.
using ChannelOperationRows = boost::mp11::mp_copy_if<ChildRows<OrderAggregate>, IsChannelOperation>;

/// Calls visit(std::type_identity<Row>) for the row type that such objects have, if it is one of them.
template <class Visit>
void visit_channel_operation(ObjectType type, Visit visit) {
  boost::mp11::mp_for_each<boost::mp11::mp_transform<std::type_identity, ChannelOperationRows>>(
      [&]<class Row>(std::type_identity<Row> row) {
        if (decltype(Row::id)::type == type) visit(row);
      });
}

/// Whether the row is to be sent next.
template <ChannelOperationRow Row>
bool is_to_be_sent(const Row& row) {
  const auto effect = machine_of(row.state).due_effect(row.state);
  return effect == decltype(effect)::send;
}

/// Asks the worker for `kind` now; where the row is due, it is due again when no answer came. Makes no new version.
template <ChannelOperationRow Row>
void ask_channel(Context& context, const OrderAggregate& aggregate, Row& row,
                 typename ChannelOperation<Row>::CallKind kind);

/// The row's `send` event, its number at the channel, its deadline, and the request itself for the worker. Where the
/// channel or the order wants a pause first, only that: the row is due after it.
template <ChannelOperationRow Row>
void claim_send(OrderWriter& writer, Row& row);

/// When to look at it next, by its state and the word that led there; empty when nothing is to be done in its state.
template <ChannelOperationRow Row>
std::optional<Time> next_look(const Context& context, const Row& row, typename MachineOf<Row>::Event event);

/// Whether it has been sent as often as may be, without the channel's having it.
template <ChannelOperationRow Row>
bool sends_used_up(const Context& context, const Row& row);

/// Whether its result has been outstanding for so long, or so many sendings were in vain, that a person has to learn of
/// it and has not yet. `absent_at`: the channel reports that it did not have it then. `is_stranded`: that it has it,
/// and gets no further until somebody acts there.
struct Overdue {
  std::optional<Time> absent_at;
  bool is_stranded = false;
};
template <ChannelOperationRow Row>
std::optional<CaseKind> case_due(const Context& context, const OrderAggregate& aggregate, const Row& row,
                                 Overdue overdue);

/// Takes the cases about a missing result out of the exception queue, where nothing of it is outstanding any more.
template <ChannelOperationRow Row>
void settle_overdue(OrderWriter& writer, const Row& row);

/// Tells a word that repeats what the channel reported before from one that is new: a hash of what makes it what it is,
/// not of when or how it came. Rows keep the last one (`last_evidence`). `event`: what the word came to.
std::int64_t digest_of(const Evidence& evidence, MerchantId merchant, std::string_view event);
std::int64_t digest_of(const RefundEvidence& evidence, MerchantId merchant, std::string_view event,
                       std::string_view out_refund_no);

}  // namespace finality
