// Records which cells of the state machines were looked up, and the faults around each lookup. A cell that is never
// looked up needs a reason (sim/mutation/unreached.h); otherwise the worlds have too few faults.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/mutation/cell.h"
#include "sim/world/faults.h"

namespace finality::sim {

class Coverage {
 public:
  struct Cell {
    std::int64_t times = 0;
    std::int64_t worlds = 0;
    FaultMask lately = 0;             // faults within the minute before a lookup, in any world
    FaultMask needed = ~FaultMask{};  // faults that preceded the first lookup in every world
  };

  Coverage();

  /// Counts a lookup of the cell. `lately`: the faults of this world within the last minute; `ever`: all faults so far.
  void add(CellId id, FaultMask lately, FaultMask ever);
  void merge(const Coverage& other);

  const Cell& at(CellId id) const { return cells_[id.machine][place(id)]; }
  // Number of reachable cells that were looked up, and number of all reachable cells. A cell is reachable if it is
  // possible and unreachable_reason is empty for it.
  std::int64_t reached() const;
  std::int64_t reachable() const;
  /// Reachable cells that were not looked up, as "payment pending not_found".
  std::vector<std::string> missing() const;
  /// The missing cells for which rare_reason is empty.
  std::vector<std::string> missing_often() const;
  /// Cells that were looked up although unreachable_reason gives a reason that they never are.
  std::vector<std::string> disproved() const;

 private:
  static std::size_t place(CellId id) { return id.state * machine_of(id).events.size() + id.event; }

  std::vector<std::vector<Cell>> cells_;  // by machine
};

}  // namespace finality::sim
