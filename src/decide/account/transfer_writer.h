// The one way decide writes a transfer: with its key, its postings and its trace.
#pragma once

#include "decide/record.h"

namespace finality {

/// Adds a transfer that comes into being by `event`, and its natural key. REQUIRES: the key was declared and is free.
TransferId add_transfer(Context& context, Transfer transfer, TransferEvent event, std::optional<EntryId> journal = {});

/// Posts it as `type` and adds it. REQUIRES: both accounts were declared and may be debited and credited.
TransferId post_transfer(Context& context, Transfer transfer, EntryType type);

/// Keeps it as refused. Answers with the refusal.
std::unexpected<Refusal> refuse_transfer(Context& context, Transfer transfer, RefusalCode code, std::string detail);

/// Moves its money back. REQUIRES: it is posted, and both accounts allow it.
TransferId reverse_transfer(Context& context, TransferId id);

}  // namespace finality
