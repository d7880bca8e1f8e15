// Amounts as decimals in major units, with the digits of the currency. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/money.h"

namespace finality::sandbox {

/// Formats an amount, for example `12.34` (CNY), `-500` (JPY) or `1.234` (KWD). A currency that is not in ISO 4217 has
/// no decimal digits.
std::string to_decimal(MinorUnits amount, std::string_view currency);

}  // namespace finality::sandbox
