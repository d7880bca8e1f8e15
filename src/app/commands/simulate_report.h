// What a simulation found, for people and as JSON; and what has become of each cell.
#pragma once

#include <string>

#include "sim/simulation.h"

namespace finality::app {

/// The command that runs the same worlds again.
std::string replay_of(const sim::WorldOptions& world, const std::string& store);

void print_json(const sim::SimulationReport& report, const sim::WorldOptions& world, const std::string& store,
                double seconds);
void print_text(const sim::SimulationReport& report, double seconds);
/// Every cell: how often, in how many worlds, and under which faults it was asked for.
void print_cells(const sim::Coverage& coverage);
/// The finding, the smallest world that shows it, and the trace of what it is about.
void print_finding(const sim::SeedFinding& found, sim::WorldOptions world, const std::string& store, bool shrink);

}  // namespace finality::app
