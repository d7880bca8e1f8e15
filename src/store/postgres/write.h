// Writes the changes of a batch in one round trip: one statement per table and kind of change, for any number of rows.
#pragma once

#include <string_view>
#include <vector>

#include "model/working_set.h"
#include "store/postgres/connection.h"

namespace finality::postgres {

/// A statement of the round trip: its table, and how many rows it must affect. Fewer rows mean that another writer
/// changed them first.
struct Expected {
  std::string_view table;
  std::size_t rows;
};

/// Adds the statements to the round trip, in `form`. Returns what to expect of each, in order. REQUIRES: Form::sharded
/// when the tables are distributed.
std::vector<Expected> send_changes(Connection& connection, const WorkingSet& rows, Form form);

}  // namespace finality::postgres
