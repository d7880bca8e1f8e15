// Which cells of the machines were reached: by an event that was recorded, or by a word of the channel that changed
// nothing. Cells that refuse leave no record, so they are not counted among the reachable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/event.h"

namespace finality::sim {

class Coverage {
 public:
  Coverage();

  void add(const Event& event);
  /// The event was heard in that state and changed nothing; a cell that keeps is reached by it, though it left no
  /// record.
  void add_silent(ObjectType type, std::string_view state, std::string_view event);
  void merge(const Coverage& other);

  std::int64_t reached() const;
  /// Cells that move or keep.
  std::int64_t reachable() const;
  /// "payment pending absent": reachable, and not reached.
  std::vector<std::string> missing() const;

 private:
  std::vector<std::vector<std::int64_t>> counts_;  // by machine, then state × events + event
};

}  // namespace finality::sim
