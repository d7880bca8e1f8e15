// Amounts as yuan with two decimals, as bills and Alipay write them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/money.h"

namespace finality::sandbox {

/// `12.34`, `-0.05`.
std::string to_yuan(MinorUnits fen);
/// Of `12.34`, `12.3` or `12`: at most two decimals, no sign, no blanks, below 10^13 yuan.
std::optional<MinorUnits> parse_yuan(std::string_view text);

}  // namespace finality::sandbox
