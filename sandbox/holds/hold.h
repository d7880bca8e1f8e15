// Holds (预授权): amounts of payers that a channel reserves for a merchant, and the requests to release them. A capture
// of a hold is a trade with its number (Trade::hold_no).
#pragma once

#include <boost/describe/enum.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/described.h"
#include "base/money.h"
#include "base/time/time.h"

namespace finality::sandbox {

struct Trade;

/// waiting → held | failed | closed; held → ended. A failed or closed hold can still become held by a follow-up event
/// (HoldSequel).
BOOST_DEFINE_ENUM_CLASS(HoldState, waiting, held, ended, failed, closed)

/// Why a hold ended; `none` in all other states.
///   captured  a capture took the rest, or a final capture released it
///   released  the merchant or the channel released the rest
///   lapsed    the time of the hold was over, which released the rest
BOOST_DEFINE_ENUM_CLASS(HoldEnd, none, captured, released, lapsed)

/// Planned event of a hold:
///   none                no event: a person authorizes or declines on the payer's page
///   authorize, decline  the payer authorizes or declines, if the hold is still waiting
///   authorize_anyway    the payer authorizes although the hold has failed or is closed
///   authorize_again     the payer authorizes again: a second hold with the same out_order_no
///   lapse               the hold lapses before its time
///   release_in_console, release_part_in_console   an employee releases all of the rest, or half of it, in the
///       channel's console
///   capture_in_console, capture_part_in_console, capture_above_in_console   an employee captures all of the rest, half
///       of it, or a fifth more than it in the channel's console
///   capture_ended_in_console   the same with half of the authorized amount, although the hold has ended
BOOST_DEFINE_ENUM_CLASS(HoldAct, none, authorize, decline, authorize_anyway, authorize_again, lapse, release_in_console,
                        release_part_in_console, capture_in_console, capture_part_in_console, capture_above_in_console,
                        capture_ended_in_console)

/// Event of a hold that can have a follow-up event. `captured`: a part of it was captured, and the rest is still held.
enum class HoldEvent : std::uint8_t { none, held, captured, ended, failed, closed };

/// What has changed when a notification reports a hold:
///   authorized, failed, expired            the payer authorized, declined, or did neither in time
///   closed, released, captured             at the merchant's request
///   released_in_console, captured_in_console, lapsed   by the channel
BOOST_DEFINE_ENUM_CLASS(HoldChangeKind, authorized, failed, expired, closed, released, captured, released_in_console,
                        captured_in_console, lapsed)

/// When a hold has ended, `authorized` is `captured + released`, unless the channel captured more than it held.
struct Hold {
  std::string hold_no;       // assigned by the sandbox, unique across channels: the channel's number of the hold
  std::string channel;       // channel and account, as Trade::channel
  std::string out_order_no;  // assigned by the merchant; unique per channel unless a payer authorizes twice
  HoldState state = HoldState::waiting;
  HoldEnd ended_by = HoldEnd::none;
  MinorUnits amount = 0;         // requested
  MinorUnits authorized = 0;     // approved; 0 until the hold is held
  MinorUnits captured = 0;       // total of its captures
  MinorUnits released = 0;       // returned to the payer without a capture
  std::string currency;          // currency of the order or, after the approval, of the hold
  bool is_unfunded = false;      // the channel promises a credit, and no money is held
  bool shares_trade_no = false;  // its captures have the number of the hold as trade_no, and refunds name it
  std::string payer;
  std::string subject;
  std::string scenario;
  std::string product;  // payment method, named by the gateway; empty if the gateway has only one
  std::string details;  // data that only the gateway reads and writes
  std::string notify_url;
  std::optional<std::string> return_url;
  Time created_at;
  std::optional<Time> authorized_at;
  std::optional<Time> capture_before;  // the hold lapses then; set when the hold becomes held
  std::optional<Time> expires_at;      // a waiting hold is closed then
  bool reports_settlement = false;     // of its captures: the gateway can report settlements
  bool opened = true;                  // the payer has opened it; Alipay does not report unopened holds
  HoldAct act = HoldAct::none;
  std::optional<Time> act_at;
  std::int64_t capture_faults = 0;  // number of capture requests that the scenario lost or refused
  std::int64_t release_faults = 0;  // the same for requests to release

  /// Returns the amount that can still be captured or released.
  MinorUnits held() const {
    return state == HoldState::held ? std::max<MinorUnits>(authorized - captured - released, 0) : 0;
  }
  bool expired(Time now) const { return state == HoldState::waiting && expires_at && *expires_at <= now; }
  bool lapsed(Time now) const { return state == HoldState::held && capture_before && *capture_before <= now; }
  /// Ends the hold and releases the rest. REQUIRES: the hold is held.
  void end(HoldEnd by) {
    released += held();
    state = HoldState::ended;
    ended_by = by;
  }
};

/// A request to release a part of a hold.
struct HoldRelease {
  std::string channel;
  std::string out_request_no;  // assigned by the merchant; unique per channel
  std::string hold_no;
  MinorUnits amount = 0;
  bool is_refused = false;  // refused; the out_request_no cannot be used again
  Time created_at;          // set by the ledger
};

/// A change of a hold, as its notification reports it.
struct HoldChange {
  HoldChangeKind kind = HoldChangeKind::authorized;
  MinorUnits amount = 0;  // authorized, captured or released by the change
  MinorUnits rest = 0;    // only a final capture: released besides
  std::string number;     // out_request_no of the release or out_trade_no of the capture; empty without a number
};

/// Returns the hold as channels report it. `captures`: its successful captures, oldest first.
boost::json::object to_json(const Hold& hold, std::span<const Trade> captures);
boost::json::object to_json(const HoldChange& change);

}  // namespace finality::sandbox
