// The exception queue (差错处理): one person proposes what is to be done with a case, another approves it, and the
// resolution moves the money it says. Which resolutions a case allows stands in one table.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

/// The resolutions that cases of its kind allow (docs/guide/exception-queue.md).
std::vector<std::string_view> resolutions_of(const Case& row);

struct ProposeResolution {
  MerchantId merchant_id;
  ObjectRef root;  // in whose aggregate the case is
  CaseId case_id;
  std::string resolution;
  std::string note;
  std::string proposed_by;  // the operator's key
};

void add_reads(const ProposeResolution& command, ReadSet& reads);

/// Replaces an earlier proposal. Refuses: not_found, invalid_request (a resolution the case does not allow),
/// illegal_transition.
Decision decide(const ProposeResolution& command, Context& context);

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
