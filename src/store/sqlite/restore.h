// Puts archived orders back into the store.
#pragma once

#include <string>

#include "model/whole_order.h"
#include "store/sqlite/database.h"

namespace finality::sqlite {

/// Inserts every row of the order, points its natural keys to their objects again, and deletes its row of
/// archived_orders. Returns false if that row does not name `archive`. Fails if a row or key is not as the archive left
/// it. REQUIRES: a transaction is open, which the caller rolls back unless the result is true.
Result<bool> restore_order(Database& database, const WholeOrder& order, const std::string& archive);

}  // namespace finality::sqlite
