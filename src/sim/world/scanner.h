// The scan of due rows: claims them through the engines, as the worker does.
#pragma once

#include <map>

#include "sim/world/client.h"
#include "store/store.h"

namespace finality::sim {

class Scanner {
 public:
  Scanner(SimScheduler& scheduler, Client& client, Reader& reader)
      : scheduler_(scheduler), client_(client), reader_(reader) {}

  /// Plans the next scan again, because a row may become due before the scan that was planned.
  void plan();

 private:
  void scan();
  Duration lateness();

  SimScheduler& scheduler_;
  Client& client_;
  Reader& reader_;
  std::optional<Time> planned_;
  std::uint64_t plan_number_ = 0;
  std::map<ObjectRef, Time> claimed_;  // when a claim was submitted for each object; a claim takes some time
};

}  // namespace finality::sim
