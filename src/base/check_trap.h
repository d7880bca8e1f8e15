// Turns failed checks (base/check.h) into exceptions. Only simulations do so: their bugs are planted, and no money
// moves.
#pragma once

#include <string>

namespace finality {

/// Receives the message of a failed check instead of the abort. Must not return: it throws.
using CheckHandler = void (*)(std::string message);

/// While it exists, a failed check in its thread calls `handler` instead of aborting the process. A check in a
/// destructor or in another thread still aborts.
class CheckTrap {
 public:
  explicit CheckTrap(CheckHandler handler);
  ~CheckTrap();
  CheckTrap(const CheckTrap&) = delete;
  CheckTrap& operator=(const CheckTrap&) = delete;

 private:
  CheckHandler previous_;
};

}  // namespace finality
