// POST /v1/adjustments/{id}/approve and /reject: posts or rejects a proposed adjustment.
#pragma once

#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct DecideAdjustment {
  MerchantId merchant_id;
  AdjustmentId adjustment_id;  // 0: the adjustment does not exist
  AdjustmentEvent event = AdjustmentEvent::approve;
  std::string decided_by;    // id of the operator's API key; an approver's key must differ from the proposer's
  std::int64_t version = 0;  // of an approval: version of the adjustment that the approver has reviewed
  // The posting of the adjustment. It determines the accounts to load; an adjustment never changes these columns.
  AdjustmentType type = AdjustmentType::opening_balance;
  AccountKind account = AccountKind::merchant_payable;
  std::string channel;
  Currency currency;
  MinorUnits amount = 0;
};

/// Returns the command about that adjustment of the merchant. If the adjustment is null or belongs to another merchant,
/// the command is refused with `not_found`. `version`: DecideAdjustment::version.
DecideAdjustment decision_about(const Adjustment* adjustment, MerchantId merchant, AdjustmentEvent event,
                                std::string decided_by, std::int64_t version);

void add_reads(const DecideAdjustment& command, ReadSet& reads);

/// Approving a posted adjustment again, and rejecting a rejected one, has no effect. Refuses with `not_found` (no such
/// adjustment), `illegal_transition` (approving a rejected adjustment, or rejecting a posted one), `preview_changed` or
/// `forbidden` (check_approval(): the adjustment has changed since the review, or the approver's key is the
/// proposer's). The proposer can reject: this withdraws the proposal.
/// REQUIRES: decision_about() made the command.
Decision decide(const DecideAdjustment& command, Context& context);

}  // namespace finality
