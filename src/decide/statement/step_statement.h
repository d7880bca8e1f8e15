// Moves a statement: the server submits this command before and after it downloads or compares a statement.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decide/context.h"
#include "decide/statement/post_funds.h"
#include "model/read_set.h"
#include "model/statement_line.h"

namespace finality {

struct StepStatement {
  StatementId statement_id;
  /// `fetch` and `match` claim the statement; `receive` is not allowed (ReceiveStatement).
  StatementEvent event = StatementEvent::fetch;
  /// The due_at that the server has read, or that its claim has set. Another server that claims it changes due_at.
  std::optional<Time> due_since;
  /// When the statement is due next: for a claim the end of the claim, for `not_ready` the next download.
  std::optional<Time> due_at;
  std::string failure;  // only `not_ready` and `reject`: for operators
  // Only `finish`: the number of lines by result, and their sums.
  std::int64_t lines = 0;
  std::int64_t matched = 0;
  std::int64_t repaired = 0;
  std::int64_t carried = 0;
  std::int64_t differences = 0;
  std::int64_t recorded = 0;  // also `report_empty`: matches with this statement's id
  std::vector<StatementSums> sums;
  FundsResult funds;  // only of funds and bank statements
};

void add_reads(const StepStatement& command, ReadSet& reads);

/// A claim of a statement that the same server continues to work on repeats `match` or `fetch` with the due_at of its
/// last claim. Refuses with `not_found` (no such statement) and `illegal_transition` (the state does not allow the
/// event, or another server has claimed the statement).
Decision decide(const StepStatement& command, Context& context);

}  // namespace finality
