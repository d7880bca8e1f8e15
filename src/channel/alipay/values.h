// Formats and parses amounts and times in Alipay's formats. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/money.h"
#include "base/time/time.h"

namespace finality::alipay {

/// Formats fen as yuan with two decimals: `12.34`. REQUIRES: fen >= 0.
std::string to_yuan(MinorUnits fen);
/// Parses an amount in yuan, `12.34`, `12.3` or `12`, without sign, blanks or exponent. Returns fen; empty if the text
/// is invalid or the amount is above limits::kAmountMax.
std::optional<MinorUnits> parse_yuan(std::string_view text);

/// Formats a time as `2026-01-31 23:59:59`, in Beijing time (UTC+8 all year), truncated to seconds.
std::string to_beijing(Time at);
/// Parses the format of to_beijing, optionally with a fraction of a second. Empty if the text is invalid.
std::optional<Time> parse_beijing(std::string_view text);

/// Whether the text of a QR code, which becomes an image or a link, has only printable characters.
bool is_printable(std::string_view text);

}  // namespace finality::alipay
