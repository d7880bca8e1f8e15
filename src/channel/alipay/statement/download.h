// Reads Alipay's responses about statements and unpacks the downloaded files. Alipay returns a link, valid for 30
// seconds, to a ZIP file with two CSV files in GB18030: one contains the rows, the other contains their sums by shop or
// type. Pure.
#pragma once

#include <string>
#include <string_view>

#include "channel/alipay/answer.h"
#include "channel/parsing/byte_sink.h"

namespace finality::alipay {

/// Returns the link to the statement, or that there is none. The error is a message for operators, with Alipay's code
/// and an advice.
Result<StatementAnswer> read_statement_answer(const StatementCall& call, const AlipayReply& answer);

/// Returns the downloaded ZIP file as received. Returns an error if the download failed, the file exceeds the budget,
/// or the CSV file with the rows is missing or corrupt.
Result<std::string> verified_file(const UpstreamResponse& response, ParseBudget& budget);

/// Passes the CSV file with the rows to `sink` in UTF-8. `file` is Alipay's ZIP file, with its files in any order, or
/// the CSV file itself, packed with GZIP or not, in GB18030 or UTF-8. Errors are those of unpack() and inflate_gzip().
Result<void> read_statement_text(std::string_view file, ParseBudget& budget, const ByteSink& sink);

}  // namespace finality::alipay
