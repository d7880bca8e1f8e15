// List of all state machines in a type-independent form.
#pragma once

#include <vector>

#include "fsm/view.h"

namespace finality {

/// Returns the state machines of all row types, in the order of WrittenRows. Thread safe.
const std::vector<fsm::View>& all_machines();

}  // namespace finality
