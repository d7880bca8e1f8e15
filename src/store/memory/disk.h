// Simulated disk of an in-memory store whose sessions flush asynchronously. It holds the flushed rows: those that
// readers see and that survive a loss of power.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "store/memory/tables.h"

namespace finality::memory {

/// Thread safe.
class Disk {
 public:
  using Write = std::function<void(Tables& tables)>;

  const std::shared_ptr<Tables>& tables() const { return tables_; }
  /// Queues a write that was applied to the tables in memory; flush() applies it to the disk.
  void keep(Write write);
  void flush();
  /// Drops unflushed writes, also from `memory`. Node leases are kept, because they belong to sessions.
  void lose_power(Tables& memory);

 private:
  const std::shared_ptr<Tables> tables_ = std::make_shared<Tables>();
  std::vector<Write> unflushed_;  // guarded by the mutex of `tables_`
};

}  // namespace finality::memory
