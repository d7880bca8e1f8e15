// Store in one SQLite file. Only one process at a time may open it for writing.
#pragma once

#include <memory>
#include <string>

#include "store/store.h"

namespace finality::sqlite {

/// Opens the store at `path`. Unless `read_only` is true, the store holds the lock file PATH.lock for its lifetime. If
/// `migrate` is true, an older schema is migrated and an absent file is created; otherwise both are errors. A file that
/// cannot be written, a full disk and a damaged page are no errors: sessions then return a fault (StoreFault) for each
/// write. Errors state what to do next.
Result<std::unique_ptr<Store>> open(const std::string& path, bool read_only, bool migrate);

/// Checks that the file is a Finality store with a schema that this program supports or can migrate. Does not check its
/// content. Errors state what to do next.
Result<void> check_file(const std::string& path);

}  // namespace finality::sqlite
