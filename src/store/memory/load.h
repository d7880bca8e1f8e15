// Loads the read set of a batch from the in-memory tables.
#pragma once

#include "model/read_set.h"
#include "store/memory/tables.h"

namespace finality::memory {

/// Loads the rows that `reads` names into `rows`. Does not replace rows that are already loaded, which may have been
/// changed. REQUIRES: the tables are locked.
void load_needs(const Tables& tables, const ReadSet& reads, WorkingSet& rows);

/// Returns the merchant's webhook endpoints, except deleted endpoints. REQUIRES: the tables are locked.
std::vector<WebhookEndpoint> endpoints_of(const Tables& tables, MerchantId merchant);
std::vector<Fee> fees_of(const Tables& tables, MerchantId merchant);

}  // namespace finality::memory
