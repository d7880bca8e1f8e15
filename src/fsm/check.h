// Compile-time checks of the transition table of a state machine (seed 000: 明确性 unambiguous, 完备性 complete,
// 可预测性 predictable, 最小化 minimal). Each check returns a Finding that names the machine and the defective state or
// event. FINALITY_CHECK_MACHINE turns a finding into a compiler error.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "fsm/reach.h"
#include "fsm/table.h"

namespace finality::fsm {

/// The result of a check: empty if the table passes, otherwise a message that describes the first defect.
struct Finding {
  std::array<char, 240> text{};
  std::size_t length = 0;

  constexpr bool ok() const { return length == 0; }
  constexpr const char* data() const { return text.data(); }
  constexpr std::size_t size() const { return length; }
  constexpr std::string_view view() const { return {text.data(), length}; }

  static constexpr Finding of(std::initializer_list<std::string_view> parts) {
    Finding finding;
    for (const std::string_view part : parts)
      for (const char c : part)
        if (finding.length < finding.text.size()) finding.text[finding.length++] = c;
    return finding;
  }
};

/// Checks that the table has a cell for every pair of state and event (完备性, completeness).
template <class Machine>
constexpr Finding check_complete(const Machine& m) {
  for (std::size_t s = 0; s < Machine::kStates; ++s)
    for (std::size_t e = 0; e < Machine::kEvents; ++e)
      if (m.cells[s][e].kind == CellKind::unset)
        return Finding::of({"machine '", m.name, "': no cell for event '", kNames<typename Machine::Event>[e],
                            "' in state '", kNames<typename Machine::State>[s],
                            "'. Fill the cell: move_to, keep, refuse or impossible (完备性)."});
  return {};
}

/// Checks that no event moves a row out of a final state (终态).
template <class Machine>
constexpr Finding check_final(const Machine& m) {
  for (std::size_t s = 0; s < Machine::kStates; ++s)
    for (std::size_t e = 0; e < Machine::kEvents; ++e)
      if (m.finals[s] && m.cells[s][e].kind == CellKind::move)
        return Finding::of({"machine '", m.name, "': final state '", kNames<typename Machine::State>[s],
                            "' moves on event '", kNames<typename Machine::Event>[e],
                            "'. A final state never changes (终态)."});
  return {};
}

/// Checks that every cell of kind `move` changes the state. A cell that does not change the state must be `keep`.
template <class Machine>
constexpr Finding check_moves(const Machine& m) {
  for (std::size_t s = 0; s < Machine::kStates; ++s)
    for (std::size_t e = 0; e < Machine::kEvents; ++e)
      if (m.cells[s][e].kind == CellKind::move && Machine::index(m.cells[s][e].to) == s)
        return Finding::of({"machine '", m.name, "': event '", kNames<typename Machine::Event>[e], "' moves state '",
                            kNames<typename Machine::State>[s], "' to itself. Use keep (明确性)."});
  return {};
}

/// Checks that every state can be reached from the initial state.
template <class Machine>
constexpr Finding check_reachable(const Machine& m) {
  const auto seen = reach(m, Machine::index(m.first));
  for (std::size_t s = 0; s < Machine::kStates; ++s)
    if (!seen[s])
      return Finding::of({"machine '", m.name, "': state '", kNames<typename Machine::State>[s],
                          "' cannot be reached from '", name_of(m.first), "'. Remove it or add the move."});
  return {};
}

/// Checks that a final state can be reached from every state.
template <class Machine>
constexpr Finding check_can_end(const Machine& m) {
  for (std::size_t s = 0; s < Machine::kStates; ++s) {
    const auto seen = reach(m, s);
    bool ends = false;
    for (std::size_t t = 0; t < Machine::kStates; ++t) ends = ends || (seen[t] && m.finals[t]);
    if (!ends)
      return Finding::of({"machine '", m.name, "': state '", kNames<typename Machine::State>[s],
                          "' can never reach a final state (终态)."});
  }
  return {};
}

/// Checks that no two non-final states are equivalent (最小化, minimality). Two states are equivalent if they have the
/// same due effect and their cells lead to equivalent states. Uses partition refinement, as in DFA minimisation.
template <class Machine>
constexpr Finding check_minimal(const Machine& m) {
  constexpr std::size_t n = Machine::kStates;
  std::array<std::size_t, n> part{};  // initially one class per due effect; each final state forms its own class
  for (std::size_t s = 0; s < n; ++s) part[s] = m.finals[s] ? n + s : Machine::index(m.effects[s]) + 2 * n;

  const auto alike = [&](std::size_t a, std::size_t b) {
    if (part[a] != part[b]) return false;
    for (std::size_t e = 0; e < Machine::kEvents; ++e) {
      const auto& x = m.cells[a][e];
      const auto& y = m.cells[b][e];
      // `keep` is treated as a move to the same state, so that `keep` and `move` are compared by the target class.
      const std::size_t to_x = x.kind == CellKind::move ? Machine::index(x.to) : a;
      const std::size_t to_y = y.kind == CellKind::move ? Machine::index(y.to) : b;
      const bool stays_x = x.kind == CellKind::move || x.kind == CellKind::keep;
      const bool stays_y = y.kind == CellKind::move || y.kind == CellKind::keep;
      if (stays_x != stays_y || (!stays_x && x.kind != y.kind) || x.actions != y.actions) return false;
      if (stays_x && part[to_x] != part[to_y]) return false;
    }
    return true;
  };

  for (bool split = true; split;) {
    split = false;
    std::array<std::size_t, n> next{};
    for (std::size_t s = 0; s < n; ++s) {
      next[s] = s;
      for (std::size_t t = 0; t < s; ++t)
        if (alike(s, t)) {
          next[s] = next[t];
          break;
        }
    }
    for (std::size_t s = 0; s < n; ++s)
      for (std::size_t t = 0; t < s; ++t)
        if ((next[s] == next[t]) != (part[s] == part[t])) split = true;
    part = next;
  }
  for (std::size_t s = 0; s < n; ++s)
    for (std::size_t t = 0; t < s; ++t)
      if (part[s] == part[t])
        return Finding::of({"machine '", m.name, "': states '", kNames<typename Machine::State>[t], "' and '",
                            kNames<typename Machine::State>[s],
                            "' behave alike: same cells, same due effect. Merge them (最小化)."});
  return {};
}

/// Checks that every event has a cell of kind `move` or `keep`, or a cell with an action, in at least one state.
template <class Machine>
constexpr Finding check_events_used(const Machine& m) {
  for (std::size_t e = 0; e < Machine::kEvents; ++e) {
    bool used = false;
    for (std::size_t s = 0; s < Machine::kStates; ++s) {
      const auto& cell = m.cells[s][e];
      used = used || cell.kind == CellKind::move || cell.kind == CellKind::keep || cell.actions != Actions::none;
    }
    if (!used)
      return Finding::of({"machine '", m.name, "': event '", kNames<typename Machine::Event>[e],
                          "' is refused or impossible everywhere. Remove it (最小化)."});
  }
  return {};
}

/// Runs all checks, beginning with the most basic one, and returns the first finding.
template <class Machine>
constexpr Finding check_all(const Machine& m) {
  const Finding findings[] = {check_complete(m), check_moves(m),   check_final(m),      check_reachable(m),
                              check_can_end(m),  check_minimal(m), check_events_used(m)};
  for (const Finding& finding : findings)
    if (!finding.ok()) return finding;
  return {};
}

}  // namespace finality::fsm

// static_assert accepts a computed message only since C++26. model/machines.cpp checks all machines and is compiled as
// C++26, so its errors contain the finding.
#if __cplusplus > 202302L
#define FINALITY_CHECK_MACHINE(machine) \
  static_assert(::finality::fsm::check_all(machine).ok(), ::finality::fsm::check_all(machine))
#else
#define FINALITY_CHECK_MACHINE(machine) \
  static_assert(::finality::fsm::check_all(machine).ok(), "compile as C++26 to see which cell is wrong")
#endif
