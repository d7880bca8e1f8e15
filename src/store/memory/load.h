// Loads what a batch needs from the rows in memory.
#pragma once

#include "model/read_set.h"
#include "store/memory/tables.h"

namespace finality::memory {

/// What was loaded before stays as it was decided. REQUIRES: the tables are locked.
void load_needs(const Tables& tables, const ReadSet& reads, WorkingSet& rows);

/// The endpoints of a merchant, deleted ones left out. REQUIRES: the tables are locked.
std::vector<WebhookEndpoint> endpoints_of(const Tables& tables, MerchantId merchant);
std::vector<Fee> fees_of(const Tables& tables, MerchantId merchant);

}  // namespace finality::memory
