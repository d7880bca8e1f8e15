// Parses statements of the sandbox's simple channel (docs/reference/simple-statement.md). Pure.
#pragma once

#include <string_view>

#include "base/result.h"
#include "channel/parsing/statement_lines.h"

namespace finality::sandbox_channel {

/// Parses a file, packed with GZIP or not, of the channel `channel` for the day of `call`, `day`. Returns an error that
/// names the line and the column if the file is malformed or incomplete, is about another channel, kind or day, or its
/// totals are wrong. Sets the balances of `lines` from the totals.
Result<void> parse_statement(std::string_view channel, const StatementCall& call, const DaySpan& day,
                             std::string_view file, ParseBudget& budget, LineCollector& lines);

}  // namespace finality::sandbox_channel
