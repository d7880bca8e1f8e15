#include "decide/statement/step_statement.h"

#include "decide/add_row.h"
#include "decide/statement/statement_writer.h"

namespace finality {
namespace {

using E = StatementEvent;

bool is_claim(StatementEvent event) { return event == E::fetch || event == E::match; }

StatementTotal total_of(const StatementSums& sums, const Statement& statement, Context& context) {
  return {.id = context.next_id<StatementTotalId>(),
          .statement_id = statement.id,
          .currency = sums.currency,
          .lines = sums.lines,
          .payments = sums.payments,
          .paid = sums.paid,
          .refunds = sums.refunds,
          .refunded = sums.refunded,
          .fee_e5 = sums.fee_e5,
          .credits = sums.credits,
          .debits = sums.debits,
          .opening_balance = sums.opening_balance,
          .closing_balance = sums.closing_balance};
}

// Stores the result of the comparison.
void note_result(StatementWriter& writer, const StepStatement& command) {
  Statement& statement = writer.statement();
  statement.lines = command.lines;
  statement.matched = command.matched;
  statement.repaired = command.repaired;
  statement.carried = command.carried;
  statement.differences = command.differences;
  statement.recorded = command.recorded;
  for (const StatementSums& sums : command.sums)
    add_row(writer.aggregate().totals, total_of(sums, statement, writer.context()));
  post_funds(writer, command.funds);
}

// Returns when the statement is due after the event, in its new state. A statement that was to be fetched again while a
// server compared it is due at once.
std::optional<Time> next_due(const Statement& statement, const StepStatement& command, Time now) {
  if (statement_machine.due_effect(statement.state) != StatementEffect::none || is_claim(command.event))
    return command.due_at.value_or(now);
  return statement.is_fetched_again ? std::optional(now) : std::nullopt;
}

}  // namespace

void add_reads(const StepStatement& command, ReadSet& reads) {
  reads.statements.push_back(command.statement_id);
  add_reads(command.funds, reads);
}

Decision decide(const StepStatement& command, Context& context) {
  const StatementAggregate* found = context.rows.statements.find(command.statement_id);
  if (found == nullptr) return refuse(RefusalCode::not_found, "The statement does not exist.");
  const Statement& known = found->statement;
  const std::string state(name_of(known.state));
  if (command.due_since && known.due_at != command.due_since)
    return refuse(RefusalCode::illegal_transition, "Another server works on the statement.", {}, state);
  if (context.cell(statement_machine, known.state, command.event).kind == fsm::CellKind::refuse ||
      command.event == E::receive)
    return refuse(RefusalCode::illegal_transition,
                  fmt::format("The statement is {}: {} is not possible.", state, name_of(command.event)), {}, state);

  StatementWriter writer(context, command.statement_id);
  Statement& statement = writer.statement();
  const bool was_final = statement_machine.due_effect(statement.state) == StatementEffect::none;
  const bool is_renewed = command.due_since && *command.due_since > context.now;
  if (command.event == E::fetch && !is_renewed) statement.tries += 1;
  if (command.event == E::finish && !was_final) note_result(writer, command);
  if (command.event == E::report_empty && !was_final) statement.recorded = command.recorded;
  if (command.event == E::finish) statement.failure.reset();
  if (!command.failure.empty()) statement.failure = command.failure;
  if (was_final && command.event != E::fetch) statement.is_fetched_again = false;
  writer.step(command.event, true);
  writer.statement().due_at = next_due(writer.statement(), command, context.now);
  return CommandResult{.object = command.statement_id};
}

}  // namespace finality
