#include "wire/machine_json.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace finality::wire {

namespace json = boost::json;

std::string machine_json(const fsm::View& machine) {
  json::array states;
  for (const auto& state : machine.states) {
    const json::value effect =
        state.due_effect.empty() ? json::value(nullptr) : json::value(json::string(state.due_effect));
    states.push_back(json::object{{"name", state.name}, {"final", state.final}, {"due_effect", effect}});
  }
  json::array events(machine.events.begin(), machine.events.end());
  json::array cells;
  for (std::size_t s = 0; s < machine.states.size(); ++s)
    for (std::size_t e = 0; e < machine.events.size(); ++e) {
      const auto& cell = machine.cells[s][e];
      json::object out{{"state", machine.states[s].name}, {"event", machine.events[e]}, {"cell", name_of(cell.kind)}};
      if (cell.kind == fsm::CellKind::move) out["to"] = cell.to;
      json::array actions;
      for (const std::string_view action : fsm::names_of(cell.actions)) actions.emplace_back(action);
      out["actions"] = std::move(actions);
      cells.emplace_back(std::move(out));
    }
  return json::serialize(
      json::object{{"machine", machine.name}, {"states", states}, {"events", events}, {"cells", cells}});
}

}  // namespace finality::wire
