// Archived order: records which archive contains an order that was removed from the store. The order's ledger entries
// and natural keys remain in the store too.
#pragma once

#include <string>

#include "base/time/time.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

struct ArchivedOrder {
  OrderId id;
  MerchantId merchant_id;
  Time archived_at;
  std::string archive;            // name of the archive, as in its manifest
  std::int64_t natural_keys = 0;  // number of its natural keys, which stay reserved; 0: archived before schema 23
};
BOOST_DESCRIBE_STRUCT(ArchivedOrder, (), (id, merchant_id, archived_at, archive, natural_keys))
FINALITY_ROW(ArchivedOrder, "archived_orders", log, "id", "",
             .about = "an order that was moved to an archive: the time and the archive")

}  // namespace finality
