// The money identities of one order (资金恒等式): the amounts of an order, its documents and its postings agree. Beyond
// the invariants that the engine checks for each decision, each document has exactly the postings that its state
// demands, and each stored sum is the sum of its documents. `finality verify` checks a whole store by separate code.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/aggregate.h"
#include "model/objects/entry.h"

namespace finality {

/// Returns the violations, one sentence each, which begins with the group's number as in `finality verify`; empty if
/// the order agrees. `entries`: the entries of the order's journals, sorted by id (Reader::order_entries()). Rows and
/// entries of different snapshots can disagree although the order is sound.
std::vector<std::string> check_identities(const OrderAggregate& aggregate, std::span<const Entry> entries);

}  // namespace finality
