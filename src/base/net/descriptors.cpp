#include "base/net/descriptors.h"

#include <sys/resource.h>

#include <algorithm>

namespace finality::net {

std::size_t connections_allowed(std::size_t requested) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return requested;
  if (limit.rlim_cur < 2 * requested) {
    const rlimit raised{.rlim_cur = std::min<rlim_t>(2 * requested, limit.rlim_max), .rlim_max = limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return std::min<rlim_t>(requested, limit.rlim_cur / 2);
}

}  // namespace finality::net
