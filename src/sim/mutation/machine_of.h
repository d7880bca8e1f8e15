// Lookups in all_machines(): the state machine of an object type, and the position of a state or event by its name.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "model/machines.h"
#include "model/row_types.h"

namespace finality::sim {

/// Returns the position of the object type's state machine in all_machines(); empty for a type without state machine.
inline std::optional<std::size_t> machine_of(ObjectType type) {
  std::optional<std::size_t> found;
  std::size_t place = 0;
  for_each_row_type<WrittenRows>([&]<class Row>(std::type_identity<Row>) {
    if constexpr (kHasMachine<Row>) {
      if (decltype(Row::id)::type == type) found = place;
      ++place;
    }
  });
  return found;
}

/// Returns the position of the state machine with this name in all_machines(); empty if it does not exist.
inline std::optional<std::size_t> machine_named(std::string_view name) {
  const auto at = std::ranges::find(all_machines(), name, &fsm::View::name);
  if (at == all_machines().end()) return std::nullopt;
  return static_cast<std::size_t>(at - all_machines().begin());
}

inline std::optional<std::size_t> state_of(const fsm::View& view, std::string_view name) {
  const auto at = std::ranges::find(view.states, name, &fsm::View::State::name);
  if (at == view.states.end()) return std::nullopt;
  return static_cast<std::size_t>(at - view.states.begin());
}

inline std::optional<std::size_t> event_of(const fsm::View& view, std::string_view name) {
  const auto at = std::ranges::find(view.events, name);
  if (at == view.events.end()) return std::nullopt;
  return static_cast<std::size_t>(at - view.events.begin());
}

}  // namespace finality::sim
