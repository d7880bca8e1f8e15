// Price (seed 004: tb_price): a named amount for one unit. A transfer can state a price and a quantity instead of an
// amount.
#pragma once

#include <optional>
#include <string>

#include "base/money.h"
#include "base/time/time.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

struct Price {
  PriceId id;
  MerchantId merchant_id;
  std::string name;
  MinorUnits amount = 0;
  Currency currency;
  std::optional<std::string> note;
  Time created_at;
  Time changed_at;
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(Price, (), (id, merchant_id, name, amount, currency, note, created_at, changed_at, version))
FINALITY_ROW(Price, "prices", root, "id", "merchant_id name created_at", .about = "a line of the price list")

}  // namespace finality
