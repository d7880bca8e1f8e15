// Scenarios as data. A scenario defines the behavior of the simulated channel and payer for one trade.
//
// Each group of fields defines the reaction to one step: creation, payment, close, notification, refund, settlement;
// for holds also approval, capture and release. A scenario applies to trades, and to holds and their captures: where
// the payer of a trade pays, the payer of a hold authorizes. The defaults describe a correct channel and a payer who
// does nothing, so a row of the table in scenario.cpp lists only deviations. To add a scenario, add a row. To add a
// kind of behavior, add a field here and read it at one place.
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
  bool answered = true;  // false: the request takes effect, but the client gets 504
  /// If set: the first request is lost, and so are all requests about the trade during this time. The client gets 504.
  std::optional<Duration> lost_for = std::nullopt;
  /// True: every request is refused with an undocumented code, and no trade is created.
  bool refused = false;
};

/// Error in the payer's payment: a wrong amount or a wrong currency. The channel reports the amount and currency paid.
enum class Mistake : std::uint8_t { none, amount, currency };

/// Action of the simulated payer at `after` from the creation of the trade. The time scale does not shorten this delay.
struct PayerReaction {
  Act act = Act::none;
  Duration after{0};
  Mistake mistake = Mistake::none;
};

/// Reaction to a request to close the trade.
struct CloseReaction {
  bool payer_is_faster = false;  // true: the payer pays immediately before the close, which then finds a paid trade
};

/// Notifications about the trade.
struct NotifyReaction {
  bool sent = true;
  bool notifies_paid = true;                // false: all notifications except trade.paid are sent
  bool notifies_refunds_of_channel = true;  // false: refunds made by the channel, and returns, are not notified
  bool notifies_lapse = true;               // false: the lapse of a hold is not notified
  std::int64_t copies = 1;                  // number of identical notifications sent at the same time
  bool forged = false;  // an attacker sends several forged payment notifications soon after the creation
};

/// Reaction to requests to refund the trade.
struct RefundReaction {
  std::int64_t refused_for_now = 0;  // number of initial requests refused with RefundRefusal::refund_refused_for_now
  std::int64_t not_now = 0;          // number of initial requests refused with RefundRefusal::refund_not_now
  bool refused = false;              // every request is refused permanently
  bool answered = true;              // false: the refund takes effect, but its response is lost
  /// Only for gateways whose refunds take time to settle: time during which a refund is stranded before it succeeds.
  /// Simulates an operator who completes the refund manually.
  Duration stranded_for{0};
  bool abandoned_pays = false;  // a temporarily refused refund is paid later, in addition to its replacement
  bool returns = false;         // the payer's side returns each refund, if the channel can report returns
  /// Number of initial refunds that fail at noon of the day after their acceptance, in China time: the refund closes if
  /// it takes time to settle, otherwise it is returned if the gateway can report returns.
  std::int64_t fails_late = 0;
};

/// Settlement of the payment and its refunds in another currency, at gateways that can report settlements.
struct SettlementReaction {
  /// If set: the delay from the success of the payment, or of a refund, to its settlement. Divided by the time scale.
  std::optional<Duration> after = std::nullopt;
};

/// Fault of the trade's lines in statements of trades. It does not change the statements of funds.
///   dropped, doubled                  the payment has no line, or two
///   amount, currency, discount, fee   the payment's line has another value; `discount`: borne by the merchant
///   status                            the lines of refunds have the status `failed`
///   day                               the payment's line is in the statement of the next day, one second after
///   midnight
///   numbers                           a further line has the payment's out_trade_no, and the trade number of the first
///                                     payment of the account. None for that payment itself
enum class LineFault : std::uint8_t { none, dropped, doubled, amount, currency, discount, fee, status, day, numbers };

/// Fault of the payment's lines in statements of funds. The channel moves the money as the lines state, so balances
/// continue from day to day. It does not change the statements of trades.
///   dropped, doubled   the payment is not credited, or twice; its fee is charged once
///   fee                the channel charges another fee
enum class FundsFault : std::uint8_t { none, dropped, doubled, fee };

/// Statements (对账单).
struct StatementReaction {
  LineFault fault = LineFault::none;  // of trades
  FundsFault funds = FundsFault::none;
};

/// Follow-up event: `act` occurs at `after` from the time at which the trade ends in the state `end`.
struct Sequel {
  TradeState end = TradeState::waiting;  // waiting: no follow-up event
  Act act = Act::none;
  Duration after{0};
};

/// Approval of a hold, after the payer has authorized it. PayerReaction::mistake `currency` holds another currency.
struct HoldReaction {
  std::int64_t approved_percent = 100;  // part of the requested amount that is held
  bool is_unfunded = false;             // the channel promises a credit and holds no money
};

/// Reaction to requests to capture a part of a hold. A request that is lost or refused captures nothing.
struct CaptureReaction {
  std::int64_t lost = 0;     // number of initial requests that are lost: the client gets 504
  std::int64_t not_now = 0;  // number of initial requests refused with CaptureRefusal::capture_not_now
  bool is_refused = false;   // every request is refused permanently
  bool is_belied = false;    // the first request is refused, but 300 ms later the channel captures the amount
  bool is_answered = true;   // false: captures take effect, but the responses are lost
};

/// Reaction to requests to release a part of a hold. A request that is lost or refused releases nothing.
struct ReleaseReaction {
  std::int64_t lost = 0;             // number of initial requests that are lost: the client gets 504
  std::int64_t refused_for_now = 0;  // number of initial requests refused; each needs a new out_request_no
  bool is_refused = false;           // every request is refused permanently
  bool is_answered = true;           // false: releases take effect, but the responses are lost
};

/// Follow-up event of a hold: `act` occurs at `delay` from the event `event`.
struct HoldSequel {
  HoldEvent event = HoldEvent::none;  // none: no follow-up event
  HoldAct act = HoldAct::none;
  Duration delay{0};
};

struct Scenario {
  std::string_view name;
  std::string_view description;  // one sentence, shown on the start page
  CreateReaction create = {};
  PayerReaction payer = {};
  CloseReaction close = {};
  NotifyReaction notify = {};
  RefundReaction refund = {};
  SettlementReaction settlement = {};
  StatementReaction statement = {};
  Sequel sequel = {};
  HoldReaction hold = {};
  CaptureReaction capture = {};
  ReleaseReaction release = {};
  HoldSequel hold_sequel = {};
};

/// Scenario of trades whose creation request contains no scenario name.
inline constexpr std::string_view kDefaultScenario = "manual";

/// Returns all scenarios, in the order of the table in scenario.cpp.
std::span<const Scenario> scenarios();
/// Returns the scenario with this name, or null.
const Scenario* find_scenario(std::string_view name);
// Return the scenario of a trade or hold in the database. They return the default scenario if the table no longer
// contains its scenario.
const Scenario& scenario_of(const Trade& trade);
const Scenario& scenario_of(const Hold& hold);
/// Returns the planned action of the hold's payer, who authorizes where the payer of a trade pays.
HoldAct payer_act_of(const Hold& hold);
/// Returns whether the channel settles the trade's payment and refunds in another currency.
bool is_settled_otherwise(const Trade& trade);

}  // namespace finality::sandbox
