// Dispatches a command of any type to its add_reads() and decide().
#pragma once

#include "decide/command.h"

namespace finality {

void add_reads(const Command& command, ReadSet& reads);
/// A refusal without Refusal::kept and without findings leaves `context.rows` unchanged.
Decision decide(const Command& command, Context& context);

}  // namespace finality
