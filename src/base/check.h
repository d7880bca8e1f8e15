// Assertions that stay on in release builds.
//
// FINALITY_CHECK states what only a mistake in this program can break; input from outside can never reach one.
// A broken check stops the process: money is not moved by a program that has just proved itself wrong.
#pragma once

#include <string_view>

namespace finality {

/// Prints `what` with its place to standard error and aborts. Never returns.
[[noreturn]] void check_failed(const char* file, int line, std::string_view condition, std::string_view what);

}  // namespace finality

#define FINALITY_CHECK(condition, what)                               \
  do {                                                                \
    if (!(condition)) [[unlikely]]                                    \
      ::finality::check_failed(__FILE__, __LINE__, #condition, what); \
  } while (false)
