#include "sim/mutation/mutant.h"

#include <optional>

namespace finality::sim {
namespace {

using fsm::Actions;
using fsm::CellKind;
using fsm::SeenCell;

SeenCell defined_cell(CellId id) {
  const fsm::View::ViewCell& cell = cell_of(id);
  const std::size_t to = cell.kind == CellKind::move ? *state_of(machine_of(id), cell.to) : 0;
  return {cell.kind, to, cell.actions};
}

// Returns a state other than the cell's own state and its target: the next such state in the machine's order. Empty if
// the machine has no other state.
std::optional<std::size_t> another_state(CellId id, const SeenCell& cell) {
  const std::size_t count = machine_of(id).states.size();
  for (std::size_t to = (id.state + 1) % count; to != id.state; to = (to + 1) % count)
    if (cell.kind != CellKind::move || to != cell.to) return to;
  return std::nullopt;
}

void add_mutants(CellId id, std::vector<Mutant>& mutants) {
  const SeenCell cell = defined_cell(id);
  if (cell.kind != CellKind::keep) mutants.push_back({id, {CellKind::keep, 0, cell.actions}});
  if (cell.kind != CellKind::refuse) mutants.push_back({id, {CellKind::refuse, 0, Actions::none}});
  if (const auto to = another_state(id, cell)) mutants.push_back({id, {CellKind::move, *to, cell.actions}});
  for (const Actions action : {Actions::reverse, Actions::open_case, Actions::release}) {
    if (!has(cell.actions, action)) continue;
    SeenCell less = cell;
    less.actions = static_cast<Actions>(static_cast<unsigned>(cell.actions) & ~static_cast<unsigned>(action));
    mutants.push_back({id, less});
  }
}

}  // namespace

std::vector<Mutant> mutants_of(std::size_t machine) {
  std::vector<Mutant> mutants;
  each_cell([&](CellId id) {
    if (id.machine == machine) add_mutants(id, mutants);
  });
  return mutants;
}

std::string to_text(const Mutant& mutant) {
  const fsm::View& view = machine_of(mutant.cell);
  const SeenCell& cell = mutant.becomes;
  const fsm::View::ViewCell now{cell.kind, cell.kind == CellKind::move ? view.states[cell.to].name : std::string_view(),
                                cell.actions};
  return fmt::format("{}: {} becomes {}", to_text(mutant.cell), cell_text(cell_of(mutant.cell)), cell_text(now));
}

}  // namespace finality::sim
