// finality bench accounts.
#pragma once

#include <cstddef>
#include <string>

namespace finality::bench {

struct AccountsBench {
  std::string store;
  std::size_t operations = 100'000;  // transfers and posted holds, alternating
  std::size_t accounts = 1;          // 1: a hot account
  std::size_t clients = 256;
  bool json = false;
};

/// Runs the benchmark and prints the result. Returns the exit code.
int run_accounts_bench(const AccountsBench& options);

}  // namespace finality::bench
