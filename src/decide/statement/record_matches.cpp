#include "decide/statement/record_matches.h"

namespace finality {

void add_reads(const RecordMatches& command, ReadSet& reads) {
  reads.owners.push_back(command.merchant_id);
  for (const MatchedLine& one : command.lines) reads.statement_matches.push_back(one.document.value);
}

Decision decide(const RecordMatches& command, Context& context) {
  for (const MatchedLine& one : command.lines) {
    const std::int64_t document = one.document.value;
    if (context.rows.statement_matches.find(document) != nullptr) continue;
    context.rows.statement_matches.insert(document, {.document_id = document,
                                                     .document_type = one.document.type,
                                                     .merchant_id = command.merchant_id,
                                                     .channel_account_id = command.channel_account_id,
                                                     .statement_id = command.statement_id,
                                                     .line_no = one.line_no,
                                                     .line = one.line,
                                                     .created_at = context.now});
  }
  return CommandResult{.object = command.channel_account_id};
}

}  // namespace finality
