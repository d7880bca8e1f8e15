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

/// Returns the natural key of a version. Fetched and uploaded versions of a day are counted apart, so that an upload
/// never replaces a download.
Hash16 key_of_version(const StatementDay& day, StatementSource source, std::int64_t file_version);

/// Returns the newest version that the command names; null if it names none, one of another day, or of another source.
const Statement* find_newest(const Context& context, StatementId newest, const StatementDay& day,
                             StatementSource source);

/// Inserts a version of the statement of a day, in state `expected`, with its natural key.
StatementWriter add_version(Context& context, const StatementDay& day, std::int64_t file_version,
                            StatementSource source);

}  // namespace finality
