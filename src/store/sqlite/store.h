// Embedded store: one SQLite file, owned by one process.
#pragma once

#include <memory>
#include <string>

#include "store/store.h"

namespace finality::sqlite {

/// Opens `path`. Unless `read_only`, holds the file's lock (PATH.lock) for the lifetime of the store, and brings the
/// schema up to date if `migrate`. Errors state what to do next.
Result<std::unique_ptr<Store>> open(const std::string& path, bool read_only, bool migrate);

}  // namespace finality::sqlite
