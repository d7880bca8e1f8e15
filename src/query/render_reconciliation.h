// Renders the comparison of books and statements as JSON objects of the API, and as a page to print. Pure.
#pragma once

#include <span>
#include <string>

#include "query/reconciliation.h"

namespace finality::query {

/// Returns one object `reconciliation`.
std::string reconciliation_json(const ChannelAccount& account, const Reconciliation& row);

/// Returns an HTML page with all rows of the account, without scripts and without references to other files.
std::string reconciliation_page(const ChannelAccount& account, std::span<const Reconciliation> rows);

}  // namespace finality::query
