// Writes transfers with their keys, postings and events; decide uses no other way.
#pragma once

#include "decide/record.h"

namespace finality {

/// Adds a transfer in the state that `event` leads to, and its natural key. REQUIRES: the key was declared and is
/// unused.
TransferId add_transfer(Context& context, Transfer transfer, TransferEvent event, std::optional<EntryId> journal = {});

/// Posts the transfer as `type` and adds it. REQUIRES: both accounts were declared and can be debited and credited.
TransferId post_transfer(Context& context, Transfer transfer, EntryType type);

/// Adds the transfer as refused and returns the refusal.
std::unexpected<Refusal> refuse_transfer(Context& context, Transfer transfer, RefusalCode code, std::string detail);

/// Reverses the transfer. REQUIRES: it is posted, and its accounts can be credited and debited.
TransferId reverse_transfer(Context& context, TransferId id);

}  // namespace finality
