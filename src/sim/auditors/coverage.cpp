#include "sim/auditors/coverage.h"

#include "sim/mutation/unreached.h"

namespace finality::sim {

Coverage::Coverage() {
  for (const fsm::View& machine : all_machines()) cells_.emplace_back(machine.states.size() * machine.events.size());
}

void Coverage::add(CellId id, FaultMask lately, FaultMask ever) {
  Cell& cell = cells_[id.machine][place(id)];
  cell.times += 1;
  cell.lately |= lately;
  if (cell.worlds != 0) return;
  cell.worlds = 1;
  cell.needed = ever;
}

void Coverage::merge(const Coverage& other) {
  for (std::size_t m = 0; m < cells_.size(); ++m)
    for (std::size_t i = 0; i < cells_[m].size(); ++i) {
      Cell& into = cells_[m][i];
      const Cell& from = other.cells_[m][i];
      into.times += from.times;
      into.worlds += from.worlds;
      into.lately |= from.lately;
      into.needed &= from.needed;
    }
}

std::int64_t Coverage::reached() const {
  std::int64_t sum = 0;
  each_cell([&](CellId id) { sum += unreachable_reason(id).empty() && at(id).times > 0; });
  return sum;
}

std::int64_t Coverage::reachable() const {
  std::int64_t sum = 0;
  each_cell([&](CellId id) { sum += unreachable_reason(id).empty(); });
  return sum;
}

std::vector<std::string> Coverage::missing() const {
  std::vector<std::string> names;
  each_cell([&](CellId id) {
    if (unreachable_reason(id).empty() && at(id).times == 0) names.push_back(to_text(id));
  });
  return names;
}

std::vector<std::string> Coverage::missing_often() const {
  std::vector<std::string> names;
  each_cell([&](CellId id) {
    if (unreachable_reason(id).empty() && rare_reason(id).empty() && at(id).times == 0) names.push_back(to_text(id));
  });
  return names;
}

std::vector<std::string> Coverage::disproved() const {
  std::vector<std::string> names;
  each_cell([&](CellId id) {
    if (!unreachable_reason(id).empty() && at(id).times > 0) names.push_back(to_text(id));
  });
  return names;
}

}  // namespace finality::sim
