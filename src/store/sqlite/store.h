// The embedded store: one SQLite file, owned by one process.
#pragma once

#include <memory>
#include <string>

#include "store/store.h"

namespace finality::sqlite {

/// Opens `path`. Unless `read_only` it takes the file's lock (PATH.lock) for as long as the store lives, and brings the
/// schema up to date when `migrate`. Errors say what to do next.
Result<std::unique_ptr<Store>> open(const std::string& path, bool read_only, bool migrate);

}  // namespace finality::sqlite
