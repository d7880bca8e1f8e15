#include "decide/order_writer.h"

namespace finality {

OrderWriter::OrderWriter(Context& context, OrderId id)
    : context_(context), aggregate_(&context.rows.orders.change(id)) {}

OrderWriter::OrderWriter(Context& context, Order order) : context_(context), bumped_(true) {
  const OrderId id = order.id;
  OrderAggregate aggregate;
  aggregate.order = std::move(order);
  aggregate_ = &context.rows.orders.insert(id, std::move(aggregate));
  created(id, name_of(aggregate_->order.state));
}

fsm::Cell<OrderState> OrderWriter::step(OrderEvent event, bool record_keep) {
  return put(context_, order_machine, order(), event, record_keep, {}, [this] { return bump(); });
}

template <class Machine, class Row>
auto OrderWriter::put_child(const Machine& machine, Row& row, typename Machine::Event event, bool record_keep,
                            std::optional<EntryId> journal) {
  return put(context_, machine, row, event, record_keep, journal, [this, &row] {
    row.version += 1;
    return bump();
  });
}

fsm::Cell<PaymentState> OrderWriter::step(Payment& payment, PaymentEvent event, bool record_keep,
                                          std::optional<EntryId> journal) {
  return put_child(payment_machine, payment, event, record_keep, journal);
}

fsm::Cell<RefundState> OrderWriter::step(Refund& refund, RefundEvent event, bool record_keep,
                                         std::optional<EntryId> journal) {
  return put_child(refund_machine, refund, event, record_keep, journal);
}

fsm::Cell<ReversalState> OrderWriter::step(Reversal& reversal, ReversalEvent event, bool record_keep,
                                           std::optional<EntryId> journal) {
  return put_child(reversal_machine, reversal, event, record_keep, journal);
}

fsm::Cell<CaseState> OrderWriter::step(Case& row, CaseEvent event) {
  return put_child(case_machine, row, event, true, {});
}

Event& OrderWriter::created(ObjectRef object, std::string_view state) {
  return record(context_, bump(), object, "created", std::nullopt, state, fsm::CellKind::move);
}

void OrderWriter::noted(std::string_view event, std::optional<EntryId> journal) {
  const std::string_view state = name_of(order().state);
  record(context_, bump(), order().id, event, std::string(state), state, fsm::CellKind::keep).journal_id = journal;
}

Root OrderWriter::bump() {
  if (!bumped_) order().version += 1;
  bumped_ = true;
  return {order().id, order().merchant_id, order().version};
}

}  // namespace finality
