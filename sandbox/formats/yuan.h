// Amounts in yuan with two decimals, the format of bills and of Alipay. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/money.h"

namespace finality::sandbox {

/// Formats an amount in fen as yuan, for example `12.34` or `-0.05`.
std::string to_yuan(MinorUnits fen);
/// Parses an amount such as `12.34`, `12.3` or `12` and returns it in fen. Empty when the text has more than two
/// decimals, a sign, a space, or a value of 10^13 yuan or more.
std::optional<MinorUnits> parse_yuan(std::string_view text);

}  // namespace finality::sandbox
