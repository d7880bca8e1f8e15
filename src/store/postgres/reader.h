// Reader of a PostgreSQL store: look-ups and lists for the API on a read-only connection.
#pragma once

#include <memory>

#include "store/postgres/connection_options.h"
#include "store/store.h"

namespace finality::postgres {

class KnownMerchants;

/// On a distributed store, the reader refuses the reads of a shard that has failed, and sends reads of all shards to
/// the others (store/postgres/read_guard.h). `merchants` is shared by the readers of the store.
Result<std::unique_ptr<Reader>> make_reader(const ConnectionOptions& options,
                                            std::shared_ptr<KnownMerchants> merchants);

}  // namespace finality::postgres
