// State machine as data: a table with one cell for every pair of state and event, checked at compile time.
//
//   constexpr auto light_machine = [] {
//     fsm::Table<Light, Signal, Lamp> t{.name = "light"};
//     t.initial(Light::red);
//     t.state(Light::red, Lamp::wait);
//     t.final_state(Light::off);
//     t.on(Signal::go, {move_to(Light::green), keep, refuse});      // one cell per state, in the order of the enum
//     return t;
//   }();
//   FINALITY_CHECK_MACHINE(light_machine);
//
// docs/adr/0003-tables-instead-of-state-classes.md explains why Finality uses tables and not one class per state, as
// seed 000 proposes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "base/described.h"

namespace finality::fsm {

/// The effect of an event in a state. `move` changes the state, `keep` leaves the state unchanged, and `refuse`
/// rejects the event. `impossible` reports a finding, because the event must never occur in this state. `unset` is a
/// missing cell, which check_complete() reports.
enum class CellKind : std::uint8_t { unset, move, keep, refuse, impossible };
BOOST_DESCRIBE_ENUM(CellKind, unset, move, keep, refuse, impossible)

/// Bit set of the actions that a cell requires in addition to its CellKind: reverse a payment, open an exception
/// case, release what a channel holds.
enum class Actions : std::uint8_t { none = 0, reverse = 1, open_case = 2, release = 4 };
constexpr Actions operator|(Actions one, Actions other) {
  return static_cast<Actions>(static_cast<std::uint8_t>(one) | static_cast<std::uint8_t>(other));
}
/// Whether `actions` contains at least one action of `wanted`.
constexpr bool has(Actions actions, Actions wanted) {
  return (static_cast<std::uint8_t>(actions) & static_cast<std::uint8_t>(wanted)) != 0;
}

/// The entry of a table for one pair of state and event.
template <class State>
struct Cell {
  CellKind kind = CellKind::unset;
  State to{};  // the next state; used only by `move`
  Actions actions = Actions::none;

  friend constexpr bool operator==(const Cell&, const Cell&) = default;
};

/// A cell that needs no state type. It converts to Cell<State>, so that every table can use `keep`, `refuse` and
/// `impossible`.
struct PlainCell {
  CellKind kind;
  Actions actions = Actions::none;

  template <class State>
  constexpr operator Cell<State>() const {  // NOLINT: implicit, for readable tables
    return {kind, State{}, actions};
  }
};

inline constexpr PlainCell keep{CellKind::keep};
inline constexpr PlainCell refuse{CellKind::refuse};
inline constexpr PlainCell impossible{CellKind::impossible};

constexpr PlainCell operator+(PlainCell cell, Actions actions) { return {cell.kind, cell.actions | actions}; }

/// Returns a cell that changes the state to `to`.
template <class State>
constexpr Cell<State> move_to(State to) {
  return {CellKind::move, to, Actions::none};
}
template <class State>
constexpr Cell<State> operator+(Cell<State> cell, Actions actions) {
  return {cell.kind, cell.to, cell.actions | actions};
}

/// A Cell with the state as an index instead of an enumerator.
struct SeenCell {
  CellKind kind;
  std::size_t to;  // index of the next state; used only by `move`
  Actions actions;
};

/// Interceptor for look-ups in a table. Simulations use it to count look-ups, and to replace a cell and test whether
/// their checks detect the defect. Null in production.
class CellWatch {
 public:
  /// Called for each look-up of a cell, with the name of the machine and the indexes of state and event. Returns the
  /// cell to use.
  virtual SeenCell asked(std::string_view machine, std::size_t state, std::size_t event, SeenCell cell) = 0;

 protected:
  ~CellWatch() = default;
};

/// A transition that an earlier version stored in events and that the table no longer contains. It is never made again.
template <class State, class Event>
struct Former {
  State from{};
  Event event{};
  Cell<State> cell{};  // unset: no transition
};
inline constexpr std::size_t kFormersMax = 4;

/// Transition table of one state machine. `EffectEnum` lists the kinds of work that can be due for a row in a state.
/// Its first enumerator means no work.
template <class StateEnum, class EventEnum, class EffectEnum>
struct Table {
  using State = StateEnum;
  using Event = EventEnum;
  using Effect = EffectEnum;
  static constexpr std::size_t kStates = kCount<State>;
  static constexpr std::size_t kEvents = kCount<Event>;

  std::string_view name{};
  std::string_view title{};  // Chinese name of the machine in the specification (seeds)
  std::array<std::array<Cell<State>, kEvents>, kStates> cells{};
  std::array<bool, kStates> finals{};
  std::array<Effect, kStates> effects{};
  State first{};
  std::array<Former<State, Event>, kFormersMax> formers{};

  /// Sets the initial state of a row.
  constexpr void initial(State state) { first = state; }
  /// Sets the work that is due for a row in the non-final state `state`.
  constexpr void state(State state, Effect due) { effects[index(state)] = due; }
  /// Marks `state` as final and sets the work that is due for a row in this state.
  constexpr void final_state(State state, Effect due = {}) {
    finals[index(state)] = true;
    effects[index(state)] = due;
  }
  /// Sets the cells of one event, one per state in the order of the state enum. Missing cells stay unset, which
  /// check_complete() reports.
  constexpr void on(Event event, std::initializer_list<Cell<State>> row) {
    std::size_t state = 0;
    for (const Cell<State>& cell : row) cells.at(state++)[index(event)] = cell;
  }

  /// Adds a transition that only stored events of earlier versions contain.
  constexpr void was(State from, Event event, Cell<State> cell) {
    std::size_t at = 0;
    while (formers.at(at).cell.kind != CellKind::unset) ++at;
    formers.at(at) = {from, event, cell};
  }

  /// Returns the cell of an event in a state.
  constexpr Cell<State> at(State state, Event event) const { return cells[index(state)][index(event)]; }
  /// Passes the cell of an event in a state to `watch` and returns the cell that `watch` returns.
  Cell<State> at(State state, Event event, CellWatch& watch) const {
    const Cell<State> cell = at(state, event);
    const SeenCell seen = watch.asked(name, index(state), index(event), {cell.kind, index(cell.to), cell.actions});
    return {seen.kind, static_cast<State>(seen.to), seen.actions};
  }
  /// Whether the state is final.
  constexpr bool is_final(State state) const { return finals[index(state)]; }
  /// Returns the work that is due for a row in `state`.
  constexpr Effect due_effect(State state) const { return effects[index(state)]; }

  template <class Enum>
  static constexpr std::size_t index(Enum value) {
    return static_cast<std::size_t>(value);
  }
};

}  // namespace finality::fsm
