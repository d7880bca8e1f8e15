// Collects the lines of one statement: counts and sums them, and passes them on. Common to the parsers of all channels.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "base/time/time.h"
#include "channel/parsing/statement_values.h"
#include "channel/statements.h"
#include "model/statement_line.h"

namespace finality {

/// Returns an error, a message for operators, if the call has no valid day, a kind that the channel does not provide,
/// or an unknown funds account.
Result<void> check_call(const StatementPlan& plan, const StatementCall& call);

/// Sums the lines of a statement and passes them to a sink. Not thread safe.
class LineCollector {
 public:
  explicit LineCollector(const LineSink& sink) : sink_(sink) {}

  /// Adds the next line. Returns an error if the statement has too many lines, if a sum overflows, or if the sink has
  /// stopped the parser.
  Result<void> add(StatementLine&& line);

  /// Whether the sink has stopped the parser. The statement was then not read to its end.
  bool is_stopped() const { return is_stopped_; }
  std::int64_t lines() const { return lines_; }
  /// The sums of the lines of a currency; null without such lines. Valid until the next call of add() or sums_for().
  StatementSums* sums_of(Currency currency);
  /// The same sums, added with 0 lines if there are none: a statement can state the balance of an account without
  /// lines.
  StatementSums& sums_for(Currency currency);
  const std::vector<StatementSums>& sums() const { return sums_; }

 private:
  const LineSink& sink_;
  bool is_stopped_ = false;
  std::int64_t lines_ = 0;
  std::vector<StatementSums> sums_;
};

/// Returns the result of a parser: the sums after success or if the sink has stopped the parser, otherwise the error.
Result<std::vector<StatementSums>> sums_or_error(const LineCollector& lines, const Result<void>& outcome);

/// Opening and closing balance of an account, from the balances after its lines. The lines are sorted by time, in
/// either direction.
class BalanceSpan {
 public:
  void add(const StatementLine& line);
  /// Sets the balances of `sums`, which must be those of the lines.
  void set(StatementSums& sums) const;

 private:
  struct Step {
    Time at;
    MinorUnits before = 0;
    MinorUnits after = 0;
  };
  std::optional<Step> first_;
  std::optional<Step> last_;
};

/// Whether a line of this time can be in the statement of this day. Channels and servers may cut a day differently by
/// some seconds; a difference of more than an hour shows that the file is a statement of another day.
bool can_contain(const DaySpan& day, Time at);

}  // namespace finality
