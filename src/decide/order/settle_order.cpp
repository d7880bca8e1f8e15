#include "decide/order/settle_order.h"

#include <algorithm>

#include "decide/authorization/held.h"
#include "decide/authorization/request_end.h"
#include "decide/channel/channel_operation.h"
#include "decide/delivery/notify_merchant.h"

namespace finality {
namespace {

// For payments and authorizations: whether the row is open.
template <class Row>
bool is_open(const Row& row) {
  return !machine_of(row.state).is_final(row.state);
}

// For payments and authorizations: whether the row is about to be sent or its result is outstanding.
template <class Row>
bool is_soft(const Row& row) {
  using State = decltype(row.state);
  return row.state == State::created || row.state == State::processing;
}

// Whether the order has as many payments or authorizations as Order::attempts allows. Closed rows are included.
bool attempts_used_up(const OrderAggregate& aggregate) {
  const auto count = static_cast<std::int64_t>(aggregate.payments.size() + aggregate.authorizations.size());
  return aggregate.order.attempts && count >= *aggregate.order.attempts;
}

void end_reviews(OrderWriter& writer) {
  for (Payment& payment : writer.aggregate().payments)
    if (is_under_review(payment)) end_review(writer, payment, PaymentEvent::close_locally);
}

void request_close_of_others(OrderWriter& writer) {
  const Time now = writer.context().now;
  end_reviews(writer);
  for (Payment& payment : writer.aggregate().payments)
    if (is_open(payment)) request_close(payment, now);
  for (Authorization& authorization : writer.aggregate().authorizations)
    if (is_before_hold(authorization)) request_close(authorization, now);
}

void end_order(OrderWriter& writer, OrderEvent event) {
  writer.step(event);
  Order& order = writer.order();
  order.due_at.reset();
  if (order.state == OrderState::closed) order.closed_at = writer.context().now;
  request_close_of_others(writer);
  notify_order_state(writer);
}

// Updates an order whose amount is held. It does not expire: the deadline of captures ends it.
void note_hold(OrderWriter& writer) {
  writer.order().due_at.reset();
  if (writer.order().state == OrderState::authorized) return;
  writer.step(OrderEvent::authorized);
  request_close_of_others(writer);
  notify_order_state(writer);
}

// Returns the authorization that ended last of those that held the amount for the order; null if there is none.
const Authorization* last_holder_of(const OrderAggregate& aggregate) {
  const Authorization* last = nullptr;
  for (const Authorization& one : aggregate.authorizations) {
    const bool was_holder = one.state == AuthorizationState::released && one.end_reason != EndReason::late;
    if (was_holder && (last == nullptr || last->final_evidence_at < one.final_evidence_at)) last = &one;
  }
  return last;
}

// Requests the close of an order whose hold was released without a capture. Its other authorizations are closed
// locally, because an order without a hold is not `authorized` any more.
void close_after_release(OrderWriter& writer) {
  OrderAggregate& aggregate = writer.aggregate();
  Order& order = aggregate.order;
  if (!order.close_requested) {
    const Authorization* holder = last_holder_of(aggregate);
    writer.step(OrderEvent::close_requested, true);
    order.close_requested = true;
    const bool has_expired = holder != nullptr && holder->end_reason == EndReason::expired;
    order.close_reason = has_expired ? ClosedReason::expired : ClosedReason::cancelled;
  }
  for (Authorization& authorization : aggregate.authorizations)
    if (is_open(authorization)) close_locally(writer, authorization);
}

template <class Row>
void request_close_of(Row& row, Time now) {
  if (row.close_pending) return;
  row.close_pending = true;
  row.due_at = now;
}

}  // namespace

std::int64_t count_winners(const OrderAggregate& aggregate) {
  return std::ranges::count(aggregate.payments, PaymentState::succeeded, &Payment::state) +
         std::ranges::count(aggregate.authorizations, AuthorizationState::captured, &Authorization::state);
}

bool is_order_soft(const OrderAggregate& aggregate) {
  return std::ranges::any_of(aggregate.payments, is_soft<Payment>) ||
         std::ranges::any_of(aggregate.payments, is_under_review) ||
         std::ranges::any_of(aggregate.authorizations, is_soft<Authorization>);
}

void end_review(OrderWriter& writer, Payment& payment, PaymentEvent event) {
  writer.step(payment, event);
  payment.failure_code = "amount_mismatch";
  payment.failure_message = "The paid amount or currency differs from the order.";
}

void request_close(Payment& payment, Time now) { request_close_of(payment, now); }
void request_close(Authorization& authorization, Time now) { request_close_of(authorization, now); }

bool is_before_hold(const Authorization& authorization) {
  return is_soft(authorization) || authorization.state == AuthorizationState::pending;
}

void schedule(Context& context, const Order& order, Payment& payment) {
  const PaymentEffect effect = payment_machine.due_effect(payment.state);
  const bool over = effect == PaymentEffect::none || (effect == PaymentEffect::chase && !payment.close_pending);
  const bool idle = order.parked || (over && !payment.query_total_of);
  if (idle) {
    payment.due_at.reset();
    return;
  }
  // A payment that is to be sent although its close is requested is due now: its claim closes it instead.
  const bool ends = is_to_be_sent(payment) && (payment.close_pending || order.close_requested);
  const Time next_query = context.now + context.policy.query_pause(context.now - payment.created_at);
  payment.due_at = ends ? context.now : next_look(context, payment, PaymentEvent::already_known).value_or(next_query);
}

void settle_order(OrderWriter& writer) {
  OrderAggregate& aggregate = writer.aggregate();
  Order& order = aggregate.order;
  if (order_machine.is_final(order.state)) return end_reviews(writer);

  if (count_winners(aggregate) > 0) return end_order(writer, OrderEvent::paid);
  if (holder_of(aggregate) != nullptr) return note_hold(writer);
  if (order.state == OrderState::authorized) close_after_release(writer);
  const bool open = std::ranges::any_of(aggregate.payments, is_open<Payment>) ||
                    std::ranges::any_of(aggregate.authorizations, is_open<Authorization>);
  if (!open && order.close_requested) return end_order(writer, OrderEvent::closed);
  if (!open && attempts_used_up(aggregate)) return end_order(writer, OrderEvent::attempts_used_up);
  writer.step(is_order_soft(aggregate) ? OrderEvent::result_outstanding : OrderEvent::result_received);
}

}  // namespace finality
