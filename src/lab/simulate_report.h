// Prints the results of a simulation as text or JSON, and the coverage of each cell.
#pragma once

#include <string>

#include "sim/simulation.h"

namespace finality::lab {

/// Returns the command line that replays the simulated world on `store`.
std::string replay_of(const sim::WorldOptions& world, const std::string& store);

void print_json(const sim::SimulationReport& report, const sim::WorldOptions& world, const std::string& store,
                double seconds);
void print_text(const sim::SimulationReport& report, double seconds);
/// Prints for every cell of the transition tables how often, in how many simulated worlds and after which faults it was
/// reached.
void print_cells(const sim::Coverage& coverage);
/// Prints a violated invariant and the command that replays it. With `shrink`, also reduces the simulated world as far
/// as the violation remains, and prints the end of its trace.
void print_finding(const sim::SeedFinding& found, sim::WorldOptions world, const std::string& store, bool shrink);

}  // namespace finality::lab
