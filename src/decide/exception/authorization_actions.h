// Actions of approved resolutions on authorizations and captures (resolution_actions.h).
#pragma once

#include "decide/exception/resolution_actions.h"

namespace finality {

/// Closes an authorization after an operator has verified at the channel that nothing is held.
ActionResult confirm_unheld(const CaseContext& on);
/// Fails a capture after an operator has verified at the channel that nothing was captured.
ActionResult confirm_uncaptured(const CaseContext& on);
/// Requests the release that the channel refused again, under a new number.
ActionResult retry_release(const CaseContext& on);
/// Ends the release after an operator has verified at the channel that nothing is held any more.
ActionResult confirm_released(const CaseContext& on);

}  // namespace finality
