#include "decide/statement/record_matches.h"

namespace finality {
namespace {

template <class Match>
Match match_of(const RecordMatches& command, const MatchedLine& one, Time now) {
  Match match{.document_id = one.document.value,
              .document_type = one.document.type,
              .merchant_id = command.merchant_id,
              .channel_account_id = command.channel_account_id,
              .statement_id = command.statement_id,
              .line_no = one.line_no,
              .line = one.line,
              .created_at = now};
  if constexpr (std::is_same_v<Match, FundsMatch>) match.amount = one.amount;
  return match;
}

template <class Match>
void add_matches(const RecordMatches& command, SlotMap<std::int64_t, Match>& matches, Time now) {
  for (const MatchedLine& one : command.lines)
    if (matches.find(one.document.value) == nullptr)
      matches.insert(one.document.value, match_of<Match>(command, one, now));
}

}  // namespace

void add_reads(const RecordMatches& command, ReadSet& reads) {
  reads.owners.push_back(command.merchant_id);
  auto& documents = command.kind == StatementKind::trades ? reads.statement_matches : reads.funds_matches;
  for (const MatchedLine& one : command.lines) documents.push_back(one.document.value);
}

Decision decide(const RecordMatches& command, Context& context) {
  command.kind == StatementKind::trades ? add_matches(command, context.rows.statement_matches, context.now)
                                        : add_matches(command, context.rows.funds_matches, context.now);
  return CommandResult{.object = command.channel_account_id};
}

}  // namespace finality
