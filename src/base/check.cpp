#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace finality {

void check_failed(const char* file, int line, std::string_view condition, std::string_view what) {
  std::fprintf(stderr, "%s:%d: check failed: %.*s (%.*s)\n", file, line, static_cast<int>(what.size()), what.data(),
               static_cast<int>(condition.size()), condition.data());
  std::abort();
}

}  // namespace finality
