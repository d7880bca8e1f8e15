// JSON of a state machine's transition table.
#pragma once

#include <string>

#include "fsm/view.h"

namespace finality::wire {

/// Returns one machine in the format of `finality fsm show --format json` (CLI contract).
std::string machine_json(const fsm::View& machine);

}  // namespace finality::wire
