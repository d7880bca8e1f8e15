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
  std::string approved_by;  // id of the approver's API key; must differ from the proposer's key
  /// The resolution that the approver has reviewed. Refused when the current proposal differs. Empty: approve the
  /// current proposal.
  std::optional<std::string> resolution;
  // Channel and currency of the receipt that the resolution may post against, and the merchant of the resolution
  // `assign`. They determine the accounts to load: for an unknown receipt those of `assign` if a merchant is named,
  // otherwise those of `cancel`.
  std::string channel;
  Currency currency;
  std::optional<MerchantId> assign_to{};
  /// The merchant of the resolution `assign` that the approver has reviewed; required with `assign`. Refused when the
  /// current proposal names another merchant, or none.
  std::optional<MerchantId> reviewed_merchant{};
  std::int64_t version = 0;  // version of the case that the approver has reviewed
};

void add_reads(const ApproveResolution& command, ReadSet& reads);

/// Approving a resolved case again has no effect. Refuses with `not_found` (no such case), `preview_changed` or
/// `forbidden` (check_approval(): the case has changed since the review, or the key is the proposer's),
/// `invalid_request` (the proposal is `assign`, and the command has no reviewed_merchant),
/// `illegal_transition` (no proposal, another proposal, or the object has changed state), `busy` (the receipt's channel
/// or currency, or the merchant to which it is assigned, differs from the command's; or the command names a merchant
/// and the proposal is now `cancel`).
Decision decide(const ApproveResolution& command, Context& context);

}  // namespace finality
