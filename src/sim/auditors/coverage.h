// Which cells of the machines were asked for, and what went wrong around it. A cell that nobody ever asks for has a
// reason (sim/mutation/unreached.h), or the worlds are too tame.
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
    FaultMask lately = 0;             // that happened within a minute before, in any world
    FaultMask needed = ~FaultMask{};  // that had happened before it was first asked for, in every world
  };

  Coverage();

  /// The cell was asked for; `lately` and `ever`: what had gone wrong in this world until then.
  void add(CellId id, FaultMask lately, FaultMask ever);
  void merge(const Coverage& other);

  const Cell& at(CellId id) const { return cells_[id.machine][place(id)]; }
  /// Of the cells that are reachable: possible, and without a reason to be never asked for.
  std::int64_t reached() const;
  std::int64_t reachable() const;
  /// "payment pending not_found": reachable, and not reached.
  std::vector<std::string> missing() const;
  /// Of the missing those that are not seldom reached.
  std::vector<std::string> missing_often() const;
  /// Cells that were asked for although a reason says that they never are.
  std::vector<std::string> disproved() const;

 private:
  static std::size_t place(CellId id) { return id.state * machine_of(id).events.size() + id.event; }

  std::vector<std::vector<Cell>> cells_;  // by machine
};

}  // namespace finality::sim
