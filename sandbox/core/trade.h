// Rows of the sandbox's database (trades, refunds and notifications), and their conversion to JSON. A capture of a hold
// is a trade too.
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
#include "sandbox/holds/hold.h"

namespace finality::sandbox {

/// waiting → paid | failed | closed. A failed or closed trade can still become paid by a follow-up event (Sequel).
BOOST_DEFINE_ENUM_CLASS(TradeState, waiting, paid, failed, closed)

/// Planned event of a trade:
///   none         no event: a person pays or declines on the payer's page
///   pay, decline   the payer pays or declines, if the trade is still waiting
///   pay_anyway   the payer pays although the trade has ended
///   pay_again    the payer pays again: a second trade with the same out_trade_no
///   pay_foreign  the payer pays a trade that the merchant has not created: its out_trade_no is not the merchant's
///   give_back, give_back_half   the channel refunds all, or half, on its own initiative and sends a notification
///   pay_abandoned   a refund that was temporarily refused and then replaced is paid in addition to its replacement
///   return_refund   the payer's side returns the last refund, and the channel sends a notification
///   settle   the channel settles the payment and the refunds that are due, and sends a notification of each
///   say_waiting, say_failed   the channel sends a notification with this state, although the trade is in another state
BOOST_DEFINE_ENUM_CLASS(Act, none, pay, decline, pay_anyway, pay_again, pay_foreign, give_back, give_back_half,
                        pay_abandoned, return_refund, settle, say_waiting, say_failed)

/// Flaw of a forged notification.
///   none           no flaw: the notification is genuine
///   bad_signature  signed with another key
///   replayed       validly signed, but an hour ago or, at Alipay, for another application
///   altered        altered after it was signed
BOOST_DEFINE_ENUM_CLASS(Forgery, none, bad_signature, replayed, altered)

struct Trade {
  std::string trade_no;      // assigned by the sandbox, unique across channels
  std::string channel;       // channel and account: `alipay` is Alipay's first account, `alipay#2` its second account
  std::string out_trade_no;  // assigned by the merchant; unique per channel unless a payer pays twice
  std::string hold_no;       // only captures: the hold that they collect from
  std::string reported_no;   // only captures that share their trade number: that of the hold
  bool is_final = false;     // only captures: the rest of the hold is released
  TradeState state = TradeState::waiting;
  MinorUnits amount = 0;
  std::string currency;     // currency of the order or, after the payment, of the payment
  MinorUnits paid = 0;      // amount debited from the payer
  MinorUnits refunded = 0;  // total of all refunds
  MinorUnits returned = 0;  // total of returned refunds; the payer's net debit is paid - refunded + returned
  std::string payer;        // create_trade() makes a name if it is empty
  std::string subject;
  std::string scenario;
  std::string product;  // payment method, named by the gateway; empty if the gateway has only one
  std::string details;  // data that only the gateway reads and writes
  std::string notify_url;
  std::optional<std::string> return_url;
  Time created_at;
  std::optional<Time> paid_at;
  std::string settlement;  // the settlement of the payment as JSON (settlement_of()); empty: not settled
  std::optional<Time> expires_at;
  bool opened = true;               // the payer has opened the trade; Alipay does not report unopened trades
  bool outlives_decline = false;    // after a decline the trade continues to wait, without a notification
  bool reports_settlement = false;  // the gateway can report settlements
  Act act = Act::none;
  std::optional<Time> act_at;
  std::int64_t refund_refusals = 0;  // number of temporarily refused refunds

  bool is_capture() const { return !hold_no.empty(); }
  /// Returns the number that the channel reports. Several captures of a hold can have the same one.
  const std::string& number() const { return reported_no.empty() ? trade_no : reported_no; }
  /// Returns the amount that can still be refunded. For a capture that shares its number, see Ledger::refund().
  MinorUnits refundable() const { return paid - refunded + returned; }
  bool expired(Time now) const { return state == TradeState::waiting && expires_at && *expires_at <= now; }
};

struct Refund {
  std::string refund_no;
  std::string channel;
  std::string out_refund_no;  // unique per channel; assigned by the merchant or, for refunds by the channel, by it
  std::string trade_no;
  MinorUnits amount = 0;
  std::string currency;
  std::string state = "succeeded";  // "succeeded": the money has moved; "closed": no money moves
  std::string return_no;            // identifier of the return of this refund; empty: not returned
  std::optional<Time> returned_at;  // set with return_no
  bool is_debited = false;    // only `closed`: the balance was debited at created_at and credited again at settles_at
  std::string details;        // data that only the gateway reads and writes
  std::string notify_url;     // empty: no notification. Not a column of the database
  Duration settles_after{0};  // time during which the refund is processing. Not a column of the database
  bool may_return = false;    // the gateway can report a return. Not a column of the database
  bool keeps_number = false;  // a temporary refusal leaves the out_refund_no usable. Not a column of the database
  Time created_at;
  std::optional<Time> stranded_at;  // the refund is stranded from then until settles_at (WeChat Pay: ABNORMAL)
  Time settles_at;
  std::string settlement;  // the settlement of the refund as JSON (settlement_of()); empty: not settled
};

/// A notification that has not been acknowledged yet.
struct Notification {
  std::string id;
  /// trade.paid, .failed, .closed, .waiting, .refunded (a refund that the channel initiated), .settled;
  /// refund.succeeded, .closed, .stranded, .returned, .settled; authorization (of a hold)
  std::string type;
  Time created_at;
  std::string url;
  std::string body;           // the event as JSON; the simple channel sends it unchanged
  Trade trade;                // current state, which may be newer than the event; empty if `hold` is set
  std::optional<Hold> hold;   // only `authorization`: the current state of the hold
  std::int64_t attempts = 0;  // number of completed attempts
  std::int64_t copies = 1;    // number of identical requests that each attempt sends at the same time
  Forgery forgery = Forgery::none;

  const std::string& channel() const { return hold ? hold->channel : trade.channel; }
};

/// Trade and refund as a notification reports them.
struct NotificationContent {
  Trade trade;  // state and amounts as reported by the notification
  std::optional<Refund> refund;
};
/// Returns the trade and the refund (if any) of a notification, with the states and amounts in its body. REQUIRES: the
/// notification is not about a hold.
NotificationContent content_of(const Notification& notification);

/// Hold and change as a notification reports them.
struct HoldReport {
  Hold hold;  // state and amounts as reported by the notification
  HoldChange change;
};
/// Returns the hold of a notification and its change, with the state and amounts in its body. REQUIRES: the
/// notification is about a hold.
HoldReport hold_report_of(const Notification& notification);

/// Returns the channel without the account: `alipay` for `alipay#2`.
std::string_view channel_name(std::string_view channel);

/// Returns the name of the simulated payer of the trade or hold with this number.
std::string payer_of(std::string_view number);

/// Returns the currency of simulated mistakes and of settlements: another one than `currency`, USD or EUR.
std::string another_currency(std::string_view currency);

boost::json::object to_json(const Trade& trade);
/// `trade`: the trade of the refund.
boost::json::object to_json(const Refund& refund, const Trade& trade);

}  // namespace finality::sandbox
