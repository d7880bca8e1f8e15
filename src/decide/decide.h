// Dispatches a command of any type to its add_reads() and decide().
#pragma once

#include "decide/command.h"

namespace finality {

/// Whether the command records the result of a request: evidence from a channel, or what the wallet did.
bool records_evidence(const Command& command);

void add_reads(const Command& command, ReadSet& reads);
/// Decides the command and changes `context.rows`. After a refusal without Refusal::kept and without findings, the rows
/// are unchanged. REQUIRES: `context.rows` contains the rows that add_reads() added.
Decision decide(const Command& command, Context& context);

}  // namespace finality
