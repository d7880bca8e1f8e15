// Thread names as shown by top -H, perf and debuggers.
#pragma once

#include <pthread.h>

#include <cstddef>

namespace finality {

/// Names the calling thread. Linux limits the name to 15 bytes.
template <std::size_t kSize>
void name_thread(const char (&name)[kSize]) {
  static_assert(kSize <= 16);
  ::pthread_setname_np(::pthread_self(), name);
}

}  // namespace finality
