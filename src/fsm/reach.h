// Reachability of states by the moves of a transition table.
#pragma once

#include <array>
#include <cstddef>

#include "fsm/table.h"

namespace finality::fsm {

/// Returns, for each state, whether cells of kind `move` lead from the state with the index `start` to it. `start`
/// reaches itself.
template <class Machine>
constexpr auto reach(const Machine& m, std::size_t start) {
  std::array<bool, Machine::kStates> seen{};
  seen[start] = true;
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t s = 0; s < Machine::kStates; ++s)
      for (std::size_t e = 0; seen[s] && e < Machine::kEvents; ++e) {
        const auto& cell = m.cells[s][e];
        if (cell.kind != CellKind::move || seen[Machine::index(cell.to)]) continue;
        seen[Machine::index(cell.to)] = true;
        grew = true;
      }
  }
  return seen;
}

}  // namespace finality::fsm
