// Writes the changes of a batch in one round trip: one statement per table and kind of change, for any number of rows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/whole_order.h"
#include "model/working_set.h"
#include "store/postgres/connection.h"

namespace finality::postgres {

/// The table of a statement and the number of rows that the statement must affect; empty: any number. If it affects
/// fewer rows, another writer has changed a row: the commit conflicts.
struct Expected {
  std::string_view table;
  std::optional<std::size_t> rows;
};

/// Adds the statements that write the changes in `rows` to the round trip. Returns one Expected per statement, in the
/// order of the statements. REQUIRES: `form` is Form::sharded if the tables are distributed.
std::vector<Expected> send_changes(Connection& connection, const WorkingSet& rows, Form form);

/// The statement that changes the ids of natural keys: hashes $1, expected ids $2, new ids $3.
const SqlStatement& rename_keys_statement();

/// Adds the statements to the round trip that insert every row of the order, point its natural keys to their objects
/// again, and delete its row of archived_orders. Returns one Expected per statement, in the order of the statements;
/// the first one deletes the row of archived_orders. REQUIRES: a transaction is open.
std::vector<Expected> send_restore(Connection& connection, const WholeOrder& order, const std::string& archive,
                                   Form form);

}  // namespace finality::postgres
