// Reads statements and differences from the store, and renders them as JSON objects of the API. All
// functions block while they read.
#pragma once

#include <optional>
#include <string>

#include "query/show.h"

namespace finality::query {

std::expected<StatementAggregate, Refusal> find_statement(Reader& reader, StatementId id);
Shown list_statements(Reader& reader, const StatementFilter& filter, const Page& page);

/// `merchant`: refuses with `not_found` if the difference belongs to another merchant; empty for operators.
std::expected<DifferenceAggregate, Refusal> find_difference(Reader& reader, std::optional<MerchantId> merchant,
                                                            DifferenceId id);
Shown list_differences(Reader& reader, const DifferenceFilter& filter, const Page& page);

}  // namespace finality::query
