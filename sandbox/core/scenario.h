// Scenarios, as data: the behaviour of the simulated channel and payer for one trade.
//
// A scenario has one group of fields for each point at which the channel or the payer reacts. The defaults describe a
// correct channel and a payer who does nothing, so a row of the table in scenario.cpp lists only deviations. A new
// scenario is a new row; a new kind of behaviour is a new field here, read in one place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/time/time.h"
#include "sandbox/core/trade.h"

namespace finality::sandbox {

/// Reaction to the request that creates the trade. The request takes effect immediately, unless it is lost.
struct CreateReaction {
  Duration answer_after{0};
  bool answered = true;  // false: the request takes effect, and a proxy returns 504
  /// The first request, and all requests about the trade for this long, are lost: a proxy returns 504.
  std::optional<Duration> lost_for = std::nullopt;
  /// Every request is refused with an undocumented code, and no trade is created.
  bool refused = false;
};

/// What the payer pays wrongly: the amount or the currency. The channel reports the payment as it was made.
enum class Mistake : std::uint8_t { none, amount, currency };

/// What the payer does, at the delay `after` from the creation of the trade. The time scale does not apply, because
/// payers are people.
struct PayerReaction {
  Act act = Act::none;
  Duration after{0};
  Mistake mistake = Mistake::none;
};

/// Reaction to a request to close the trade.
struct CloseReaction {
  bool payer_is_faster = false;  // the payer pays immediately before the close
};

/// Notifications when the trade ends.
struct NotifyReaction {
  bool sent = true;
  bool notifies_paid = true;  // false: no notification of the payment
  std::int64_t copies = 1;    // identical notifications sent at the same time
  bool forged = false;        // an attacker sends several forged payment notifications soon after the creation
};

/// Reaction to requests to refund the trade.
struct RefundReaction {
  std::int64_t refused_for_now = 0;  // the first N requests are refused; their out_refund_no cannot be used again
  std::int64_t not_now = 0;          // number of first requests refused; their out_refund_no stays unused
  bool refused = false;              // every request is refused permanently
  bool answered = true;              // false: the refund takes effect, and a proxy returns 504
  /// For gateways whose refunds take time to settle: how long a refund is stranded after that time, until an operator
  /// completes it.
  Duration stranded_for{0};
  bool abandoned_pays = false;  // the first temporarily refused refund is paid after the one that replaced it
  bool returns = false;         // each refund is returned, if the channel can report returns
};

/// A follow-up event, at the delay `after` from the time when the trade has ended as `end`.
struct Sequel {
  TradeState end = TradeState::waiting;  // waiting: no follow-up event
  Act act = Act::none;
  Duration after{0};
};

struct Scenario {
  std::string_view name;
  std::string_view description;  // one sentence for the start page
  CreateReaction create = {};
  PayerReaction payer = {};
  CloseReaction close = {};
  NotifyReaction notify = {};
  RefundReaction refund = {};
  Sequel sequel = {};
};

/// The scenario of trades whose creation request names none.
inline constexpr std::string_view kDefaultScenario = "manual";

/// All scenarios, in the order of the table.
std::span<const Scenario> scenarios();
/// Null when no scenario has this name.
const Scenario* find_scenario(std::string_view name);
/// The scenario of a trade in the database. The default, if the table no longer contains the trade's scenario.
const Scenario& scenario_of(const Trade& trade);

}  // namespace finality::sandbox
