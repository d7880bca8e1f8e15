// The rule of every approval by a second operator (复核): of resolutions of cases and of adjustments.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "model/refusal.h"

namespace finality {

/// An approval, and the row with the proposal that it approves.
struct Approval {
  std::string_view what;              // noun of the row, for the text of a refusal: "case"
  std::string_view proposed_by;       // id of the API key that made the proposal
  std::string_view approved_by;       // id of the API key that approves
  std::int64_t reviewed_version = 0;  // version of the row that the approver has reviewed
  std::int64_t version = 0;           // current version of the row
  bool is_decided = false;            // the row is final; its last version is that of the decision
};

/// Refuses with `forbidden` if the approver's key made the proposal, and with `preview_changed`, and the row's version,
/// if the row has changed since the approver reviewed it. A repeated approval of a decided row is accepted if it
/// names the version before the decision or that of the decision; the caller then changes nothing.
std::expected<void, Refusal> check_approval(const Approval& approval);

}  // namespace finality
