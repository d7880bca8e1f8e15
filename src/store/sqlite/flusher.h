// Flusher of a SQLite store: syncs the commits of the writing connection from another thread.
#pragma once

#include <memory>
#include <string>

#include "store/sqlite/checkpointer.h"
#include "store/sqlite/flushed.h"
#include "store/store.h"

namespace finality::sqlite {

/// Opens a flusher for the store at `path`. The writing connection counts its commits in `flushed`. If `checkpointer`
/// has failed, flush() returns its error.
Result<std::unique_ptr<Flusher>> make_flusher(const std::string& path, std::shared_ptr<Flushed> flushed,
                                              std::shared_ptr<const Checkpointer> checkpointer,
                                              std::shared_ptr<Damage> damage);

}  // namespace finality::sqlite
