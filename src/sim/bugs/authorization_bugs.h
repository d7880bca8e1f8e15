// Bugs in the decisions about authorizations and captures, in their requests and in the evaluation of their results.
#pragma once

#include "sim/bugs/bug.h"

namespace finality::sim {

std::span<const Bug> authorization_bugs();

}  // namespace finality::sim
