#include "decide/statement/receive_statement.h"

#include <utility>

#include "decide/statement/statement_writer.h"

namespace finality {
namespace {

// Its key shows that another file has become the next version concurrently.
Hash16 key_of_next(const ReceiveStatement& command) {
  return key_of_version(command.day, command.source, command.newest_version + 1);
}

// The next version exists already: the same file is that version.
Decision answer_about_next(const ReceiveStatement& command, Context& context, StatementId id) {
  const StatementAggregate* next = context.rows.statements.find(id);
  if (next != nullptr && next->statement.sha256 == command.sha256) return CommandResult{.object = id};
  return refuse(RefusalCode::illegal_transition,
                "Another file has just become a version of the statement. Repeat the request.");
}

void store(StatementWriter& writer, const ReceiveStatement& command) {
  Context& context = writer.context();
  Statement& statement = writer.statement();
  statement.sha256 = command.sha256;
  statement.bytes = command.bytes;
  statement.parts = static_cast<std::int64_t>(command.parts.size());
  statement.index_parts = 0;
  statement.received_at = context.now;
  statement.failure.reset();
  std::int64_t part_no = 0;
  for (const Bytes& part : command.parts)
    context.rows.statement_parts.push_back({statement.id, part_no++, kPlatform, part});
  writer.step(StatementEvent::receive);
  writer.statement().due_at = context.now;
}

// Ends the request to fetch the newest version again.
void end_fetch(Context& context, StatementId id) {
  StatementWriter writer(context, id);
  Statement& statement = writer.statement();
  if (!std::exchange(statement.is_fetched_again, false)) return;
  if (statement_machine.due_effect(statement.state) == StatementEffect::none) statement.due_at.reset();
  writer.noted("fetched_again");
}

}  // namespace

void add_reads(const ReceiveStatement& command, ReadSet& reads) {
  if (command.newest) reads.statements.push_back(command.newest);
  reads.keys.push_back({key_of_next(command), ObjectType::statement});
}

Decision decide(const ReceiveStatement& command, Context& context) {
  const Statement* newest = find_newest(context, command.newest, command.day, command.source);
  if (command.newest && newest == nullptr) return refuse(RefusalCode::not_found, "The statement does not exist.");
  FINALITY_CHECK(newest == nullptr || newest->file_version == command.newest_version,
                 "the version of a statement never changes");
  if (const Key* next = context.rows.keys.find(key_of_next(command)))
    return answer_about_next(command, context, StatementId{next->id});
  if (newest == nullptr) {
    StatementWriter writer = add_version(context, command.day, 1, command.source);
    store(writer, command);
    return CommandResult{.object = writer.statement().id, .created = true};
  }

  const StatementId id = newest->id;
  const std::int64_t file_version = newest->file_version;
  const bool is_same = newest->sha256 == command.sha256;
  const auto cell = context.cell(statement_machine, newest->state, StatementEvent::receive);
  if (cell.kind == fsm::CellKind::move && (is_same || newest->sha256.empty())) {
    StatementWriter writer(context, id);
    writer.statement().is_fetched_again = false;
    store(writer, command);
    return CommandResult{.object = id, .created = true};
  }
  if (newest->is_fetched_again) end_fetch(context, id);
  if (is_same) return CommandResult{.object = id};
  StatementWriter writer = add_version(context, command.day, file_version + 1, command.source);
  store(writer, command);
  return CommandResult{.object = writer.statement().id, .created = true};
}

}  // namespace finality
