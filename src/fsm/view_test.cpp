#include "fsm/view.h"

#include <gtest/gtest.h>

#include "fsm/test_light.h"

namespace finality {
namespace {

using fsm::move_to;
using test::Light;
using test::light_machine;
using test::Signal;
static_assert(fsm::check_all(light_machine).ok());

const fsm::View kView = fsm::view_of(light_machine);

TEST(View, HasTheNamesOfStatesAndEvents) {
  EXPECT_EQ(kView.name, "light");
  EXPECT_EQ(kView.title, "灯");
  EXPECT_EQ(kView.finding, "");
  ASSERT_EQ(kView.states.size(), 3u);
  EXPECT_TRUE(kView.states[0].initial);
  EXPECT_EQ(kView.states[0].due_effect, "blink");
  EXPECT_EQ(kView.states[1].due_effect, "");
  EXPECT_TRUE(kView.states[2].final);
  EXPECT_EQ(kView.events, (std::vector<std::string_view>{"go", "stop", "cut"}));
}

TEST(View, FormatsCells) {
  EXPECT_EQ(fsm::cell_text(kView.cells[0][0]), "→ green");
  EXPECT_EQ(fsm::cell_text(kView.cells[0][1]), "keep");
  EXPECT_EQ(fsm::cell_text(kView.cells[2][0]), "refuse");
  EXPECT_EQ(fsm::cell_text(kView.cells[2][1]), "keep + case");
  EXPECT_EQ(fsm::cell_text(kView.cells[0][2]), "→ off + reverse + case");
  EXPECT_EQ(fsm::cell_text(kView.cells[2][2]), "–");
}

TEST(View, NamesEveryAction) {
  using enum fsm::Actions;
  EXPECT_TRUE(fsm::names_of(none).empty());
  EXPECT_EQ(fsm::names_of(reverse | open_case | release),
            (std::vector<std::string_view>{"reverse", "case", "release"}));
  EXPECT_EQ(fsm::cell_text({fsm::CellKind::keep, "", release}), "keep + release");
  EXPECT_EQ(fsm::cell_text({fsm::CellKind::move, "off", release | open_case}), "→ off + case + release");
}

TEST(View, FormatsAMarkdownTable) {
  EXPECT_EQ(fsm::to_table(kView),
            "| light | red (initial) | green | off (final) |\n"
            "|---|---|---|---|\n"
            "| *due effect* | blink | – | – |\n"
            "| go | → green | keep | refuse |\n"
            "| stop | keep | → red | keep + case |\n"
            "| cut | → off + reverse + case | → off | – |\n");
}

TEST(View, FormatsAMermaidDiagram) {
  EXPECT_EQ(fsm::to_mermaid(kView),
            "stateDiagram-v2\n"
            "  [*] --> red\n"
            "  green --> off: cut\n"
            "  green --> red: stop\n"
            "  red --> green: go\n"
            "  red --> off: cut\n"
            "  off --> [*]\n");
}

TEST(View, FormatsADotGraph) {
  EXPECT_EQ(fsm::to_dot(kView),
            "digraph light {\n"
            "  rankdir=LR;\n"
            "  node [shape=box, style=rounded];\n"
            "  start [shape=point];\n"
            "  start -> red;\n"
            "  off [peripheries=2];\n"
            "  green -> off [label=\"cut\"];\n"
            "  green -> red [label=\"stop\"];\n"
            "  red -> green [label=\"go\"];\n"
            "  red -> off [label=\"cut\"];\n"
            "}\n");
}

/// Counts the look-ups and replaces the cell of `go` in `red`.
class OneCellChanged final : public fsm::CellWatch {
 public:
  fsm::SeenCell asked(std::string_view machine, std::size_t state, std::size_t event, fsm::SeenCell cell) override {
    EXPECT_EQ(machine, "light");
    ++looked_up_;
    const bool changed = state == static_cast<std::size_t>(Light::red) && event == static_cast<std::size_t>(Signal::go);
    return changed ? fsm::SeenCell{fsm::CellKind::move, static_cast<std::size_t>(Light::off), fsm::Actions::open_case}
                   : cell;
  }
  int looked_up() const { return looked_up_; }

 private:
  int looked_up_ = 0;
};

TEST(CellWatch, ReceivesEveryLookUpAndReturnsTheCellToUse) {
  OneCellChanged watch;
  EXPECT_EQ(light_machine.at(Light::red, Signal::go, watch), move_to(Light::off) + fsm::Actions::open_case);
  EXPECT_EQ(light_machine.at(Light::off, Signal::stop, watch), light_machine.at(Light::off, Signal::stop));
  EXPECT_EQ(watch.looked_up(), 2);
}

TEST(View, HasTheFindingOfABrokenMachine) {
  auto broken = light_machine;
  broken.cells[0][1] = {};
  EXPECT_EQ(fsm::view_of(broken).finding,
            "machine 'light': no cell for event 'stop' in state 'red'. Fill the cell: move_to, keep, refuse or "
            "impossible (完备性).");
}

}  // namespace
}  // namespace finality
