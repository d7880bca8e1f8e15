// Differences about whole statements: a statement that is missing or cannot be used, and balances that do not agree
// with the lines or with those of the day before.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "model/objects/difference.h"
#include "model/objects/statement.h"
#include "model/statement_line.h"
#include "store/store.h"
#include "worker/command_sender.h"

namespace finality {

/// Waits for the commit of each difference. Not thread safe.
class StatementReports {
 public:
  /// `reader` and `commands` must outlive the object.
  StatementReports(Reader& reader, CommandSender& commands) : reader_(reader), commands_(commands) {}

  /// Records with `find` that the statement is missing or cannot be used, with `repair` that this has ended. Without an
  /// id, the statement is a day without a row.
  Result<void> report_missing(const Statement& statement, DifferenceEvent event);
  /// Records whether the opening balance and the lines give the closing balance, whether the opening balance is the
  /// closing balance of the last day that states one, and whether the next day that states one continues the balance:
  /// it may have been compared before. `sums`: of the lines of `statement`; none for an empty day. REQUIRES: a funds or
  /// bank statement that lists everything of its day.
  Result<void> check_balances(const Statement& statement, std::span<const StatementSums> sums);

 private:
  /// Two balances that must be equal: the one that follows from others, and the one that the statement states.
  struct Balances {
    Currency currency;
    MinorUnits ours = 0;
    MinorUnits theirs = 0;
  };

  Result<void> check_lines(const Statement& statement, const StatementSums& sums);
  Result<void> check(const Statement& statement, Currency currency, std::optional<MinorUnits> closing,
                     std::optional<MinorUnits> opening);
  Result<void> record_break(const Statement& statement, const Balances& balances, std::string text,
                            const std::string& subject);
  Result<void> record(Difference row, std::string subject, DifferenceEvent event);

  Reader& reader_;
  CommandSender& commands_;
};

}  // namespace finality
