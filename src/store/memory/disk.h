// Simulated disk of an in-memory store whose sessions flush asynchronously. The disk holds the flushed rows. Readers
// see only flushed rows, and only flushed rows survive a loss of power.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "store/memory/tables.h"

namespace finality::memory {

/// Tables with the flushed rows, and the writes that are not flushed yet. Thread safe.
class Disk {
 public:
  using Write = std::function<void(Tables& tables)>;

  const std::shared_ptr<Tables>& tables() const { return tables_; }
  /// Queues a write that the session has applied to the tables in memory. flush() applies queued writes to the disk.
  void keep(Write write);
  void flush();
  /// Simulates a loss of power: discards unflushed writes and sets `memory` to the flushed rows. Keeps the node leases.
  void lose_power(Tables& memory);

 private:
  const std::shared_ptr<Tables> tables_ = std::make_shared<Tables>();
  std::vector<Write> unflushed_;  // guarded by the mutex of `tables_`
};

}  // namespace finality::memory
