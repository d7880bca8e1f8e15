#include "sim/coverage.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/machines.h"
#include "sim/machine_of.h"

namespace finality::sim {
namespace {

bool is_reachable(const fsm::View::ViewCell& cell) {
  return cell.kind == fsm::CellKind::move || cell.kind == fsm::CellKind::keep;
}

template <class Visit>
void each_reachable(Visit visit) {
  const auto& machines = all_machines();
  for (std::size_t m = 0; m < machines.size(); ++m)
    for (std::size_t s = 0; s < machines[m].states.size(); ++s)
      for (std::size_t e = 0; e < machines[m].events.size(); ++e)
        if (is_reachable(machines[m].cells[s][e])) visit(m, s, e);
}

}  // namespace

Coverage::Coverage() {
  for (const fsm::View& machine : all_machines()) counts_.emplace_back(machine.states.size() * machine.events.size());
}

void Coverage::add(const Event& event) {
  const auto machine = machine_of(event.object_type);
  if (!machine) return;
  const fsm::View& view = all_machines()[*machine];
  // What is decided as it comes into being (a transfer) steps from its initial state, which is never stored.
  const auto initial = std::ranges::find(view.states, true, &fsm::View::State::initial);
  const auto state = state_of(view, event.from_state ? std::string_view(*event.from_state) : initial->name);
  const auto said = event_of(view, event.event);
  if (state && said) counts_[*machine][*state * view.events.size() + *said] += 1;
}

void Coverage::add_silent(ObjectType type, std::string_view state_name, std::string_view event_name) {
  const auto machine = machine_of(type);
  if (!machine) return;
  const fsm::View& view = all_machines()[*machine];
  const auto state = state_of(view, state_name);
  const auto event = event_of(view, event_name);
  if (state && event && view.cells[*state][*event].kind == fsm::CellKind::keep)
    counts_[*machine][*state * view.events.size() + *event] += 1;
}

void Coverage::merge(const Coverage& other) {
  for (std::size_t m = 0; m < counts_.size(); ++m)
    for (std::size_t i = 0; i < counts_[m].size(); ++i) counts_[m][i] += other.counts_[m][i];
}

std::int64_t Coverage::reached() const {
  std::int64_t sum = 0;
  each_reachable([&](std::size_t m, std::size_t s, std::size_t e) {
    sum += counts_[m][s * all_machines()[m].events.size() + e] > 0;
  });
  return sum;
}

std::int64_t Coverage::reachable() const {
  std::int64_t sum = 0;
  each_reachable([&](std::size_t, std::size_t, std::size_t) { ++sum; });
  return sum;
}

std::vector<std::string> Coverage::missing() const {
  std::vector<std::string> names;
  each_reachable([&](std::size_t m, std::size_t s, std::size_t e) {
    const fsm::View& view = all_machines()[m];
    if (counts_[m][s * view.events.size() + e] == 0)
      names.push_back(fmt::format("{} {} {}", view.name, view.states[s].name, view.events[e]));
  });
  return names;
}

}  // namespace finality::sim
