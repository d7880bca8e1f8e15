// The scan of what is due, as the worker's: rows whose time has come are claimed through the engines.
#pragma once

#include <map>

#include "sim/world/client.h"
#include "store/store.h"

namespace finality::sim {

class Scanner {
 public:
  Scanner(SimScheduler& scheduler, Client& client, Reader& reader)
      : scheduler_(scheduler), client_(client), reader_(reader) {}

  /// Something may be due sooner than was planned.
  void plan();

 private:
  void scan();
  Duration lateness();

  SimScheduler& scheduler_;
  Client& client_;
  Reader& reader_;
  std::optional<Time> planned_;
  std::uint64_t plan_number_ = 0;
  std::map<ObjectRef, Time> claimed_;  // when a claim was submitted: it needs a moment
};

}  // namespace finality::sim
