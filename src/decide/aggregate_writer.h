// Changes an aggregate. All code in decide/ changes aggregates through this class. Every step applies one cell of the
// state machine's transition table and records an event. The root's version is incremented once per command.
#pragma once

#include <string_view>

#include "decide/record.h"
#include "model/payer_data.h"

namespace finality {

template <class Row>
using MachineOf = std::remove_cvref_t<decltype(machine_of(std::declval<Row>().state))>;

/// Whether events that do not change the row's state are recorded too. True for deliveries (a further attempt) and for
/// cases (further evidence, another proposal).
template <class Row>
inline constexpr bool kRecordsKeeps = std::is_same_v<Row, Delivery> || std::is_same_v<Row, Case>;

template <Aggregate T>
class AggregateWriter {
 public:
  using RootId = decltype(RootRow<T>::id);

  /// Opens an existing aggregate for changes. REQUIRES: the aggregate was loaded and exists.
  AggregateWriter(Context& context, RootId id);
  /// Inserts a new aggregate and records the creation of its root.
  AggregateWriter(Context& context, T made);

  Context& context() { return context_; }
  T& aggregate() { return *aggregate_; }

  /// Applies the event to the root and returns the applied cell of the transition table (apply_transition(), record.h).
  /// An event that keeps the state is recorded only when `record_keep` is true.
  auto step(typename MachineOf<RootRow<T>>::Event event, bool record_keep = kRecordsKeeps<RootRow<T>>,
            std::optional<EntryId> journal = {}) {
    auto& root = root_of(*aggregate_);
    return apply_transition(context_, machine_of(root.state), root, event, record_keep, journal,
                            [this] { return bump(); });
  }
  /// Applies the event to a child row and returns the applied cell of the transition table. `record_keep`: as for the
  /// root. Erases the payer's data of a row whose request is never sent after the event.
  template <class Row>
  auto step(Row& row, typename MachineOf<Row>::Event event, bool record_keep = kRecordsKeeps<Row>,
            std::optional<EntryId> journal = {}) {
    const auto cell = apply_transition(context_, machine_of(row.state), row, event, record_keep, journal, [this, &row] {
      row.version += 1;
      return bump();
    });
    if constexpr (PayerRow<Row>) erase_unneeded_payer(row);
    return cell;
  }

  /// Records the creation of a row of this aggregate in `state`. The returned reference is valid until the next event
  /// is recorded.
  Event& created(ObjectRef object, std::string_view state);
  /// Records a change of the root that does not change its state: a flag, a note, or a posting by operators.
  void noted(std::string_view event, std::optional<EntryId> journal = std::nullopt);
  /// Records a change of a child row that does not change its state.
  template <class Row>
  void noted(Row& row, std::string_view event, std::optional<EntryId> journal = std::nullopt) {
    row.version += 1;
    const std::string_view state = name_of(row.state);
    record(context_, bump(), row.id, event, std::string(state), state, fsm::CellKind::keep).journal_id = journal;
  }
  /// Increments the root's version on the first call and returns the root with that version.
  Root bump();

 private:
  Context& context_;
  T* aggregate_ = nullptr;
  bool bumped_ = false;
};

}  // namespace finality
