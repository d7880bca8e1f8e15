// A session that remembers what its own commits left, so that rows in use are not read again and again.
#pragma once

#include <memory>

#include "store/store.h"

namespace finality::store {

/// Wraps `session`. Only where nobody else writes as long as it holds its node number: then what it committed last is
/// what the store has. The number of rows it remembers is limited; the least used go first. After any commit that was
/// not `ok`, and with each lease, it forgets everything. Not thread safe, like every session.
std::unique_ptr<Session> remember_rows(std::unique_ptr<Session> session);

}  // namespace finality::store
