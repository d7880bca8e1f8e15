// Moving orders out of a store and back, on PostgreSQL.
#pragma once

#include "store/archive/archivist.h"

namespace finality::postgres {

Result<std::unique_ptr<store::Archivist>> open_archivist(const std::string& url);

}  // namespace finality::postgres
