// Formatting and parsing of amounts and times in Alipay's formats. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/money.h"
#include "base/time/time.h"

namespace finality::alipay {

/// Formats fen as yuan with two decimals: `12.34`. REQUIRES: fen >= 0.
std::string to_yuan(MinorUnits fen);
/// Parses yuan, `12.34`, `12.3` or `12`, up to limits::kAmountMax fen; no sign, no blanks, no exponent. Returns fen;
/// empty when the text is invalid.
std::optional<MinorUnits> parse_yuan(std::string_view text);

/// Formats a time as `2026-01-31 23:59:59`, in Beijing time (UTC+8 all year), truncated to seconds.
std::string to_beijing(Time at);
/// Parses the same format, optionally with a fraction of a second. Empty when invalid.
std::optional<Time> parse_beijing(std::string_view text);

}  // namespace finality::alipay
