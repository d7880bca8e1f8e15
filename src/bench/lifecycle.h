// Command `finality bench lifecycle`: benchmark of complete payments in the engine.
#pragma once

#include <cstddef>
#include <string>

#include "model/objects/order.h"

namespace finality::bench {

struct LifecycleBench {
  std::string store;
  std::size_t payments = 20'000;
  std::size_t merchants = 1'000;
  std::string merchant;  // id of an existing merchant to use instead of new merchants; several processes can use it
  std::size_t clients = 256;
  CaptureMethod capture = CaptureMethod::automatic;  // manual: an authorization and one capture; new merchants only
  std::string merchant_ids;  // file with database ids of existing merchants, one per line; empty: creates merchants
  bool floor = false;        // also measures the lower bound (floor.h); requires SQLite
  bool json = false;
};

/// Runs the benchmark and prints the result. Returns the exit code: 1 on an error.
int run_lifecycle_bench(const LifecycleBench& options);

}  // namespace finality::bench
