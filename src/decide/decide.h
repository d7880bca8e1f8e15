// Dispatches a command of any type to its add_reads() and decide().
#pragma once

#include "decide/command.h"

namespace finality {

/// Whether the command records evidence from a channel.
bool records_evidence(const Command& command);

void add_reads(const Command& command, ReadSet& reads);
/// A refusal without Refusal::kept and without findings leaves `context.rows` unchanged.
Decision decide(const Command& command, Context& context);

}  // namespace finality
