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
/// Renders the difference with the merchant_order_no of its order, unless the order is archived. Refuses like
/// find_difference().
Shown show_difference(Reader& reader, std::optional<MerchantId> merchant, DifferenceId id);
/// Lists the differences as show_difference() renders them, but without their cases.
Shown list_differences(Reader& reader, const DifferenceFilter& filter, const Page& page);

}  // namespace finality::query
