// How a statement is compared: which other statements come first, which lines the comparison needs, and what it changes
// in the books. Shared by the server and the simulation, which read files in their own ways.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "decide/statement/step_statement.h"
#include "model/policy.h"
#include "worker/statements/line_matcher.h"

namespace finality {

/// Whether the statement lists everything of its day. Uploaded files of a channel may be incomplete, so they say
/// nothing about what they do not contain. Banks provide no downloads.
bool is_complete(const Statement& statement);

/// Returns the versions of the statement before this one in that state, or in any state, newest first.
Result<std::vector<Statement>> versions_before(Reader& reader, const Statement& statement,
                                               std::optional<StatementState> state);
/// Returns the compared versions before this one, newest first. A file that may be incomplete has none.
Result<std::vector<Statement>> earlier_versions(Reader& reader, const Statement& statement);

/// Whether the comparison of a received statement waits for that of another one: an earlier version, or the statement
/// of trades of the day of a funds statement.
Result<bool> waits_for_another(Reader& reader, const Statement& statement, const StatementPlan& plan, Time now);

/// The files of statements.
struct StatementFiles {
  /// Passes on the lines of the file of a statement, in order. An error ends the comparison.
  std::function<Result<void>(const Statement& statement, const TakeLine& take)> read;
  /// Whether the file of an earlier version is still stored.
  std::function<Result<bool>(const Statement& earlier)> has_file = [](const Statement&) { return true; };
};

/// Passes the lines of the statement and of its earlier versions to the matcher. `earlier`: as earlier_versions()
/// returns them.
Result<void> compare_lines(const Statement& statement, std::span<const Statement> earlier, LineMatcher& matcher,
                           const StatementFiles& files);

/// Returns the command that ends the comparison, without the claim. `sums`: of the lines of the file.
StepStatement finish_of(const Statement& statement, const LineMatcher& matcher, std::vector<StatementSums> sums,
                        const StatementPlan& plan, const Policy& policy);

}  // namespace finality
