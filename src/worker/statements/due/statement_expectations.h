// Finds the statements that a channel account or bank account should have: records that those to download are expected,
// and reports those that were not uploaded in time.
#pragma once

#include <map>
#include <set>
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
  Result<void> look_for_upload(Reader& reader, const Statement& day, std::set<std::string>& unread);

  CommandSender& commands_;
  /// The last day that was expected, or whose upload was looked for; by account, kind and funds account.
  std::map<std::string, std::string> last_days_;
  /// Overdue days whose uploads are not compared yet: a file can still be rejected. By account and kind.
  std::map<std::string, std::set<std::string>> unread_days_;
};

}  // namespace finality
