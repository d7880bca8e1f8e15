// Interface of the comparisons of statements with the books: one implementation per kind of statement. Running a
// comparison again, after a crash or with other servers, changes nothing that an earlier run recorded.
#pragma once

#include <memory>

#include "decide/statement/post_funds.h"
#include "model/statement_line.h"
#include "worker/statements/match_counts.h"
#include "worker/statements/match_task.h"

namespace finality {

/// The functions are called in the order of their declaration. Not thread safe.
class LineMatcher {
 public:
  virtual ~LineMatcher() = default;

  /// Takes note of a line of the file, before the lines are compared. Only for a statement with earlier versions.
  virtual void note(const StatementLine& line) = 0;
  /// Takes note of a line of an earlier version, with its identity. Called after note(), for the lines of all earlier
  /// versions of a funds statement, of the newest earlier version of a statement of trades, and of those of a bank
  /// statement from the oldest one on, each if its file is stored. `is_newest`: the line is of the newest earlier
  /// version.
  virtual void note_earlier(const StatementLine&, const Hash16&, bool /*is_newest*/) {}
  /// The lines of one earlier version are noted.
  virtual void end_noted_version() {}
  /// Takes the next line, in the order of the file. Compares the lines in groups.
  virtual Result<void> add(StatementLine line) = 0;
  /// Compares the rest of the lines, and what earlier statements of the account have left open. Afterwards all matches
  /// are committed. The first call for an empty day.
  virtual Result<void> finish_lines() = 0;
  /// Compares with the lines of the newest earlier version: a line that this version does not contain is a difference.
  virtual Result<void> add_earlier(StatementLine line) = 0;
  /// Compares the rest of the lines of the earlier version.
  virtual Result<void> finish_earlier() = 0;
  /// Finds what the books have of the day and no statement contains. Only for a complete statement. The second and last
  /// call for an empty day, and the only one if the day was found empty before.
  virtual Result<void> find_missing() = 0;

  virtual const MatchCounts& counts() const = 0;
  /// What a funds or bank statement changes in the books; empty for a statement of trades. The time
  /// zone and the bank account are not set.
  virtual FundsResult result() const { return {}; }
};

/// Returns the comparison for the kind of the statement. `earlier`: the newest earlier version that was compared, or
/// null.
std::unique_ptr<LineMatcher> make_matcher(const MatchTask& task, const StatementAggregate* earlier);

}  // namespace finality
