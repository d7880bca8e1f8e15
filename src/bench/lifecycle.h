// finality bench lifecycle.
#pragma once

#include <cstddef>
#include <string>

namespace finality::bench {

struct LifecycleBench {
  std::string store;
  std::size_t payments = 20'000;
  std::size_t merchants = 1'000;
  std::string merchant;  // the id of one that is there, instead of new ones: processes may share it
  std::size_t clients = 256;
  std::string merchant_ids;  // a file of ids, one a line, of merchants that are there; empty: new ones are made
  bool floor = false;        // measure the floor too: SQLite only
  bool json = false;
};

/// Measures and prints. Answers with the exit code.
int run_lifecycle_bench(const LifecycleBench& options);

}  // namespace finality::bench
