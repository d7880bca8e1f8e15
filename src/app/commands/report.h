// Error output of commands.
#pragma once

#include <cstdio>

#include "base/result.h"

namespace finality::app {

/// Prints the error to standard error. Returns the exit code 1.
inline int report(const Error& error) {
  std::fprintf(stderr, "finality: %s\n", error.message.c_str());
  return 1;
}

}  // namespace finality::app
