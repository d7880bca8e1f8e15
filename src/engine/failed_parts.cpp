#include "engine/failed_parts.h"

#include <algorithm>

#include "base/limits.h"

namespace finality {
namespace {

constexpr Duration kForgottenAfter = 12 * limits::kStorePartRefusedFor;

}  // namespace

bool FailedParts::any(Time now) {
  std::erase_if(failed_at_, [&](const auto& failed) { return now >= failed.second + kForgottenAfter; });
  return !failed_at_.empty();
}

FailedParts::Access FailedParts::access(const StoreParts& parts, Time now) const {
  Access access = Access::open;
  for (const auto& [failed, at] : failed_at_) {
    if (!std::ranges::includes(parts, failed)) continue;
    // A clock that was set back must not prolong the pause.
    if (now >= at && now < at + limits::kStorePartRefusedFor) return Access::refused;
    access = Access::probe;
  }
  return access;
}

void FailedParts::record_failure(const StoreParts& parts, Time now) {
  failed_at_[parts] = now;
  part_of_.clear();
}

bool FailedParts::record_success(const StoreParts& parts) {
  return std::erase_if(failed_at_, [&](const auto& failed) { return std::ranges::includes(parts, failed.first); }) > 0;
}

Result<StoreParts> FailedParts::parts_of(const std::vector<MerchantId>& merchants, Session& session) {
  std::vector<MerchantId> unknown;
  for (const MerchantId merchant : merchants)
    if (!part_of_.contains(merchant)) unknown.push_back(merchant);
  if (!unknown.empty()) {
    const auto found = session.parts_of(unknown);
    if (!found) return std::unexpected(found.error());
    for (std::size_t i = 0; i < unknown.size(); ++i) part_of_[unknown[i]] = (*found)[i];
  }
  StoreParts parts;
  for (const MerchantId merchant : merchants) parts.push_back(part_of_.at(merchant));
  std::ranges::sort(parts);
  const auto repeated = std::ranges::unique(parts);
  parts.erase(repeated.begin(), repeated.end());
  return parts;
}

}  // namespace finality
