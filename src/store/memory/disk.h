// What a loss of power leaves of a store in memory whose sessions flush apart: what was flushed. It is what readers
// see, too.
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
  /// `write` was done to the tables in memory. It is done here with the next flush.
  void keep(Write write);
  void flush();
  /// What was not flushed is gone from memory as well. Who holds which node stays as it is: that is about sessions.
  void lose_power(Tables& memory);

 private:
  const std::shared_ptr<Tables> tables_ = std::make_shared<Tables>();
  std::vector<Write> unflushed_;  // under the mutex of the tables
};

}  // namespace finality::memory
