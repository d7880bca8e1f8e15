// Session on a SQLite store. A store has one lane, and its session is the only connection that writes rows.
#pragma once

#include <memory>
#include <string>

#include "store/sqlite/database.h"
#include "store/store.h"

namespace finality::sqlite {

/// Opens a session on the store at `path` and takes over node number `node`. A new token fences the previous holder.
/// Commits that are flushed asynchronously are counted in `flushed`. If the store cannot be written, the session only
/// loads rows, and commit() returns the fault until renew() has leased the node number. After `damage` was found, the
/// session writes nothing.
Result<std::unique_ptr<Session>> make_session(const std::string& path, std::int64_t node,
                                              std::shared_ptr<Flushed> flushed, std::shared_ptr<Damage> damage);

}  // namespace finality::sqlite
