// Writing what a batch changed, in one round trip: a statement per table and kind, whatever the number of rows.
#pragma once

#include <string_view>
#include <vector>

#include "model/working_set.h"
#include "store/postgres/connection.h"

namespace finality::postgres {

/// A statement of the round trip, and how many rows it must touch. Fewer: somebody else was there first.
struct Expected {
  std::string_view table;
  std::size_t rows;
};

/// Adds the statements to the round trip, in that form: `sharded` where tables are distributed.
std::vector<Expected> send_changes(Connection& connection, const WorkingSet& rows, Form form);

}  // namespace finality::postgres
