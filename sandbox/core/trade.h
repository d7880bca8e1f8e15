// Rows of the sandbox's database: trades, refunds and notifications; and their JSON.
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

/// waiting → paid | failed | closed. The last three are final, unless the scenario has a follow-up event (Sequel).
BOOST_DEFINE_ENUM_CLASS(TradeState, waiting, paid, failed, closed)

/// Planned event of a trade.
///   none         no event: a person pays or declines on the payer's page
///   pay, decline the payer pays, or is declined, if the trade still waits
///   pay_anyway   the payer pays although the trade has ended
///   pay_again    the payer pays again: a second trade with the same out_trade_no
///   give_back, give_back_half   the channel refunds all, or half, on its own initiative and sends a notification
///   pay_abandoned   a refund that was temporarily refused and then replaced is paid after all
///   return_refund   the last refund is returned from the payer's side, and the channel sends a notification
///   say_waiting, say_failed   a notification reports this state, regardless of the actual one
BOOST_DEFINE_ENUM_CLASS(Act, none, pay, decline, pay_anyway, pay_again, give_back, give_back_half, pay_abandoned,
                        return_refund, say_waiting, say_failed)

/// The flaw of a forged notification. `none`: genuine.
BOOST_DEFINE_ENUM_CLASS(Forgery, none, bad_signature, replayed, altered)

struct Trade {
  std::string trade_no;      // assigned by the sandbox, unique across channels
  std::string channel;       // with the merchant's account: `alipay` is the first account, `alipay#2` the second
  std::string out_trade_no;  // assigned by the merchant; unique per channel unless a payer pays twice
  TradeState state = TradeState::waiting;
  MinorUnits amount = 0;
  std::string currency;     // after the payment: the currency of the payment
  MinorUnits paid = 0;      // debited from the payer
  MinorUnits refunded = 0;  // total of all refunds
  MinorUnits returned = 0;  // refunds returned to the channel; the payer's net debit is paid - refunded + returned
  std::string payer;
  std::string subject;
  std::string scenario;
  std::string product;  // the gateway's name of the payment method; empty if it has only one
  std::string details;  // private data of the gateway
  std::string notify_url;
  std::optional<std::string> return_url;
  Time created_at;
  std::optional<Time> paid_at;
  std::optional<Time> expires_at;
  bool opened = true;             // the payer has opened the trade; some gateways report it only after that
  bool outlives_decline = false;  // after a decline the trade continues to wait, without a notification
  Act act = Act::none;
  std::optional<Time> act_at;
  std::int64_t refund_refusals = 0;  // number of temporarily refused refunds

  bool expired(Time now) const { return state == TradeState::waiting && expires_at && *expires_at <= now; }
};

struct Refund {
  std::string refund_no;
  std::string channel;
  std::string out_refund_no;  // assigned by the merchant, unique per channel; for the channel's own refunds, refund_no
  std::string trade_no;
  MinorUnits amount = 0;
  std::string currency;
  std::string state = "succeeded";  // the money moves immediately; "closed": no money moved
  std::string return_no;            // identifies the return of the money; empty: not returned
  std::string details;              // private data of the gateway
  std::string notify_url;           // empty: no notification. Not stored
  Duration settles_after{0};        // how long the gateway reports the refund as processing. Not stored
  bool may_return = false;          // the gateway can report a return. Not stored
  Time created_at;
  std::optional<Time> stranded_at;  // from this time until settles_at it is stranded (WeChat Pay: ABNORMAL)
  Time settles_at;
};

/// A notification that has not been acknowledged yet.
struct Notification {
  std::string id;
  /// trade.paid, .failed, .closed, .waiting, .refunded (by the channel's own refund); refund.succeeded, .closed,
  /// .stranded, .returned
  std::string type;
  Time created_at;
  std::string url;
  std::string body;           // the event as JSON, which the simple channel sends unchanged
  Trade trade;                // current state
  std::int64_t attempts = 0;  // number of attempts so far
  std::int64_t copies = 1;    // number of copies sent at the same time at each attempt
  Forgery forgery = Forgery::none;
};

/// Content of a notification.
struct NotificationContent {
  Trade trade;  // its state at the event, or the state that a false notification reports
  std::optional<Refund> refund;
};
/// The trade and refund of a notification, with the states and amounts that its body reports.
NotificationContent content_of(const Notification& notification);

/// The channel's own name, without the account: `alipay` of `alipay#2`.
std::string_view channel_name(std::string_view channel);

boost::json::object to_json(const Trade& trade);
boost::json::object to_json(const Refund& refund);

}  // namespace finality::sandbox
