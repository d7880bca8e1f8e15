// A machine with its types erased, from which `finality fsm`, the documentation and the console draw diagrams.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fsm/check.h"
#include "fsm/table.h"

namespace finality::fsm {

struct View {
  struct State {
    std::string_view name;
    bool final;
    bool initial;
    std::string_view due_effect;  // empty: none
  };
  struct ViewCell {
    CellKind kind;
    std::string_view to;  // empty unless a move
    Actions actions;
  };

  std::string_view name;
  std::string_view title;
  std::vector<State> states;
  std::vector<std::string_view> events;
  std::vector<std::vector<ViewCell>> cells;  // [state][event]
  std::string finding;                       // of check_all(); empty when the machine passes
};

/// Returns the view of a machine, with the finding of its checks.
template <class Machine>
View view_of(const Machine& m) {
  View view{.name = m.name, .title = m.title, .states = {}, .events = {}, .cells = {}, .finding = {}};
  view.finding = check_all(m).view();
  for (std::size_t s = 0; s < Machine::kStates; ++s) {
    const auto effect = m.effects[s];
    view.states.push_back({kNames<typename Machine::State>[s], m.finals[s], s == Machine::index(m.first),
                           effect == typename Machine::Effect{} ? std::string_view{} : name_of(effect)});
    auto& row = view.cells.emplace_back();
    for (const auto& cell : m.cells[s])
      row.push_back({cell.kind, cell.kind == CellKind::move ? name_of(cell.to) : std::string_view{}, cell.actions});
  }
  for (const std::string_view event : kNames<typename Machine::Event>) view.events.push_back(event);
  return view;
}

/// The names of the actions in `actions`: "reverse", "case".
std::vector<std::string_view> names_of(Actions actions);
/// A cell as text: `→ succeeded + case`, `keep`, `refuse`, `–`.
std::string cell_text(const View::ViewCell& cell);

std::string to_table(const View& view);    // Markdown
std::string to_mermaid(const View& view);  // stateDiagram-v2
std::string to_dot(const View& view);      // Graphviz

}  // namespace finality::fsm
