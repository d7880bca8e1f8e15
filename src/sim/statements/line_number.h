// The number that identifies what a line of a simulated statement reports.
#pragma once

#include <string>

#include "model/out_trade_no.h"
#include "model/statement_line.h"

namespace finality::sim {

/// The number that identifies the payment, capture or refund of a line at its channel.
inline const std::string& number_of(const StatementLine& line) {
  if (line.kind == LineKind::payment)  // captures can share their trade number
    return parse_out_capture_no(line.out_trade_no) ? line.out_trade_no : line.channel_trade_no;
  return line.out_refund_no.empty() ? line.channel_refund_no : line.out_refund_no;
}

/// Identifies a line of any statement of an account: the channel's identifier of a movement of the balance, or
/// number_of().
inline const std::string& identity_of(const StatementLine& line) {
  return line.line_id.empty() ? number_of(line) : line.line_id;
}

}  // namespace finality::sim
