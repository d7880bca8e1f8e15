#include "decide/statement/index_statement.h"

#include "decide/statement/statement_writer.h"

namespace finality {

void add_reads(const IndexStatement& command, ReadSet& reads) { reads.statements.push_back(command.statement_id); }

Decision decide(const IndexStatement& command, Context& context) {
  const StatementAggregate* found = context.rows.statements.find(command.statement_id);
  if (found == nullptr) return refuse(RefusalCode::not_found, "The statement does not exist.");
  const Statement& known = found->statement;
  const bool is_replaceable = known.state == StatementState::rejected;  // by the same file, received again
  if (is_replaceable || known.index_parts > 0 || known.sha256 != command.sha256)
    return CommandResult{.object = command.statement_id};
  StatementWriter writer(context, command.statement_id);
  writer.statement().index_parts = static_cast<std::int64_t>(command.parts.size());
  std::int64_t part_no = 0;
  for (const Bytes& part : command.parts)
    context.rows.statement_parts.push_back({command.statement_id, --part_no, kPlatform, part});
  writer.noted("indexed");
  return CommandResult{.object = command.statement_id};
}

}  // namespace finality
