// Scenarios: how the upstream world behaves towards one trade, as data.
//
// A scenario has one group of fields for each point where the upstream world reacts. A field's default is what a
// well-behaved channel and a payer in no hurry do, so a row says only what is special about it. A new scenario is a new
// row of the table in scenario.cpp; a new kind of behaviour is a new field here and the one place that heeds it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/time/time.h"
#include "sandbox/core/trade.h"

namespace finality::sandbox {

/// The request to create the trade. It takes effect at once, unless it is lost.
struct CreateReaction {
  Duration answer_after{0};
  bool answered = true;  // false: it takes effect, and what comes back is a proxy's 504
  /// The first request, and all that concerns the trade for so long, never arrives: a proxy answers 504.
  std::optional<Duration> lost_for = std::nullopt;
  /// Every request is refused with a code that no documentation lists, and no trade is made.
  bool refused = false;
};

/// What a payer may get wrong. The channel's word about it is genuine.
enum class Mistake : std::uint8_t { none, amount, currency };

/// The payer, counted from the creation of the trade. Never scaled: he is a person.
struct PayerReaction {
  Act act = Act::none;
  Duration after{0};
  Mistake mistake = Mistake::none;
};

/// A request to close the trade.
struct CloseReaction {
  bool payer_is_faster = false;  // he pays in the instant before it
};

/// What the channel tells by itself when the trade ends.
struct NotifyReaction {
  bool sent = true;
  bool tells_paid = true;   // false: that the trade is paid is not told
  std::int64_t copies = 1;  // of the same notification, at once
  bool forged = false;      // somebody else tells, soon after the creation and in several false ways, that it is paid
};

/// Requests to give money of the trade back.
struct RefundReaction {
  std::int64_t refused_for_now = 0;  // so many first ones are, and their numbers are dead
  std::int64_t not_now = 0;          // so many first ones are, and their numbers are not taken
  bool refused = false;              // every one, for good
  bool answered = true;              // false: it takes effect, and what comes back is a proxy's 504
  /// Where refunds take time to settle: for so long after that they reach nobody; then somebody has acted.
  Duration stranded_for{0};
  bool abandoned_pays = false;  // the first one that was refused for the moment is paid after the one that replaced it
  bool returns = false;         // each refund is returned, where the channel can report that
};

/// What happens, as it should not, after the trade has ended as `end`.
struct Sequel {
  TradeState end = TradeState::waiting;  // waiting: there is none
  Act act = Act::none;
  Duration after{0};
};

struct Scenario {
  std::string_view name;
  std::string_view story;  // for people, one sentence
  CreateReaction create = {};
  PayerReaction payer = {};
  CloseReaction close = {};
  NotifyReaction notify = {};
  RefundReaction refund = {};
  Sequel sequel = {};
};

/// What a trade without a scenario follows.
inline constexpr std::string_view kDefaultScenario = "manual";

std::span<const Scenario> scenarios();
/// Null when there is none of that name.
const Scenario* find_scenario(std::string_view name);
/// What a trade in the books follows. One whose scenario is no longer known follows the default.
const Scenario& scenario_of(const Trade& trade);

}  // namespace finality::sandbox
