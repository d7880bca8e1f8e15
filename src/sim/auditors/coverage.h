// Coverage of the transition tables: counts the lookups of each cell, with the faults before each lookup. A cell that
// no simulation run looks up is a gap in the simulation, unless sim/mutation/unreached.h explains it.
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
    FaultMask lately = 0;             // faults in the minute before any lookup, over all runs
    FaultMask needed = ~FaultMask{};  // faults that preceded the first lookup in every run
  };

  Coverage();

  /// Counts a lookup of the cell. `lately`: fault types in the last minute of this run. `ever`: all fault types so far.
  void add(CellId id, FaultMask lately, FaultMask ever);
  void merge(const Coverage& other);

  const Cell& at(CellId id) const { return cells_[id.machine][place(id)]; }
  // reached() counts the reachable cells that were looked up, reachable() counts all reachable cells. A cell is
  // reachable if its kind is not `impossible` and unreachable_reason() returns no reason for it.
  std::int64_t reached() const;
  std::int64_t reachable() const;
  /// Returns the reachable cells that were not looked up, formatted as "payment pending not_found".
  std::vector<std::string> missing() const;
  /// Returns the cells of missing() for which rare_reason() returns no reason.
  std::vector<std::string> missing_often() const;
  /// Returns the cells that were looked up although unreachable_reason() states that they never are.
  std::vector<std::string> disproved() const;

 private:
  static std::size_t place(CellId id) { return id.state * machine_of(id).events.size() + id.event; }

  std::vector<std::vector<Cell>> cells_;  // index: machine, then place(cell)
};

}  // namespace finality::sim
