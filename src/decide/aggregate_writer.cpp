#include "decide/aggregate_writer.h"

#include <utility>

namespace finality {

template <Aggregate T>
AggregateWriter<T>::AggregateWriter(Context& context, RootId id)
    : context_(context), aggregate_(&map_of<T>(context.rows).change(id)) {}

template <Aggregate T>
AggregateWriter<T>::AggregateWriter(Context& context, T made) : context_(context), bumped_(true) {
  const RootId id = root_of(made).id;
  aggregate_ = &map_of<T>(context.rows).insert(id, std::move(made));
  created(id, name_of(root_of(*aggregate_).state));
}

template <Aggregate T>
Event& AggregateWriter<T>::created(ObjectRef object, std::string_view state) {
  return record(context_, bump(), object, "created", std::nullopt, state, fsm::CellKind::move);
}

template <Aggregate T>
void AggregateWriter<T>::noted(std::string_view event, std::optional<EntryId> journal) {
  const auto& root = root_of(*aggregate_);
  const std::string_view state = name_of(root.state);
  record(context_, bump(), root.id, event, std::string(state), state, fsm::CellKind::keep).journal_id = journal;
}

template <Aggregate T>
Root AggregateWriter<T>::bump() {
  auto& root = root_of(*aggregate_);
  if (!bumped_) root.version += 1;
  bumped_ = true;
  return {root.id, root.merchant_id, root.version};
}

template class AggregateWriter<OrderAggregate>;
template class AggregateWriter<DeliveryAggregate>;
template class AggregateWriter<UnknownReceiptAggregate>;
template class AggregateWriter<StatementAggregate>;
template class AggregateWriter<DifferenceAggregate>;

}  // namespace finality
