// Copies of the embedded store; see store/backup.h.
#pragma once

#include <string>

#include "base/result.h"

namespace finality::sqlite {

/// The server that owns `path` goes on writing: the copy is made in one read transaction.
Result<void> back_up(const std::string& path, const std::string& file);
Result<void> restore(const std::string& path, const std::string& file);

}  // namespace finality::sqlite
