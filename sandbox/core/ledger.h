// The sandbox's database in SQLite: trades, refunds, holds, the payers' money and the notifications to be sent.
//
// Every method runs inside a transaction that the ledger thread opens and commits; callers must not disclose results
// before that commit. Not thread safe: ledger thread only. Failures throw DatabaseError.
//
// A trade ends once, as paid, failed or closed. The transaction that ends it also stores the notification. The first
// access to an expired waiting trade closes it, so no trade is returned as waiting, or becomes paid, after its expiry.
// A failed or closed trade can become paid only by a follow-up event (Sequel) of its scenario. The same applies to
// holds; the first access to a hold whose time is over lets it lapse.
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/core/database.h"
#include "sandbox/core/number_maker.h"
#include "sandbox/core/settlement.h"
#include "sandbox/core/trade.h"
#include "sandbox/holds/hold_tables.h"
#include "sandbox/statements/statement_tables.h"

namespace finality::sandbox {

/// Reason for the refusal of a refund:
///   context_inconsistent    another refund has this out_refund_no, or the currency differs from the trade's currency
///   refund_refused_for_now  temporary; the refund is closed, and a new request needs another out_refund_no, except
///                           with Refund::keeps_number
///   refund_not_now          temporary, insufficient balance; the same out_refund_no may be accepted later
BOOST_DEFINE_ENUM_CLASS(RefundRefusal, trade_not_exist, context_inconsistent, trade_not_paid, refund_exceeds_paid,
                        refund_refused, refund_refused_for_now, refund_not_now)

/// Reason for the refusal of a capture:
///   context_inconsistent  another trade has this out_trade_no, or another amount or `final`
///   capture_not_now       temporary; the same out_trade_no may be accepted later
///   capture_lost          no refusal: the request is lost and has no effect
BOOST_DEFINE_ENUM_CLASS(CaptureRefusal, context_inconsistent, not_held, capture_exceeds_held, capture_refused,
                        capture_not_now, capture_lost)

/// Reason for the refusal of a release:
///   context_inconsistent     another release has this out_request_no
///   release_refused_for_now  temporary; a new request needs another out_request_no
///   release_lost             no refusal: the request is lost and has no effect
BOOST_DEFINE_ENUM_CLASS(ReleaseRefusal, context_inconsistent, not_held, release_exceeds_held, release_refused,
                        release_refused_for_now, release_lost)

struct CaptureRequest {
  std::string out_trade_no;
  MinorUnits amount = 0;
  bool is_final = false;  // releases the rest
};

/// Times at which the sandbox must next act without a request.
struct Due {
  std::optional<Time> trade;         // the next planned event, expiry or lapse of a trade or hold
  std::optional<Time> notification;  // the next attempt to send a notification
};

class Ledger {
 public:
  /// Opens or creates the database file `path` and adds the columns that an earlier version lacks.
  /// `time_scale` divides the delays of settlements. REQUIRES: `time_scale` is greater than 0.
  explicit Ledger(const std::string& path, double time_scale = 1.0);

  // Transaction control, called by the ledger thread. `now` is the time of all changes in the transaction.
  void begin(Time now);
  void commit();
  void roll_back();
  Time now() const { return now_; }
  /// Returns the earliest due times that changes since the previous call have set, and resets them.
  Due take_due() { return std::exchange(due_, {}); }

  /// Returns the trade with this identifier; empty if it does not exist. If the payer has paid an out_trade_no twice,
  /// returns the first trade.
  std::optional<Trade> find_trade(std::string_view channel, std::string_view out_trade_no);
  std::optional<Trade> find_trade(std::string_view trade_no);
  /// Returns up to `count` trades, newest first.
  std::vector<Trade> latest_trades(std::int64_t count);
  /// Calls `visit` with each trade, oldest first.
  void for_each_trade(const std::function<void(const Trade&)>& visit);

