// The API's look-ups and lists on a PostgreSQL store, over a connection that cannot write.
#pragma once

#include <memory>

#include "store/postgres/connection_options.h"
#include "store/store.h"

namespace finality::postgres {

Result<std::unique_ptr<Reader>> make_reader(const ConnectionOptions& options);

}  // namespace finality::postgres
