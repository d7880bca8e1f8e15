// The lane's connection to a SQLite store: the one that writes.
#pragma once

#include <memory>
#include <string>

#include "store/sqlite/database.h"
#include "store/store.h"

namespace finality::sqlite {

/// Takes over node number `node` of the store at `path`: a new token fences whoever held it. Commits that are flushed
/// apart are counted in `flushed`.
Result<std::unique_ptr<Session>> make_session(const std::string& path, std::int64_t node,
                                              std::shared_ptr<Flushed> flushed);

}  // namespace finality::sqlite
