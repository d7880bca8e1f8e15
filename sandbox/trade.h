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

/// waiting → paid | failed | closed, and nothing after that.
BOOST_DEFINE_ENUM_CLASS(TradeState, waiting, paid, failed, closed)

/// What the payer will do by himself. `none`: he waits for a person to press a button on his page.
BOOST_DEFINE_ENUM_CLASS(PayerAct, none, pay, decline)

struct Trade {
  std::string trade_no;  // ours, unique over all channels
  std::string channel;
  std::string out_trade_no;  // the merchant's, unique in its channel
  TradeState state = TradeState::waiting;
  MinorUnits amount = 0;
  std::string currency;
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
  PayerAct payer_act = PayerAct::none;
  std::optional<Time> payer_at;  // when he does it

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
};

boost::json::object to_json(const Trade& trade);
boost::json::object to_json(const Refund& refund);

}  // namespace finality::sandbox
