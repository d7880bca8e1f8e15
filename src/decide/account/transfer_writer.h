// Writes transfers with their keys, postings and events. All code in decide/ writes transfers through these functions.
#pragma once

#include "decide/record.h"

namespace finality {

/// Inserts a transfer in the state that `event` leads to, with its unique key (merchant, source, reference). Returns
/// the transfer's id. REQUIRES: the command's add_reads() added the key, and no row has it.
TransferId add_transfer(Context& context, Transfer transfer, TransferEvent event, std::optional<EntryId> journal = {});

/// Posts the transfer with entries of type `type`, inserts it and returns its id. REQUIRES: add_reads() added both
/// accounts, refused_debit() allows the debit and refused_credit() allows the credit.
TransferId post_transfer(Context& context, Transfer transfer, EntryType type);

/// Inserts the transfer in state `refused` and returns the refusal; the row is committed with it.
std::unexpected<Refusal> refuse_transfer(Context& context, Transfer transfer, RefusalCode code, std::string detail);

/// Posts the reversal of the transfer and returns the transfer's id. REQUIRES: the transfer is posted; refused_debit()
/// allows the debit of its credit account and refused_credit() the credit of its debit account.
TransferId reverse_transfer(Context& context, TransferId id);

}  // namespace finality
