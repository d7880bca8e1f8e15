// What the comparison of a statement with the books needs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "channel/statements.h"
#include "model/objects/archived_order.h"
#include "model/objects/channel_account.h"
#include "model/objects/channel_rate.h"
#include "model/objects/statement.h"
#include "model/statement_line.h"
#include "store/store.h"
#include "worker/command_sender.h"

namespace finality {

/// Takes the next line of a file. An error ends the reading.
using TakeLine = std::function<Result<void>(StatementLine&& line)>;

/// The statement that is compared, and how. The caller owns the objects, which outlive the comparison.
struct MatchTask {
  const Statement& statement;  // as before it was claimed: `matching` if an earlier run was interrupted
  const ChannelAccount& account;
  const StatementPlan& plan;
  std::span<const ChannelRate> rates;
  std::span<const StatementId> earlier;  // earlier versions of the statement
  std::int64_t lines = 0;                // of the file, to reserve memory
  Reader& reader;
  CommandSender& commands;
  /// Restores archived orders and waits until they are in the store. An order that this server cannot restore stays
  /// archived. An error ends the comparison.
  std::function<Result<void>(std::span<const ArchivedOrder> orders)> restore = [](auto) { return Result<void>{}; };
  /// Renews the claim of the statement if it ends soon. An error ends the comparison.
  std::function<Result<void>()> renew_claim = [] { return Result<void>{}; };
  /// Passes on the lines of another statement of the account, in the order of its file; none if the file has expired.
  std::function<Result<void>(const Statement& other, const TakeLine& take)> read_again = [](const auto&, const auto&) {
    return Result<void>{};
  };

  /// Call regularly during long work: renews the claim, and gives way to other work of the engine.
  Result<void> go_on() const {
    if (auto renewed = renew_claim(); !renewed) return renewed;
    return commands.give_way();
  }
};

}  // namespace finality
