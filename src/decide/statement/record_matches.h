// Records that lines of a statement agree with the books. The lines of one command belong to one merchant. The
// documents do not change: a match needs no new version of the order, because compare_line() compares only columns that
// never change.
#pragma once

#include <vector>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct MatchedLine {
  ObjectRef document;  // as StatementMatch::document_id or FundsMatch::document_id
  Hash16 line{};       // key_of_line()
  std::int64_t line_no = 0;
  MinorUnits amount = 0;  // only of funds and bank statements: change of the balance
};

struct RecordMatches {
  MerchantId merchant_id;  // owner of the documents; the platform for unknown receipts
  ChannelAccountId channel_account_id;
  StatementId statement_id;
  StatementKind kind = StatementKind::trades;  // of the statement
  std::vector<MatchedLine> lines;
};

void add_reads(const RecordMatches& command, ReadSet& reads);

/// Adds one match per line: a StatementMatch for a line of trades, otherwise a FundsMatch. Omits documents that have a
/// match already, so that a repeated command changes nothing. The commit conflicts if a line has a match with another
/// document. REQUIRES: no line is in `lines` twice.
Decision decide(const RecordMatches& command, Context& context);

}  // namespace finality
