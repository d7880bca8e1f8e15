// Commands by what they do, whatever they are.
#pragma once

#include "decide/command.h"

namespace finality {

void add_reads(const Command& command, ReadSet& reads);
/// A refusal that is not kept, and no finding, leaves `context.rows` as they were.
Decision decide(const Command& command, Context& context);

}  // namespace finality
