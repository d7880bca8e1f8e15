// Opens or settles the exception case `identity` of an order, after it was checked against the money identities.
#pragma once

#include <string>
#include <vector>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct RecordIdentity {
  MerchantId merchant_id;
  OrderId order_id;
  std::int64_t order_version = 0;     // of the order that was checked
  std::vector<std::string> findings;  // result of check_identities(); empty: the order agrees
};

void add_reads(const RecordIdentity& command, ReadSet& reads);

/// With findings, opens a case unless one is open. Without, settles the open case, if any. Moves no money. Refuses with
/// `not_found` (no such order) and `illegal_transition` (the order has changed since the check: check it again).
Decision decide(const RecordIdentity& command, Context& context);

}  // namespace finality
