// Proposes a resolution of a case in the exception queue (差错处理).
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct ProposeResolution {
  MerchantId merchant_id;
  ObjectRef root;  // root of the aggregate that contains the case
  CaseId case_id;
  std::string resolution;
  std::string note;
  std::string proposed_by;                // id of the operator's API key
  std::optional<MerchantId> assign_to{};  // only with the resolution `assign`: the merchant that receives the money
};

void add_reads(const ProposeResolution& command, ReadSet& reads);

/// Replaces an earlier proposal. Refuses with `not_found` (no such case), `invalid_request` (a case of this kind
/// has no such resolution, or `assign_to` is missing, superfluous, or not a merchant other than the platform),
/// `illegal_transition` (the case is resolved, or its difference does not allow the resolution).
Decision decide(const ProposeResolution& command, Context& context);

}  // namespace finality
