// The machine of a kind of object, and its words by their names, as events are recorded with them.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "model/ids.h"
#include "model/machines.h"

namespace finality::sim {

/// Its place in all_machines(); empty for objects without a machine.
inline std::optional<std::size_t> machine_of(ObjectType type) {
  constexpr ObjectType types[] = {ObjectType::order,    ObjectType::payment,  ObjectType::refund,
                                  ObjectType::reversal, ObjectType::delivery, ObjectType::dispute_case,
                                  ObjectType::account,  ObjectType::transfer, ObjectType::hold};
  const auto* at = std::ranges::find(types, type);
  if (at == std::end(types)) return std::nullopt;
  return static_cast<std::size_t>(at - types);
}

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
