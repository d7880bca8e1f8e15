// What the books hold: a trade, its refunds, the notifications about it; and a trade as JSON.
#pragma once

#include <boost/describe/enum.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/described.h"
#include "base/money.h"
#include "base/time/time.h"

namespace finality::sandbox {

/// waiting → paid | failed | closed, and nothing after that, unless the scenario has the upstream world break its word.
BOOST_DEFINE_ENUM_CLASS(TradeState, waiting, paid, failed, closed)

/// What will happen to a trade by itself.
///   none         nothing: the payer waits for a person to press a button on his page
///   pay, decline the payer does so, or is declined, if the trade still waits
///   pay_anyway   the payer pays although the trade has ended
///   pay_again    the payer pays once more: another trade with the merchant's same number
///   give_back, give_back_half   the channel refunds all, or half, without being asked, and says so
///   pay_abandoned   a refund that was refused for the moment, and replaced by another, is paid after all
///   return_refund   the last refund comes back from the payer's side, and the channel says so
///   say_waiting, say_failed   a notification tells that, whatever is true
BOOST_DEFINE_ENUM_CLASS(Act, none, pay, decline, pay_anyway, pay_again, give_back, give_back_half, pay_abandoned,
                        return_refund, say_waiting, say_failed)

/// What is false about a notification. `none`: it is genuine.
BOOST_DEFINE_ENUM_CLASS(Forgery, none, bad_signature, replayed, altered)

struct Trade {
  std::string trade_no;      // ours, unique over all channels
  std::string channel;       // and the merchant's account there: `alipay` of the first one, `alipay#2` of the second
  std::string out_trade_no;  // the merchant's; two trades of a channel share one only where a payer pays again
  TradeState state = TradeState::waiting;
  MinorUnits amount = 0;
  std::string currency;     // what was paid in, once it is paid
  MinorUnits paid = 0;      // out of the payer's pocket
  MinorUnits refunded = 0;  // back into it, all in all
  MinorUnits returned = 0;  // of that: returned; the payer's net debit is paid - refunded + returned
  std::string payer;
  std::string subject;
  std::string scenario;
  std::string product;  // how the payer was to be asked, in the gateway's words; empty where there is but one way
  std::string details;  // what only the gateway understands: text that it wrote
  std::string notify_url;
  std::optional<std::string> return_url;
  Time created_at;
  std::optional<Time> paid_at;
  std::optional<Time> expires_at;
  bool opened = true;             // the payer has seen it; where that makes a trade, his gateway denies it before
  bool outlives_decline = false;  // a payer who was declined may try again: it goes on waiting, and nobody is told
  Act act = Act::none;
  std::optional<Time> act_at;
  std::int64_t refund_refusals = 0;  // refunds refused for the moment so far

  bool expired(Time now) const { return state == TradeState::waiting && expires_at && *expires_at <= now; }
};

struct Refund {
  std::string refund_no;
  std::string channel;
  std::string out_refund_no;  // the merchant's, unique in its channel; of the channel's own refunds, theirs
  std::string trade_no;
  MinorUnits amount = 0;
  std::string currency;
  std::string state = "succeeded";  // the books move the money at once; "closed": it never went
  std::string return_no;            // of its return; empty: it was not returned
  std::string details;              // as a trade's
  std::string notify_url;           // where to tell of it; empty: nobody. Not kept
  Duration settles_after{0};        // for how long its gateway calls it under way. Not kept
  bool may_return = false;          // its gateway can report a return. Not kept
  Time created_at;
  std::optional<Time> stranded_at;  // from then until it settles it reaches nobody: somebody has to act
  Time settles_at;
};

/// A notification that has not been acknowledged yet.
struct Notification {
  std::string id;
  /// trade.paid, .failed, .closed, .waiting, .refunded (by the channel itself); refund.succeeded, .closed, .stranded,
  /// .returned
  std::string type;
  Time created_at;
  std::string url;
  std::string body;           // the event as JSON, which the simple channel sends as it is
  Trade trade;                // as it is now
  std::int64_t attempts = 0;  // made so far
  std::int64_t copies = 1;    // sent at once at each attempt
  Forgery forgery = Forgery::none;
};

/// What a notification is about.
struct Told {
  Trade trade;  // as it was, or is said to have been, at the event
  std::optional<Refund> refund;
};
Told told_by(const Notification& notification);

/// The channel's own name, without the account: `alipay` of `alipay#2`.
std::string_view channel_name(std::string_view channel);

boost::json::object to_json(const Trade& trade);
boost::json::object to_json(const Refund& refund);

}  // namespace finality::sandbox
