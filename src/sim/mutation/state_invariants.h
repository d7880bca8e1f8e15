// Defines which events can lead into each state, according to the requirements and independent of the transition
// tables. Detects a row that reached its state by an event that must not lead there, even if a table allows it.
#pragma once

#include <string_view>

namespace finality::sim {

/// Returns true if, according to the requirements, `event` can lead an object of `machine` into `state`.
bool accounts_for(std::string_view machine, std::string_view event, std::string_view state);

}  // namespace finality::sim
