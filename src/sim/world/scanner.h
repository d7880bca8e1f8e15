// Scan of due rows: submits a claim for each due row to the engines, as the worker does.
#pragma once

#include <map>

#include "sim/world/client.h"
#include "store/store.h"

namespace finality::sim {

class Scanner {
 public:
  Scanner(SimScheduler& scheduler, Client& client, Reader& reader)
      : scheduler_(scheduler), client_(client), reader_(reader) {}

  /// Schedules the next scan for the earliest due row. Called after each commit, because a row may become due before
  /// the scheduled scan.
  void plan();

 private:
  void scan();
  Duration lateness();

  SimScheduler& scheduler_;
  Client& client_;
  Reader& reader_;
  std::optional<Time> planned_;
  std::uint64_t plan_number_ = 0;
  std::map<ObjectRef, Time> claimed_;  // time of the last claim of each object; prevents repeated claims
};

}  // namespace finality::sim
