// Command `finality bench accounts`: benchmark of transfers and holds in the engine.
#pragma once

#include <cstddef>
#include <string>

namespace finality::bench {

struct AccountsBench {
  std::string store;
  std::size_t operations = 100'000;  // number of transfers and posted holds, alternating
  std::size_t accounts = 1;          // debited accounts; 1 measures a hot account
  std::size_t clients = 256;
  bool json = false;
};

/// Runs the benchmark and prints the result. Returns the exit code: 1 on an error.
int run_accounts_bench(const AccountsBench& options);

}  // namespace finality::bench
