// Proposes a resolution of a case in the exception queue (差错处理).
#pragma once

#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

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

}  // namespace finality
