// Writes transfers with their keys, postings and events. All code in decide/ writes transfers through these functions.
#pragma once

#include "decide/record.h"

namespace finality {

/// Adds a transfer in the state that `event` leads to, and its natural key. Returns the transfer's id. REQUIRES: the
/// key was declared and is unused.
TransferId add_transfer(Context& context, Transfer transfer, TransferEvent event, std::optional<EntryId> journal = {});

/// Posts the transfer as `type`, adds it and returns its id. REQUIRES: both accounts were declared, one can be debited
/// and the other credited.
TransferId post_transfer(Context& context, Transfer transfer, EntryType type);

/// Adds the transfer as refused and returns the refusal.
std::unexpected<Refusal> refuse_transfer(Context& context, Transfer transfer, RefusalCode code, std::string detail);

/// Reverses the transfer and returns its id. REQUIRES: it is posted; its credit account can be debited and its debit
/// account credited.
TransferId reverse_transfer(Context& context, TransferId id);

}  // namespace finality
