// Syncs the commits of a writing connection from another thread.
#pragma once

#include <memory>
#include <string>

#include "store/sqlite/checkpointer.h"
#include "store/sqlite/flushed.h"
#include "store/store.h"

namespace finality::sqlite {

/// A flusher for the store at `path`, whose writer counts its commits in `flushed`. flush() also returns an error of
/// `checkpointer`.
Result<std::unique_ptr<Flusher>> make_flusher(const std::string& path, std::shared_ptr<Flushed> flushed,
                                              std::shared_ptr<const Checkpointer> checkpointer);

}  // namespace finality::sqlite
