// Commands by what they do, whatever they are.
#pragma once

#include "decide/command.h"

namespace finality {

void add_needs(const Command& command, Needs& needs);
Decision decide(const Command& command, Context& context);

}  // namespace finality
