#include "base/check.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/check_trap.h"

namespace finality {
namespace {

thread_local CheckHandler handler_of_thread = nullptr;

}  // namespace

CheckTrap::CheckTrap(CheckHandler handler) : previous_(std::exchange(handler_of_thread, handler)) {}
CheckTrap::~CheckTrap() { handler_of_thread = previous_; }

void check_failed(const char* file, int line, std::string_view condition, std::string_view what) {
  if (handler_of_thread != nullptr) handler_of_thread(fmt::format("{}:{}: {} ({})", file, line, what, condition));
  std::fprintf(stderr, "%s:%d: check failed: %.*s (%.*s)\n", file, line, static_cast<int>(what.size()), what.data(),
               static_cast<int>(condition.size()), condition.data());
  std::abort();
}

}  // namespace finality
