// What is left of an order that was archived: where it went. Its entries and its natural keys stay too.
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
  std::string archive;  // its name, as its manifest says it
};
BOOST_DESCRIBE_STRUCT(ArchivedOrder, (), (id, merchant_id, archived_at, archive))
FINALITY_ROW(ArchivedOrder, "archived_orders", log, "id", "",
             .about = "an order that was moved to an archive: when, and to which")

}  // namespace finality
