// Parses Alipay's statements. Alipay returns a link, valid for 30 seconds, to a ZIP file with two CSV files in GBK: one
// file contains all rows, the other contains their sums. Pure.
#pragma once

#include <string>
#include <string_view>

#include "channel/alipay/answer.h"

namespace finality::alipay {

/// Returns the link to the statement; empty if no statement exists for that day. The error is a message for operators,
/// with Alipay's code and an advice.
Result<std::optional<BillLink>> read_statement_link(const BillCall& call, const AlipayReply& answer);

/// Unpacks the downloaded ZIP file and returns the CSV file with the rows, in its original encoding (GBK). Returns an
/// error if the download failed or the file is malformed.
Result<std::string> read_statement(const UpstreamResponse& response);

}  // namespace finality::alipay
