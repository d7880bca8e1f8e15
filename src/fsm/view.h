// View of a state machine with strings instead of enumerators. `finality fsm`, the documentation and the console draw
// tables and diagrams from it.
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
    std::string_view due_effect;  // work that is due for a row in the state; empty: none
  };
  struct ViewCell {
    CellKind kind;
    std::string_view to;  // next state; empty unless `kind` is `move`
    Actions actions;
  };

  struct Former {
    std::string_view state;
    std::string_view event;
    ViewCell cell;
  };

  std::string_view name;
  std::string_view title;
  std::vector<State> states;
  std::vector<std::string_view> events;
  std::vector<std::vector<ViewCell>> cells;  // indexes: state, event
  std::vector<Former> formers;               // transitions that only events of earlier versions contain
  std::string finding;                       // result of check_all(); empty if the machine passes all checks
};

/// Returns the view of a machine, including the result of check_all().
template <class Machine>
View view_of(const Machine& m) {
  View view{.name = m.name, .title = m.title, .states = {}, .events = {}, .cells = {}, .formers = {}, .finding = {}};
  const auto view_cell = [](const auto& cell) -> View::ViewCell {
    return {cell.kind, cell.kind == CellKind::move ? name_of(cell.to) : std::string_view{}, cell.actions};
  };
  view.finding = check_all(m).view();
  for (std::size_t s = 0; s < Machine::kStates; ++s) {
    const auto effect = m.effects[s];
    view.states.push_back({kNames<typename Machine::State>[s], m.finals[s], s == Machine::index(m.first),
                           effect == typename Machine::Effect{} ? std::string_view{} : name_of(effect)});
    auto& row = view.cells.emplace_back();
    for (const auto& cell : m.cells[s]) row.push_back(view_cell(cell));
  }
  for (const auto& [from, event, cell] : m.formers)
    if (cell.kind != CellKind::unset) view.formers.push_back({name_of(from), name_of(event), view_cell(cell)});
  for (const std::string_view event : kNames<typename Machine::Event>) view.events.push_back(event);
  return view;
}

/// Returns the names of the actions in `actions`: "reverse", "case", "release".
std::vector<std::string_view> names_of(Actions actions);
/// Formats a cell as text, such as `→ succeeded + case`, `keep`, `refuse`, or `–` for an impossible event.
std::string cell_text(const View::ViewCell& cell);

std::string to_table(const View& view);    // table in Markdown
std::string to_mermaid(const View& view);  // Mermaid stateDiagram-v2
std::string to_dot(const View& view);      // directed graph in Graphviz DOT

}  // namespace finality::fsm