  /// Inserts a new trade and returns it with its trade_no, payer and creation time. The trade_no begins with
  /// `number_prefix`.
  Trade create_trade(Trade trade, std::string_view number_prefix = "sbx");
  /// Records that the payer has opened the trade. A `return_url` replaces the trade's return_url.
  void open(Trade& trade, std::optional<std::string> return_url = std::nullopt);

  /// Returns the end of the outage during which requests about the trade are lost; empty if the trade has had no
  /// outage.
  std::optional<Time> outage_end(std::string_view channel, std::string_view out_trade_no);
  /// Records that requests about the trade are lost until `end`. REQUIRES: the trade has had no outage before.
  void begin_outage(std::string_view channel, std::string_view out_trade_no, Time end);

  // End a waiting trade and update `trade`; decline() lets a trade with `outlives_decline` continue to wait. Return
  // false, without changes, if the trade is not waiting. REQUIRES: `trade` was read in this transaction.
  bool pay(Trade& trade);
  bool decline(Trade& trade);
  bool close(Trade& trade);

  /// Performs the trade's planned event and updates `trade`. The event of a trade that no longer waits is postponed
  /// until its notifications have been sent once. REQUIRES: `trade` was read in this transaction, and its act_at has
  /// passed.
  void act(Trade& trade);

  /// Refunds a payment, or returns the existing refund with this out_refund_no and content. For captures that share
  /// their trade number, `trade_no` is that number and the limit is the sum of the captures; the refund is one of the
  /// first capture, whose `refunded` can then exceed its `paid`. If `settles_after` is not zero, a temporary refusal
  /// does not return refund_refused_for_now: the request succeeds, but the refund settles as closed and moves no money.
  /// After `refund_not_now` the out_refund_no stays unused. After `refund_refused_for_now` the refund with this
  /// out_refund_no is closed, and further requests are refused, unless `keeps_number` is set.
  std::expected<Refund, RefundRefusal> refund(Refund request, std::string_view number_prefix = "sbr");
  std::optional<Refund> find_refund(std::string_view channel, std::string_view out_refund_no);

  /// Returns the hold with this identifier; empty if it does not exist. If the payer has authorized an out_order_no
  /// twice, returns the first hold.
  std::optional<Hold> find_hold(std::string_view channel, std::string_view out_order_no);
  std::optional<Hold> find_hold(std::string_view hold_no);
  /// Returns up to `count` holds, newest first.
  std::vector<Hold> latest_holds(std::int64_t count);
  /// Calls `visit` with each hold, oldest first.
  void for_each_hold(const std::function<void(const Hold&)>& visit);
  /// Returns the successful captures of the hold, oldest first.
  std::vector<Trade> captures_of(const Hold& hold);
  /// Returns the requests to release parts of the hold, oldest first, also the refused ones.
  std::vector<HoldRelease> releases_of(const Hold& hold);
  /// Inserts a new hold and returns it with its hold_no, payer and creation time. The hold_no begins with
  /// `number_prefix`.
  Hold create_hold(Hold hold, std::string_view number_prefix = "sba");
  /// Records that the payer has opened the hold.
  void open(Hold& hold);

  // End a waiting hold, or let its payer authorize it, and update `hold`. Return false, without changes, if the hold is
  // not waiting. REQUIRES: `hold` was read in this transaction.
  bool authorize(Hold& hold);
  bool decline(Hold& hold);
  bool close(Hold& hold);
  // A caller may set `notify_url` of its copy of a hold, so that the notification of the request goes there.
  /// Captures a part of the hold and updates `hold`, or returns the existing capture with this number and content.
  /// REQUIRES: `hold` was read in this transaction.
  std::expected<Trade, CaptureRefusal> capture(Hold& hold, const CaptureRequest& request);
  /// Releases a part of the hold and updates `hold`; without effect if the request has been executed before. REQUIRES:
  /// `hold` was read in this transaction, and the request is of its channel.
  std::expected<void, ReleaseRefusal> release(Hold& hold, HoldRelease request);

