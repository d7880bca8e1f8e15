// Taking orders out of a store on SQLite.
#pragma once

#include "store/archive/archivist.h"

namespace finality::sqlite {

Result<std::unique_ptr<store::Archivist>> open_archivist(const std::string& path);

}  // namespace finality::sqlite
