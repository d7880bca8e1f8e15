#include "store/postgres/read_guard.h"

namespace finality::postgres {

ReadGuard::Access ReadGuard::admit(const ReadTarget& target, Clock::time_point now) {
  if (!any_) return Access::open;
  const std::lock_guard lock(mutex_);
  const auto failed = refused_until_.find(target);
  if (failed == refused_until_.end()) return Access::open;
  if (now < failed->second) return Access::refused;
  failed->second = now + refused_for_;
  return Access::probe;
}

void ReadGuard::record_failure(const ReadTarget& target, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  // Forgets targets that are no longer read, so that the map stays small.
  std::erase_if(refused_until_, [&](const auto& failed) { return failed.second + refused_for_ < now; });
  refused_until_[target] = now + refused_for_;
  any_ = true;
}

void ReadGuard::record_success(const ReadTarget& target) {
  const std::lock_guard lock(mutex_);
  refused_until_.erase(target);
  any_ = !refused_until_.empty();
}

}  // namespace finality::postgres
