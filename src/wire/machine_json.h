// Renders the transition table of a state machine as JSON.
#pragma once

#include <string>

#include "fsm/view.h"

namespace finality::wire {

/// Returns the machine as one JSON object, in the format of `finality fsm show --format json`.
std::string machine_json(const fsm::View& machine);

}  // namespace finality::wire
