// What the books hold: a trade, its refunds, the notifications about it; and a trade as JSON.
#pragma once

#include <boost/describe/enum.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "base/described.h"
#include "base/money.h"
#include "base/time.h"

namespace finality::sandbox {

/// waiting → paid | failed | closed, and nothing after that, unless the scenario has the upstream world break its word.
BOOST_DEFINE_ENUM_CLASS(TradeState, waiting, paid, failed, closed)

/// What will happen to a trade by itself.
///   none         nothing: the payer waits for a person to press a button on his page
///   pay, decline the payer does so, if the trade still waits
///   pay_anyway   the payer pays although the trade has ended
///   pay_again    the payer pays once more: another trade with the merchant's same number
///   give_back    the channel gives all the money back without being asked, and says so
///   say_waiting, say_failed   a notification tells that, whatever is true
BOOST_DEFINE_ENUM_CLASS(Act, none, pay, decline, pay_anyway, pay_again, give_back, say_waiting, say_failed)

/// What is false about a notification. `none`: it is genuine.
BOOST_DEFINE_ENUM_CLASS(Forgery, none, bad_signature, replayed, altered)

struct Trade {
  std::string trade_no;  // ours, unique over all channels
  std::string channel;
  std::string out_trade_no;  // the merchant's; two trades of a channel share one only where a payer pays again
  TradeState state = TradeState::waiting;
  MinorUnits amount = 0;
  std::string currency;     // what was paid in, once it is paid
  MinorUnits paid = 0;      // out of the payer's pocket
  MinorUnits refunded = 0;  // back into it; the payer's net debit is paid - refunded
  std::string payer;
  std::string subject;
  std::string scenario;
  std::string notify_url;
  std::optional<std::string> return_url;
  Time created_at;
  std::optional<Time> paid_at;
  std::optional<Time> expires_at;
  Act act = Act::none;
  std::optional<Time> act_at;
  std::int64_t refund_refusals = 0;  // refunds refused for the moment so far

  bool expired(Time now) const { return state == TradeState::waiting && expires_at && *expires_at <= now; }
};

struct Refund {
  std::string refund_no;
  std::string channel;
  std::string out_refund_no;  // the merchant's, unique in its channel
  std::string trade_no;
  MinorUnits amount = 0;
  std::string currency;
  std::string state = "succeeded";  // the simple channel moves the money at once
  Time created_at;
};

/// A notification that has not been acknowledged yet.
struct Notification {
  std::string id;
  std::string url;
  std::string body;
  std::int64_t attempts = 0;  // made so far
  std::int64_t copies = 1;    // sent at once at each attempt
  Forgery forgery = Forgery::none;
};

boost::json::object to_json(const Trade& trade);
boost::json::object to_json(const Refund& refund);

}  // namespace finality::sandbox
