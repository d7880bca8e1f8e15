// Assertions that stay enabled in release builds.
//
// A condition of FINALITY_CHECK can be false only because of a bug in this program, never because of external input.
// A failed check aborts the process: a program in an inconsistent state must not move money.
#pragma once

#include <string>
#include <string_view>

namespace finality {

/// Receives the message of a failed check instead of the abort. Must not return: it throws.
using CheckHandler = void (*)(std::string message);

/// While it exists, a failed check in its thread calls `handler` instead of aborting the process. Only simulations use
/// it: their bugs are planted, and no money moves. A check in a destructor or in another thread still aborts.
class CheckTrap {
 public:
  explicit CheckTrap(CheckHandler handler);
  ~CheckTrap();
  CheckTrap(const CheckTrap&) = delete;
  CheckTrap& operator=(const CheckTrap&) = delete;

 private:
  CheckHandler previous_;
};

/// Prints the condition, the source location and `what` to standard error, then aborts the process.
[[noreturn]] void check_failed(const char* file, int line, std::string_view condition, std::string_view what);

}  // namespace finality

#define FINALITY_CHECK(condition, what)                               \
  do {                                                                \
    if (!(condition)) [[unlikely]]                                    \
      ::finality::check_failed(__FILE__, __LINE__, #condition, what); \
  } while (false)
