// Loads a batch's read set from the in-memory tables.
#pragma once

#include "model/read_set.h"
#include "store/memory/tables.h"

namespace finality::memory {

/// Keeps rows that `rows` has already loaded, with their changes. REQUIRES: the tables are locked.
void load_needs(const Tables& tables, const ReadSet& reads, WorkingSet& rows);

/// The merchant's endpoints without deleted endpoints. REQUIRES: the tables are locked.
std::vector<WebhookEndpoint> endpoints_of(const Tables& tables, MerchantId merchant);
std::vector<Fee> fees_of(const Tables& tables, MerchantId merchant);

}  // namespace finality::memory
