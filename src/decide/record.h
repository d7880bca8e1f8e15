// Records events. Each step of a state machine applies one cell of its transition table and is recorded as one event.
#pragma once

#include <string>
#include <string_view>

#include "decide/context.h"
#include "fsm/table.h"

namespace finality {

/// The root of an aggregate and its version, stored with each event.
struct Root {
  ObjectRef ref;
  MerchantId merchant_id;
  std::int64_t version = 1;
};

/// Adds an event with the command's cause and returns it. The reference is valid until the next event is recorded. The
/// engine sets the event's `detail` later. `from`: the object's previous state; empty for a new object.
Event& record(Context& context, const Root& root, ObjectRef object, std::string_view event,
              std::optional<std::string> from, std::string_view to, fsm::CellKind cell);

/// Records the creation (version 1) or change of a row without a state machine, such as a price or a fee.
template <class Row>
void record_setting(Context& context, const Row& row) {
  const std::string active = "active";
  const bool is_new = row.version == 1;
  MerchantId merchant;
  if constexpr (requires { row.merchant_id; }) merchant = row.merchant_id;  // a channel rate belongs to no merchant
  record(context, {row.id, merchant, row.version}, row.id, is_new ? "created" : "changed",
         is_new ? std::nullopt : std::optional(active), active, is_new ? fsm::CellKind::move : fsm::CellKind::keep);
}

/// Adds the finding that an event is impossible in the state of a row.
void add_impossible(Context& context, std::string_view machine, ObjectRef row, std::string_view state,
                    std::string_view event);

/// Applies `event` to `row` by `machine`: sets the row's state, records the event and returns the cell. Before an event
/// is recorded, calls `bump`, which increments the root's version and returns the root. A refused event is not
/// recorded, and an event that keeps the state only with `record_keep`. An impossible cell adds a finding.
template <class Machine, class Row, class Bump>
auto apply_transition(Context& context, const Machine& machine, Row& row, typename Machine::Event event,
                      bool record_keep, std::optional<EntryId> journal, Bump bump) {
  const auto& cell = context.cell(machine, row.state, event);
  if (cell.kind == fsm::CellKind::impossible) {
    add_impossible(context, machine.name, row.id, name_of(row.state), name_of(event));
    return cell;
  }
  if (cell.kind == fsm::CellKind::refuse || (cell.kind == fsm::CellKind::keep && !record_keep)) return cell;

  const std::string from(name_of(row.state));
  if (cell.kind == fsm::CellKind::move) row.state = cell.to;
  const Root root = bump();
  Event& trace = record(context, root, row.id, name_of(event), from, name_of(row.state), cell.kind);
  trace.actions = static_cast<std::int64_t>(cell.actions);
  trace.journal_id = journal;
  return cell;
}

}  // namespace finality
