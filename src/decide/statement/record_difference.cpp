#include "decide/statement/record_difference.h"

#include <fmt/format.h>

#include "base/crypto/encoding.h"
#include "decide/exception/open_case.h"
#include "decide/statement/difference_writer.h"
#include "model/natural_key.h"

namespace finality {
namespace {

Hash16 key_of(const RecordDifference& command) {
  return key_of_difference(command.difference.merchant_id, command.difference.channel_account_id, command.subject);
}

DifferenceWriter add_difference(const RecordDifference& command, Context& context) {
  Difference row = command.difference;
  row.id = context.next_id<DifferenceId>();
  row.state = DifferenceState::carried;
  row.created_at = context.now;
  row.ended_at.reset();
  row.version = 1;
  const Hash16 key = key_of(command);
  context.rows.keys.insert(key, {key, row.merchant_id, row.id.value});
  context.detail = FoundDifference{row};
  return {context, DifferenceAggregate{std::move(row), {}}};
}

bool is_of_account(const DifferenceAggregate* known, const Difference& row) {
  return known != nullptr && known->difference.merchant_id == row.merchant_id &&
         known->difference.channel_account_id == row.channel_account_id;
}

// Counts complete statements without the line.
void count_missed(DifferenceWriter& writer, std::int64_t missed) {
  writer.difference().missed = missed;
  writer.noted("missed");
}

// A funds statement shows that the balance differs.
void confirm(DifferenceWriter& writer) {
  writer.difference().changes_balance = true;
  writer.noted("confirmed");
}

void apply(DifferenceWriter& writer, const RecordDifference& command) {
  const Difference& row = writer.difference();
  const DifferenceId id = row.id;
  const auto cell = writer.step(command.event);
  if (has(cell.actions, fsm::Actions::open_case)) add_case(writer, CaseKind::difference, id);
  if (command.event != DifferenceEvent::repair) return;
  settle_case(writer, CaseKind::difference, id);
  writer.difference().ended_at = command.difference.ended_at;
  if (!command.repaired_by) return;
  writer.difference().repaired_by_type = command.repaired_by->type;
  writer.difference().repaired_by_id = command.repaired_by->value;
}

}  // namespace

std::string subject_of_line(const Hash16& line) {
  return "line " + to_hex({reinterpret_cast<const char*>(line.data()), line.size()});
}

std::string subject_of_document(ObjectRef document) { return to_text(document); }

std::string subject_of_costs(const Hash16& line) { return "cost " + subject_of_line(line); }

std::string subject_of_repetition(std::string_view date, const Hash16& line) {
  return fmt::format("again {} {}", date, subject_of_line(line));
}

std::string funds_subject_of(ObjectRef document) { return "funds " + to_text(document); }

std::string funds_subject_of(const Hash16& line) { return "funds " + subject_of_line(line); }

std::string funds_subject_of_repetition(std::string_view date, const Hash16& line) {
  return "funds " + subject_of_repetition(date, line);
}

void add_reads(const RecordDifference& command, ReadSet& reads) {
  reads.owners.push_back(command.difference.merchant_id);
  if (command.known) reads.differences.push_back(command.known);
  reads.keys.push_back({key_of(command), ObjectType::difference});
}

Decision decide(const RecordDifference& command, Context& context) {
  const Key* key = context.rows.keys.find(key_of(command));
  if (command.known && !is_of_account(context.rows.differences.find(command.known), command.difference))
    return refuse(RefusalCode::not_found, "The difference does not exist.");
  if (!command.known && key == nullptr) {
    DifferenceWriter writer = add_difference(command, context);
    if (command.event != DifferenceEvent::carry) apply(writer, command);
    return CommandResult{.object = writer.difference().id, .created = true};
  }
  const DifferenceId id = command.known ? command.known : DifferenceId{key->id};
  const DifferenceAggregate* found = context.rows.differences.find(id);
  FINALITY_CHECK(found != nullptr, "the key of a difference refers to no row");
  const DifferenceState state = found->difference.state;
  const bool confirms = command.difference.changes_balance && !found->difference.changes_balance;
  if (confirms && difference_machine.is_final(state)) return CommandResult{.object = id};
  const bool counts = command.event == DifferenceEvent::carry && state == DifferenceState::carried &&
                      command.difference.missed > found->difference.missed;
  const bool moves = context.cell(difference_machine, state, command.event).kind == fsm::CellKind::move;
  if (!counts && !moves && !confirms) return CommandResult{.object = id};
  context.detail = FoundDifference{command.difference};
  DifferenceWriter writer(context, id);
  if (confirms) confirm(writer);
  if (!counts && !moves) return CommandResult{.object = id};
  counts ? count_missed(writer, command.difference.missed) : apply(writer, command);
  return CommandResult{.object = id};
}

}  // namespace finality
