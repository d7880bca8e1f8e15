// The sandbox's database in SQLite: trades, refunds, the payers' money and the notifications to be sent.
//
// Every method runs inside a transaction that the ledger thread opens and commits; callers must not disclose results
// before that commit. Not thread safe: ledger thread only. Failures throw DatabaseError.
//
// A trade ends once, as paid, failed or closed. The transaction that ends it also stores the notification. The first
// access to an expired waiting trade closes it, so no trade is returned as waiting, or becomes paid, after its expiry.
// A failed or closed trade can become paid only by a follow-up event (Sequel) of its scenario.
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
#include "sandbox/core/statement_tables.h"
#include "sandbox/core/trade.h"

namespace finality::sandbox {

/// Reason for the refusal of a refund:
///   context_inconsistent    another refund has this out_refund_no, or the currency differs from the trade's currency
///   refund_refused_for_now  temporary; a new request needs another out_refund_no, except at Alipay (no such code)
///   refund_not_now          temporary, insufficient balance; the same out_refund_no may be accepted later
BOOST_DEFINE_ENUM_CLASS(RefundRefusal, trade_not_exist, context_inconsistent, trade_not_paid, refund_exceeds_paid,
                        refund_refused, refund_refused_for_now, refund_not_now)

/// Times at which the sandbox must next act without a request.
struct Due {
  std::optional<Time> trade;         // the next planned event or expiry of a trade
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

  /// Performs the trade's planned event and updates `trade`. REQUIRES: `trade` was read in this transaction, and its
  /// act_at has passed.
  void act(Trade& trade);

  /// Refunds a payment, or returns the existing refund with this out_refund_no and content. If `settles_after` is not
  /// zero, a temporary refusal does not return refund_refused_for_now: the request succeeds, but the refund settles as
  /// closed and moves no money. After `refund_not_now` the out_refund_no stays unused.
  std::expected<Refund, RefundRefusal> refund(Refund request, std::string_view number_prefix = "sbr");
  std::optional<Refund> find_refund(std::string_view channel, std::string_view out_refund_no);

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

  /// Returns up to `count` trades whose planned event or expiry is due, earliest first.
  std::vector<Trade> due_trades(std::int64_t count);
  std::optional<Time> next_trade_due();

  /// Returns up to `count` due notifications, earliest first. Omits notifications for whose id `skip` returns true.
  std::vector<Notification> due_notifications(std::size_t count, const std::function<bool(const std::string&)>& skip);
  /// Returns the earliest future time at which a notification becomes due. Ignores notifications that are already due.
  /// Empty if there is no such time.
  std::optional<Time> next_notification_due();
  /// Returns the number of trades with a planned event or expiry, plus the number of notifications still to be sent.
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
  struct NotificationDraft {
    std::string type;
    Time at;
    std::int64_t copies = 1;
    Forgery forgery = Forgery::none;
    const Refund* refund = nullptr;
  };
  void add_notification(const Trade& trade, const std::string& url, const NotificationDraft& draft);
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
  SqlStatement trade_due_next_;
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
  SqlStatement update_notification_;
  StatementTables statement_tables_;
};

}  // namespace finality::sandbox
