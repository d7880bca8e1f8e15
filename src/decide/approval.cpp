#include "decide/approval.h"

#include <fmt/format.h>

namespace finality {

std::expected<void, Refusal> check_approval(const Approval& approval) {
  if (approval.proposed_by == approval.approved_by)
    return std::unexpected(
        Refusal{.code = RefusalCode::forbidden,
                .detail = "The key that made the proposal cannot approve it. Use the key of another approver.",
                .param = {},
                .state = {}});
  const bool is_current = approval.reviewed_version == approval.version;
  const bool is_repeated = approval.is_decided && approval.reviewed_version == approval.version - 1;
  if (!is_current && !is_repeated)
    return std::unexpected(
        Refusal{.code = RefusalCode::preview_changed,
                .detail = fmt::format("The {} has version {}, not {}. Nothing was posted. Read the {} again and send "
                                      "the version that you have reviewed.",
                                      approval.what, approval.version, approval.reviewed_version, approval.what),
                .param = "version",
                .state = {},
                .version = approval.version});
  return {};
}

}  // namespace finality