  // Actions of an employee in the channel's console, and of the channel. They update `hold` and notify it. Return
  // false, without changes, if nothing is held, or less than the released amount. A capture can exceed what is held,
  // also of a hold that has ended. REQUIRES: `hold` was read in this transaction.
  bool lapse(Hold& hold);
  bool release_in_console(Hold& hold, MinorUnits amount);
  bool capture_in_console(Hold& hold, MinorUnits amount);

  /// Closes or ends the hold if its time is over, or performs its planned event if that is due, and updates `hold`.
  /// REQUIRES: `hold` was read in this transaction.
  void act(Hold& hold);

  /// Calls `visit` with each payment that the channel received in [begin, end), oldest first.
  void for_each_payment(std::string_view channel, Time begin, Time end, const std::function<void(const Trade&)>& visit);
  /// Calls `visit` with each refund that was requested before `end`, also with closed refunds, oldest first. `visit`
  /// may call trade_of().
  void for_each_refund(std::string_view channel, Time end, const std::function<void(const Refund&)>& visit);
  /// Returns the trade of a refund or notification.
  Trade trade_of(std::string_view trade_no);
  /// Returns Trade::channel of all trades, each once.
  std::vector<std::string> channels();
  /// The tables of statements. Valid as long as the Ledger.
  StatementTables& statement_tables() { return statement_tables_; }
  /// Returns a new number of the channel that begins with `prefix`.
  std::string make_number(std::string_view prefix) { return numbers_.make(prefix, now_); }

  // Return up to `count` trades or holds whose planned event, expiry or lapse is due, earliest first.
  std::vector<Trade> due_trades(std::int64_t count);
  std::vector<Hold> due_holds(std::int64_t count);
  /// Returns the time of the next planned event, expiry or lapse of a trade or hold; empty if there is none.
  std::optional<Time> next_event_due();

  /// Returns up to `count` due notifications, earliest first. Omits notifications for whose id `skip` returns true.
  std::vector<Notification> due_notifications(std::size_t count, const std::function<bool(const std::string&)>& skip);
  /// Returns the earliest future time at which a notification becomes due. Ignores notifications that are already due.
  /// Empty if there is no such time.
  std::optional<Time> next_notification_due();
  /// Returns the number of trades with a planned event or expiry and of holds that have not ended or have a planned
  /// event, plus the number of notifications still to be sent.
  std::int64_t outstanding_count();
  void acknowledge(const Notification& notification);
  /// Records a failed attempt. The next attempt is at `next_at`; if empty, the failed attempt was the last.
  void defer(const Notification& notification, std::optional<Time> next_at);

