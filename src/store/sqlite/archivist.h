// Moves orders out of a SQLite store into archives, and back.
#pragma once

#include "store/archive/archivist.h"

namespace finality::sqlite {

Result<std::unique_ptr<store::Archivist>> open_archivist(const std::string& path);

}  // namespace finality::sqlite
