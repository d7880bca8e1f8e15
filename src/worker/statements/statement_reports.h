// Differences about whole statements: a statement that is missing or cannot be used, and a balance that does not
// continue that of the day before.
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
  /// Records whether the opening balances are the closing balances of the last day with a statement, and whether the
  /// next day with a statement continues those of this one: it may have been compared before. `sums`: of the lines of
  /// `statement`. REQUIRES: a funds or bank statement that lists everything of its day.
  Result<void> check_balances(const Statement& statement, std::span<const StatementSums> sums);

 private:
  Result<void> check(const Statement& statement, Currency currency, std::optional<MinorUnits> closing,
                     std::optional<MinorUnits> opening);
  Result<void> record(Difference row, std::string subject, DifferenceEvent event);

  Reader& reader_;
  CommandSender& commands_;
};

}  // namespace finality
