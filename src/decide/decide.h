// Commands by what they do, whatever they are.
#pragma once

#include "decide/command.h"

namespace finality {

void add_reads(const Command& command, ReadSet& reads);
Decision decide(const Command& command, Context& context);

}  // namespace finality
