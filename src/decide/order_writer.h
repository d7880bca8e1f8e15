// The one way decide changes an order's aggregate: every step goes through its machine's table and leaves an event; the
// root's version rises once per command.
#pragma once

#include <string_view>

#include "decide/record.h"

namespace finality {

class OrderWriter {
 public:
  /// REQUIRES: the order was loaded and exists.
  OrderWriter(Context& context, OrderId id);
  /// Writes an order that comes into being.
  OrderWriter(Context& context, Order order);

  Context& context() { return context_; }
  OrderAggregate& aggregate() { return *aggregate_; }
  Order& order() { return aggregate_->order; }

  /// Puts the event to the row's machine (see put() in record.h). A keep is recorded when `record_keep`.
  fsm::Cell<OrderState> step(OrderEvent event, bool record_keep = false);
  fsm::Cell<PaymentState> step(Payment& payment, PaymentEvent event, bool record_keep = false,
                               std::optional<EntryId> journal = {});

  fsm::Cell<RefundState> step(Refund& refund, RefundEvent event, bool record_keep = false,
                              std::optional<EntryId> journal = {});
  fsm::Cell<ReversalState> step(Reversal& reversal, ReversalEvent event, bool record_keep = false,
                                std::optional<EntryId> journal = {});

  fsm::Cell<CaseState> step(Case& row, CaseEvent event);

  /// Records that a row of this aggregate came into being, in `state`. The reference lasts until the next record.
  Event& created(ObjectRef object, std::string_view state);
  /// Records something that changed no state of the order (a flag, a note, money the desk moved).
  void noted(std::string_view event, std::optional<EntryId> journal = std::nullopt);
  /// Records something that changed a row of this aggregate, and not its state.
  template <class Row>
  void noted(Row& row, std::string_view event, std::optional<EntryId> journal = std::nullopt) {
    row.version += 1;
    const std::string_view state = name_of(row.state);
    record(context_, bump(), row.id, event, std::string(state), state, fsm::CellKind::keep).journal_id = journal;
  }
  /// The root at the version this command makes.
  Root bump();

 private:
  template <class Machine, class Row>
  auto put_child(const Machine& machine, Row& row, typename Machine::Event event, bool record_keep,
                 std::optional<EntryId> journal);

  Context& context_;
  OrderAggregate* aggregate_;
  bool bumped_ = false;
};

}  // namespace finality
