// What commands say when they cannot go on.
#pragma once

#include <cstdio>

#include "base/result.h"

namespace finality::app {

/// Prints the error to standard error and answers with the exit code for it.
inline int report(const Error& error) {
  std::fprintf(stderr, "finality: %s\n", error.message.c_str());
  return 1;
}

}  // namespace finality::app
