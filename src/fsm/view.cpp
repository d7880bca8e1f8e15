#include "fsm/view.h"

#include <fmt/format.h>

#include <map>

namespace finality::fsm {
namespace {

// Returns the edges of the state diagram, from the pair (state, next state) to a list of the events.
std::map<std::pair<std::string_view, std::string_view>, std::string> edges_of(const View& view) {
  std::map<std::pair<std::string_view, std::string_view>, std::string> edges;
  for (std::size_t s = 0; s < view.states.size(); ++s)
    for (std::size_t e = 0; e < view.events.size(); ++e) {
      const auto& cell = view.cells[s][e];
      if (cell.kind != CellKind::move) continue;
      std::string& label = edges[{view.states[s].name, cell.to}];
      if (!label.empty()) label += ", ";
      label += view.events[e];
    }
  return edges;
}

}  // namespace

std::vector<std::string_view> names_of(Actions actions) {
  std::vector<std::string_view> names;
  if (has(actions, Actions::reverse)) names.emplace_back("reverse");
  if (has(actions, Actions::open_case)) names.emplace_back("case");
  if (has(actions, Actions::release)) names.emplace_back("release");
  return names;
}

std::string cell_text(const View::ViewCell& cell) {
  std::string text = cell.kind == CellKind::move         ? fmt::format("→ {}", cell.to)
                     : cell.kind == CellKind::impossible ? std::string("–")
                                                         : std::string(name_of(cell.kind));
  for (const std::string_view action : names_of(cell.actions)) text += fmt::format(" + {}", action);
  return text;
}

std::string to_table(const View& view) {
  std::string out = fmt::format("| {} |", view.name);
  for (const auto& state : view.states)
    out += fmt::format(" {}{} |", state.name, state.final ? " (final)" : state.initial ? " (initial)" : "");
  out += "\n|---|";
  for (std::size_t s = 0; s < view.states.size(); ++s) out += "---|";
  out += "\n| *due effect* |";
  for (const auto& state : view.states) out += fmt::format(" {} |", state.due_effect.empty() ? "–" : state.due_effect);
  for (std::size_t e = 0; e < view.events.size(); ++e) {
    out += fmt::format("\n| {} |", view.events[e]);
    for (std::size_t s = 0; s < view.states.size(); ++s) out += fmt::format(" {} |", cell_text(view.cells[s][e]));
  }
  out += "\n";
  for (const auto& [state, event, cell] : view.formers)
    out += fmt::format("\nEvents of earlier versions also contain: {} in {}: {}\n", event, state, cell_text(cell));
  return out;
}

std::string to_mermaid(const View& view) {
  std::string out = "stateDiagram-v2\n";
  for (const auto& state : view.states)
    if (state.initial) out += fmt::format("  [*] --> {}\n", state.name);
  for (const auto& [edge, label] : edges_of(view))
    out += fmt::format("  {} --> {}: {}\n", edge.first, edge.second, label);
  for (const auto& state : view.states)
    if (state.final) out += fmt::format("  {} --> [*]\n", state.name);
  return out;
}

std::string to_dot(const View& view) {
  std::string out = fmt::format("digraph {} {{\n  rankdir=LR;\n  node [shape=box, style=rounded];\n", view.name);
  out += "  start [shape=point];\n";
  for (const auto& state : view.states) {
    if (state.final) out += fmt::format("  {} [peripheries=2];\n", state.name);
    if (state.initial) out += fmt::format("  start -> {};\n", state.name);
  }
  for (const auto& [edge, label] : edges_of(view))
    out += fmt::format("  {} -> {} [label=\"{}\"];\n", edge.first, edge.second, label);
  return out + "}\n";
}

}  // namespace finality::fsm
