// Reports received statements that are not compared in time: their comparison fails, or waits for another statement.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "channel/statements.h"
#include "model/objects/statement.h"
#include "store/store.h"
#include "worker/command_sender.h"

namespace finality {

/// Not thread safe.
class UncomparedStatements {
 public:
  /// `commands` must outlive the object.
  explicit UncomparedStatements(CommandSender& commands) : commands_(commands) {}

  /// Records that the statement is missing if it waits for its comparison since compared_late_at(). Waits for the
  /// commit. Remembers the statement, so that repeated calls read nothing. Ignores files that may be incomplete,
  /// because the download of their day reports them.
  Result<void> report_if_late(Reader& reader, const Statement& statement, const StatementPlan& plan, Time now);
  /// Call when the statement is compared.
  void forget(StatementId id) { reported_.erase(id.value); }

 private:
  CommandSender& commands_;
  std::unordered_set<std::int64_t> reported_;
};

}  // namespace finality
