#include "worker/statements/due/uncompared_statements.h"

#include "worker/statements/compare_statement.h"
#include "worker/statements/due/statement_schedule.h"
#include "worker/statements/statement_reports.h"

namespace finality {

Result<void> UncomparedStatements::report_if_late(Reader& reader, const Statement& statement, const StatementPlan& plan,
                                                  Time now) {
  const bool is_outstanding = statement_machine.due_effect(statement.state) == StatementEffect::match;
  if (!is_outstanding || !is_complete(statement) || reported_.contains(statement.id.value)) return {};
  const Time received_at = statement.received_at.value_or(statement.created_at);
  if (now < compared_late_at(plan, statement.date, received_at)) return {};
  auto reported = StatementReports(reader, commands_).report_missing(statement, DifferenceEvent::find);
  if (reported) reported_.insert(statement.id.value);
  return reported;
}

}  // namespace finality
