// Alipay's statements: a link that is valid for 30 seconds, to a ZIP file with two CSV files in GBK. One contains all
// rows, the other their sums. Pure.
#pragma once

#include <string>
#include <string_view>

#include "channel/alipay/answer.h"

namespace finality::alipay {

/// Whether `text` is a calendar day, yyyy-MM-dd.
bool is_day(std::string_view text);

/// The link to the statement. Empty: no statement exists for that day. The error states what an operator can do.
Result<std::optional<BillLink>> read_statement_link(const BillCall& call, const AlipayReply& answer);

/// Unpacks the downloaded ZIP file and returns the CSV file with the rows, in its original encoding (GBK).
Result<std::string> read_statement(const UpstreamResponse& response);

}  // namespace finality::alipay
