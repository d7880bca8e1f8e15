// All machines by name, without their types.
#pragma once

#include <vector>

#include "fsm/view.h"

namespace finality {

/// Every machine of Finality, in reading order.
const std::vector<fsm::View>& all_machines();

}  // namespace finality
