// Defines which events can lead into a state, written from the requirements and independent of the tables. A row in a
// state that its events cannot explain is wrong, whatever the tables contain.
#pragma once

#include <string_view>

namespace finality::sim {

/// True if, by the requirements, `event` can lead an object of `machine` into `state`.
bool accounts_for(std::string_view machine, std::string_view event, std::string_view state);

}  // namespace finality::sim
