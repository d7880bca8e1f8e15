// Record of an archived order: the archive that contains it. The order's entries and natural keys also stay in the
// store.
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
  std::string archive;  // the archive's name, from its manifest
};
BOOST_DESCRIBE_STRUCT(ArchivedOrder, (), (id, merchant_id, archived_at, archive))
FINALITY_ROW(ArchivedOrder, "archived_orders", log, "id", "",
             .about = "an order that was moved to an archive: the time and the archive")

}  // namespace finality
