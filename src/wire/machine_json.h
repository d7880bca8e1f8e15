// A machine's table as JSON text.
#pragma once

#include <string>

#include "fsm/view.h"

namespace finality::wire {

/// One machine, as `finality fsm show --format json` prints it (CLI contract).
std::string machine_json(const fsm::View& machine);

}  // namespace finality::wire
