// Puts archived orders back into the store.
#pragma once

#include <string>
#include <vector>

#include "model/whole_order.h"
#include "store/postgres/write.h"

namespace finality::postgres {

/// The statement that changes the ids of natural keys: hashes $1, expected ids $2, new ids $3.
const SqlStatement& rename_keys_statement();

/// Adds the statements to the round trip that insert every row of the order, point its natural keys to their objects
/// again, and delete its row of archived_orders. Returns one Expected per statement, in the order of the statements;
/// the first one deletes the row of archived_orders. REQUIRES: a transaction is open.
std::vector<Expected> send_restore(Connection& connection, const WholeOrder& order, const std::string& archive,
                                   Form form);

}  // namespace finality::postgres
