// Finds the statements that a channel account or bank account should have: records that those to download are expected,
// and reports those that were not uploaded in time.
#pragma once

#include <map>
#include <string>

#include "channel/statements.h"
#include "model/objects/channel_account.h"
#include "store/store.h"
#include "worker/command_sender.h"

namespace finality {

/// Not thread safe.
class StatementExpectations {
 public:
  /// `commands` must outlive the object.
  explicit StatementExpectations(CommandSender& commands) : commands_(commands) {}

  /// Waits for the commit of what is new at `now`. Remembers the days of earlier calls, so that most calls read
  /// nothing.
  Result<void> expect(Reader& reader, const ChannelAccount& account, const StatementPlan& plan, Time now);

 private:
  Result<void> expect_downloads(Reader& reader, const ChannelAccount& account, const StatementPlan& plan, Time now);
  Result<void> report_overdue(Reader& reader, const ChannelAccount& account, const StatementPlan& plan, Time now);
  std::string& last_day(const ChannelAccount& account, StatementKind kind, const std::string& funds_account);

  CommandSender& commands_;
  /// The last day that was expected, or whose upload was looked for; by account, kind and funds account.
  std::map<std::string, std::string> last_days_;
};

}  // namespace finality
