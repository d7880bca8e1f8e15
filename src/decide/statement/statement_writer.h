// Changes the aggregate of a statement (AggregateWriter).
#pragma once

#include "decide/aggregate_writer.h"
#include "decide/statement/expect_statement.h"

namespace finality {

class StatementWriter : public AggregateWriter<StatementAggregate> {
 public:
  using AggregateWriter::AggregateWriter;

  Statement& statement() { return aggregate().statement; }
};

/// Returns the newest version that the command names; null if it names none, or another day's statement.
const Statement* find_newest(const Context& context, StatementId newest, const StatementDay& day);

/// Inserts a version of the statement of a day, in state `expected`, with its natural key.
StatementWriter add_version(Context& context, const StatementDay& day, std::int64_t file_version,
                            StatementSource source);

}  // namespace finality
