// Archivist of a PostgreSQL store: moves orders out of the store and back. See store/archive/archivist.h.
#pragma once

#include "store/archive/archivist.h"

namespace finality::postgres {

Result<std::unique_ptr<store::Archivist>> open_archivist(const std::string& url);

}  // namespace finality::postgres
