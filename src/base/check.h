// Assertions that stay enabled in release builds.
//
// A condition of FINALITY_CHECK can be false only because of a bug in this program, never because of external input.
// A failed check aborts the process: a program in an inconsistent state must not move money.
#pragma once

#include <string_view>

namespace finality {

/// Prints the condition, the source location and `what` to standard error, then aborts the process.
[[noreturn]] void check_failed(const char* file, int line, std::string_view condition, std::string_view what);

}  // namespace finality

#define FINALITY_CHECK(condition, what)                               \
  do {                                                                \
    if (!(condition)) [[unlikely]]                                    \
      ::finality::check_failed(__FILE__, __LINE__, #condition, what); \
  } while (false)
