// Amounts in yuan with two decimals, the format of bills and of Alipay. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/money.h"

namespace finality::sandbox {

/// Formats fen as yuan: `12.34`, `-0.05`.
std::string to_yuan(MinorUnits fen);
/// Parses `12.34`, `12.3` or `12`: at most two decimals, no sign, no blanks, below 10^13 yuan. Returns fen;
/// empty when the text is invalid.
std::optional<MinorUnits> parse_yuan(std::string_view text);

}  // namespace finality::sandbox
