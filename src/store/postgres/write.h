// Writes the changes of a batch in one round trip: one statement per table and kind of change, for any number of rows.
#pragma once

#include <string_view>
#include <vector>

#include "model/working_set.h"
#include "store/postgres/connection.h"

namespace finality::postgres {

/// The table of a statement and the number of rows that the statement must affect. If it affects fewer rows, another
/// writer has changed a row: the commit conflicts.
struct Expected {
  std::string_view table;
  std::size_t rows;
};

/// Adds the statements that write the changes in `rows` to the round trip. Returns one Expected per statement, in the
/// order of the statements. REQUIRES: `form` is Form::sharded if the tables are distributed.
std::vector<Expected> send_changes(Connection& connection, const WorkingSet& rows, Form form);

}  // namespace finality::postgres
