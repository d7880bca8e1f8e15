// Alipay's statements: a link that is good for 30 seconds, and behind it a ZIP file of two CSVs in GBK, with all rows
// and with their sums. Pure.
#pragma once

#include <string>
#include <string_view>

#include "channel/alipay/answer.h"

namespace finality::alipay {

/// Whether it is a day of the calendar, yyyy-MM-dd.
bool is_day(std::string_view text);

/// Empty: there is no statement of that day. The error says what an operator can do.
Result<std::optional<BillLink>> read_statement_link(const BillCall& call, const AlipayReply& answer);

/// The CSV with the rows, its bytes as they are (GBK).
Result<std::string> read_statement(const UpstreamResponse& response);

}  // namespace finality::alipay
