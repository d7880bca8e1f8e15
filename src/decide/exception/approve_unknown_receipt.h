// Carries out the approved resolution of a case about an unknown receipt.
#pragma once

#include <expected>

#include "decide/exception/approve_resolution.h"

namespace finality {

/// Approves the case. The resolution `assign` posts one journal in the books of the platform and one in the books of
/// the merchant, `cancel` posts one journal that reverses the booking in the books of the platform, `keep` moves
/// nothing. Refuses with `illegal_transition` (the receipt is assigned or cancelled already, or `assign` and
/// the receipt is contradicted) or `busy` (the command has
/// loaded the accounts of another resolution, merchant, channel or currency). REQUIRES: the case has a proposal that
/// the approver may approve.
std::expected<void, Refusal> approve_unknown_receipt(Context& context, const ApproveResolution& command);

}  // namespace finality
