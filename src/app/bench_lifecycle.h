// finality bench lifecycle.
#pragma once

#include <cstddef>
#include <string>

namespace finality::app {

struct LifecycleBench {
  std::string store;
  std::size_t payments = 20'000;
  std::size_t merchants = 1'000;
  std::size_t clients = 256;
  bool json = false;
};

/// Measures and prints. Answers with the exit code.
int run_lifecycle_bench(const LifecycleBench& options);

}  // namespace finality::app
