// Approves the proposed resolution of a case in the exception queue (差错处理) and carries it out.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct ApproveResolution {
  MerchantId merchant_id;
  ObjectRef root;
  CaseId case_id;
  std::string approved_by;  // another operator's key
  /// What the approver has read; a proposal that was replaced meanwhile is not approved. Empty: whatever is proposed.
  std::optional<std::string> resolution;
  // Of the receipt whose money the resolution may move; the accounts to load depend on them.
  std::string channel;
  Currency currency;
};

void add_reads(const ApproveResolution& command, ReadSet& reads);

/// Refuses: not_found, forbidden (the proposer approves), illegal_transition (nothing, or something else, is proposed).
Decision decide(const ApproveResolution& command, Context& context);

}  // namespace finality
