// The lane's session on a SQLite store: its only writing connection.
#pragma once

#include <memory>
#include <string>

#include "store/sqlite/database.h"
#include "store/store.h"

namespace finality::sqlite {

/// Takes over node number `node` of the store at `path`; a new token fences the previous holder. Commits that are
/// flushed asynchronously are counted in `flushed`.
Result<std::unique_ptr<Session>> make_session(const std::string& path, std::int64_t node,
                                              std::shared_ptr<Flushed> flushed);

}  // namespace finality::sqlite
