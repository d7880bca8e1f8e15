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

/// Exit code of a command line with a missing or invalid argument.
inline constexpr int kUsageError = 2;

/// Prints the error of an argument to standard error. Returns kUsageError.
inline int report_usage(const Error& error) {
  report(error);
  return kUsageError;
}

}  // namespace finality::app
