#include "base/net/descriptors.h"

#include <sys/resource.h>

#include <algorithm>

namespace finality::net {

std::size_t connections_allowed(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  if (limit.rlim_cur < 2 * wanted) {
    const rlimit raised{.rlim_cur = std::min<rlim_t>(2 * wanted, limit.rlim_max), .rlim_max = limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return std::min<rlim_t>(wanted, limit.rlim_cur / 2);
}

}  // namespace finality::net
