// Identifier of a cell in a transition table: the positions of machine, state and event in all_machines().
#pragma once

#include <fmt/format.h>

#include <compare>
#include <string>

#include "sim/mutation/machine_of.h"

namespace finality::sim {

struct CellId {
  std::size_t machine = 0;
  std::size_t state = 0;
  std::size_t event = 0;

  friend auto operator<=>(const CellId&, const CellId&) = default;
};

inline const fsm::View& machine_of(CellId id) { return all_machines()[id.machine]; }
inline const fsm::View::ViewCell& cell_of(CellId id) { return machine_of(id).cells[id.state][id.event]; }

/// Formats a cell as machine, state and event: "payment pending not_found".
inline std::string to_text(CellId id) {
  const fsm::View& view = machine_of(id);
  return fmt::format("{} {} {}", view.name, view.states[id.state].name, view.events[id.event]);
}

/// Calls `visit` with each cell whose kind is not `impossible`, in the order of machines, states and events.
template <class Visit>
void each_cell(Visit visit) {
  for (std::size_t m = 0; m < all_machines().size(); ++m)
    for (std::size_t s = 0; s < all_machines()[m].states.size(); ++s)
      for (std::size_t e = 0; e < all_machines()[m].events.size(); ++e)
        if (const CellId id{m, s, e}; cell_of(id).kind != fsm::CellKind::impossible) visit(id);
}

}  // namespace finality::sim