 private:
  std::optional<Trade> first_trade(Rows rows);
  Trade read_displayed_trade(const Rows& rows) const;
  bool end_trade(Trade& trade, TradeState state);
  void plan_sequel(Trade& trade, TradeState end);
  void take_money(Trade& trade);
  void carry_out(Act act, Trade& trade);
  void pay_again(const Trade& trade);
  void pay_foreign(const Trade& trade);
  void pay_copy(Trade copy);
  std::optional<Trade> find_refundable(std::string_view channel, std::string_view number);
  MinorUnits refundable(const Trade& trade);
  void refund_by_channel(Trade& trade, MinorUnits amount);
  void pay_abandoned(Trade& trade);
  void return_refund(Trade& trade);
  void plan_settlement(Trade& trade);
  std::optional<Duration> settlement_delay(const Trade& trade) const;
  std::optional<Time> next_settlement(const Trade& trade);
  std::vector<Refund> unsettled_refunds(const Trade& trade);
  void settle(Trade& trade);
  void settle_payment(Trade& trade);
  void settle_refund(const Trade& trade, Refund& refund);
  std::string settlement_text(MinorUnits amount, const std::string& currency, const SettlementTerms& terms);
  void notify_state(Trade trade, TradeState state);
  void save(const Trade& trade);
  void save(const Refund& refund);
  std::optional<Refund> last_refund(const Trade& trade, std::string_view state);
  void plan(Trade& trade, Act act, Time at) const;
  void plan_outcome(Trade& trade, Refund& request) const;
  void close_when_expired(Trade& trade);
  void notify(const Trade& trade, const std::string& type, const Refund* refund = nullptr);
  void forge(const Trade& trade);
  Hold hold_of(std::string_view hold_no);
  void pass_time(Hold& hold);
  void show_time(Hold& hold) const;
  void start(Hold& hold);
  bool close_waiting(Hold& hold, HoldState state, HoldEvent event, HoldChangeKind change);
  void end(Hold& hold, HoldEnd by);
  void let_go(Hold& hold, const HoldChange& change);
  void let_lapse(Hold& hold);
  Trade capture_of(const Hold& hold, const CaptureRequest& request) const;
  Trade collect(Hold& hold, Trade capture);
  void take_from_hold(Trade& capture);
  void pay_anyway(Trade& trade);
  void notify_end(const Hold& before, const Trade& capture);
  bool counts_fault(Hold& hold, std::int64_t Hold::* count, std::int64_t planned);
  void plan_sequel(Hold& hold, HoldEvent event) const;
  void carry_out(HoldAct act, Hold& hold);
  void authorize_again(const Hold& hold);
  void save(const Hold& hold);
  void notify(const Hold& hold, const HoldChange& change);
  void forge(const Hold& hold);
  struct NotificationDraft {
    std::string type;
    Time at;
    std::int64_t copies = 1;
    Forgery forgery = Forgery::none;
    const Refund* refund = nullptr;
  };
  void add_notification(const Trade& trade, const std::string& url, const NotificationDraft& draft);
  void add_notification(const Hold& hold, const HoldChange& change, const NotificationDraft& draft);
  /// `number`: of a trade or a hold.
  bool has_unsent_notification(std::string_view number);
  void record_attempt(const Notification& notification, std::optional<Time> next_at,
                      std::optional<Time> acknowledged_at);
  struct NotificationSubject {
    std::string_view trade_no;  // empty for a hold
    std::string_view hold_no;   // empty for a trade
    const std::string& url;
  };
  void insert_notification(const NotificationSubject& subject, const NotificationDraft& draft,
                           const boost::json::object& content);
  void insert_refund(Refund& refund, std::string_view number_prefix);
  void notify_refund(const Trade& trade, const Refund& refund);

  Database database_;
  double time_scale_;
  NumberMaker numbers_;
  Time now_;
  Due due_;

  SqlStatement begin_;
  SqlStatement commit_;
  SqlStatement insert_trade_;
  SqlStatement trade_by_out_trade_no_;
  SqlStatement trade_by_trade_no_;
  SqlStatement trades_latest_;
  SqlStatement trades_all_;
  SqlStatement trades_due_;
  SqlStatement event_due_next_;
  SqlStatement trade_by_reported_no_;
  SqlStatement captures_of_hold_;
  SqlStatement update_trade_;
  SqlStatement insert_outage_;
  SqlStatement outage_by_out_trade_no_;
  SqlStatement insert_refund_;
  SqlStatement update_refund_;
  SqlStatement last_refund_;
  SqlStatement unsettled_refunds_;
  SqlStatement refund_by_out_refund_no_;
  SqlStatement payments_of_day_;
  SqlStatement refunds_until_;
  SqlStatement channels_;
  SqlStatement insert_notification_;
  SqlStatement notifications_due_;
  SqlStatement notification_by_id_;
  SqlStatement notification_due_next_;
  SqlStatement outstanding_count_;
  SqlStatement unsent_notification_;
  SqlStatement postpone_trade_;
  SqlStatement resume_trade_;
  SqlStatement resume_hold_;
  SqlStatement update_notification_;
  StatementTables statement_tables_;
  HoldTables holds_;
};

}  // namespace finality::sandbox
