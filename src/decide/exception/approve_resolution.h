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
  std::string approved_by;  // id of another operator's key
  /// The proposal that the approver has read; any other proposal is refused. Empty: the current proposal.
  std::optional<std::string> resolution;
  // Channel and currency of the receipt whose money the resolution may move. They determine the accounts to load.
  std::string channel;
  Currency currency;
};

void add_reads(const ApproveResolution& command, ReadSet& reads);

/// Refuses: not_found, forbidden (the proposer approves), illegal_transition (no proposal, another proposal, or the
/// object of the case has changed), busy.
Decision decide(const ApproveResolution& command, Context& context);

}  // namespace finality
