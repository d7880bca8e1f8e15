// Prints the results of a simulation as text or JSON, and the coverage of each cell.
#pragma once

#include <string>

#include "sim/simulation.h"

namespace finality::app {

/// Returns the command line that replays the world.
std::string replay_of(const sim::WorldOptions& world, const std::string& store);

void print_json(const sim::SimulationReport& report, const sim::WorldOptions& world, const std::string& store,
                double seconds);
void print_text(const sim::SimulationReport& report, double seconds);
/// Prints for every cell how often, in how many worlds, and after which faults it was reached.
void print_cells(const sim::Coverage& coverage);
/// Prints the finding. With `shrink`, also the smallest world that reproduces it and the end of that world's trace.
void print_finding(const sim::SeedFinding& found, sim::WorldOptions world, const std::string& store, bool shrink);

}  // namespace finality::app
