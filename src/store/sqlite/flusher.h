// Brings the commits of a writing connection to the disk, on a thread beside it.
#pragma once

#include <memory>
#include <string>

#include "store/sqlite/checkpointer.h"
#include "store/sqlite/flushed.h"
#include "store/store.h"

namespace finality::sqlite {

/// For the store at `path`, whose writer counts its commits in `flushed`. A failure of `checkpointer` is the flush's.
Result<std::unique_ptr<Flusher>> make_flusher(const std::string& path, std::shared_ptr<Flushed> flushed,
                                              std::shared_ptr<const Checkpointer> checkpointer);

}  // namespace finality::sqlite
