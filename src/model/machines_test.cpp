#include "model/machines.h"

#include <gtest/gtest.h>

#include <set>

namespace finality {
namespace {

TEST(Machines, PassAllChecksAndHaveUniqueNames) {
  std::set<std::string_view> names;
  for (const fsm::View& machine : all_machines()) {
    EXPECT_EQ(machine.finding, "");
    EXPECT_FALSE(machine.title.empty()) << machine.name;
    EXPECT_TRUE(names.insert(machine.name).second) << machine.name;
  }
  for (const std::string_view name : {"order", "payment", "refund", "reversal", "delivery", "case"})
    EXPECT_TRUE(names.contains(name)) << name;
}

// After a timeout or an unknown result, an object keeps its state or moves to `processing`; it never fails.
TEST(Machines, NoTimeoutFailsAnObject) {
  for (const fsm::View& machine : all_machines())
    for (std::size_t e = 0; e < machine.events.size(); ++e)
      for (std::size_t s = 0; machine.events[e] == "unknown" && s < machine.states.size(); ++s) {
        const auto& cell = machine.cells[s][e];
        if (cell.kind == fsm::CellKind::move) EXPECT_EQ(cell.to, "processing") << machine.name;
      }
}

}  // namespace
}  // namespace finality
