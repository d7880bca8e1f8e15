// The sandbox's database in SQLite: trades, refunds, the payers' money and the notifications to be sent.
//
// Every method runs inside a transaction that the ledger thread opens and commits; callers must not disclose results
// before that commit. Not thread safe: ledger thread only. Failures throw DatabaseError.
//
// A trade ends once: paid, failed or closed. Each ending writes its notification in the same transaction. The first
// access to an expired waiting trade closes it, so no trade is returned as waiting, or becomes paid, after its expiry.
// Only a follow-up event of the scenario (Sequel), planned when the trade ends, can change a failed or closed trade to
// paid.
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
#include "sandbox/core/trade.h"

namespace finality::sandbox {

/// Why a refund is refused.
///   context_inconsistent    another refund has this out_refund_no, or the currency differs from the trade's
///   refund_refused_for_now  temporary; the out_refund_no cannot be used again, except at gateways without such a code
///   refund_not_now          temporary, insufficient balance; the out_refund_no stays unused and may be accepted later
BOOST_DEFINE_ENUM_CLASS(RefundRefusal, trade_not_exist, context_inconsistent, trade_not_paid, refund_exceeds_paid,
                        refund_refused, refund_refused_for_now, refund_not_now)

/// When the sandbox must next act without a request.
struct Due {
  std::optional<Time> trade;         // the next planned event or expiry of a trade
  std::optional<Time> notification;  // the next attempt to send a notification
};

class Books {
 public:
  /// Opens the database file `path`, or creates it.
  explicit Books(const std::string& path);

  // Transaction control. `now` is the time of all changes in the transaction.
  void begin(Time now);
  void commit();
  void roll_back();
  Time now() const { return now_; }
  /// The earliest due times that changes since the last call have set.
  Due take_due() { return std::exchange(due_, {}); }

  /// The trade with that out_trade_no; the first one, if the payer has paid twice.
  std::optional<Trade> find_trade(std::string_view channel, std::string_view out_trade_no);
  std::optional<Trade> find_trade(std::string_view trade_no);
  /// Up to `count` trades, newest first.
  std::vector<Trade> latest_trades(std::int64_t count);
  /// Calls `visit` with each trade, oldest first.
  void for_each_trade(const std::function<void(const Trade&)>& visit);

  /// Inserts a new trade and sets its trade_no, payer and creation time.
  Trade create_trade(Trade trade, std::string_view number_prefix = "sbx");
  /// Records that the payer has opened the trade. `return_url` is set if the order does not contain it.
  void open(Trade& trade, std::optional<std::string> return_url = std::nullopt);

  /// The end of the trade's outage, during which requests are lost; empty if there was no outage.
  std::optional<Time> outage_end(std::string_view channel, std::string_view out_trade_no);
  /// Records that requests about the trade are lost until `end`. REQUIRES: the trade has had no outage before.
  void begin_outage(std::string_view channel, std::string_view out_trade_no, Time end);

  // The three ways in which a waiting trade ends. A trade with `outlives_decline` continues to wait after a decline.
  // Each returns false, without changes, if the trade no longer waits. Updates `trade`. REQUIRES: `trade` was read in
  // this transaction.
  bool pay(Trade& trade);
  bool decline(Trade& trade);
  bool close(Trade& trade);

  /// Performs the trade's planned event. REQUIRES: `trade` was read in this transaction, and act_at has passed.
  void act(Trade& trade);

  /// Refunds a payment. The same out_refund_no with the same content returns the first refund. If the gateway's refunds
  /// take time to settle, refund_refused_for_now is not returned: the refund is closed when it settles, and no money
  /// moves. `refund_not_now` only increments a counter: the out_refund_no stays unused.
  std::expected<Refund, RefundRefusal> refund(Refund request, std::string_view number_prefix = "sbr");
  std::optional<Refund> find_refund(std::string_view channel, std::string_view out_refund_no);

  // Payments and refunds of a channel in [begin, end), oldest first.
  void for_each_payment(std::string_view channel, Time begin, Time end, const std::function<void(const Trade&)>& visit);
  void for_each_refund(std::string_view channel, Time begin, Time end,
                       const std::function<void(const Trade&, const Refund&)>& visit);

  /// Up to `count` trades whose planned event or expiry is due, earliest first.
  std::vector<Trade> due_trades(std::int64_t count);
  std::optional<Time> next_trade_due();

  /// Up to `count` due notifications, earliest first, except those for whose id `skip` returns true.
  std::vector<Notification> due_notifications(std::size_t count, const std::function<bool(const std::string&)>& skip);
  /// When the next notification becomes due, not counting those already due. Empty if there is none.
  std::optional<Time> next_notification_due();
  /// The number of trades with a planned event or expiry, plus the number of notifications still to be sent.
  std::int64_t outstanding_count();
  void acknowledge(const Notification& notification);
  /// Records a failed attempt. The next attempt is at `next_at`; empty: no more attempts are made.
  void defer(const Notification& notification, std::optional<Time> next_at);

 private:
  std::optional<Trade> first_trade(Rows rows);
  Trade trade_of(std::string_view trade_no);
  Trade read_displayed_trade(const Rows& rows) const;
  bool end_trade(Trade& trade, TradeState state);
  void plan_sequel(Trade& trade, TradeState end);
  void take_money(Trade& trade);
  void carry_out(Act act, Trade& trade);
  void pay_again(const Trade& trade);
  void refund_by_channel(Trade& trade, MinorUnits amount);
  void pay_abandoned(Trade& trade);
  void return_refund(Trade& trade);
  void notify_state(Trade trade, TradeState state);
  void save(const Trade& trade);
  void save(const Refund& refund);
  std::optional<Refund> last_refund(const Trade& trade, std::string_view state);
  void plan(Trade& trade, Act act) const;
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
  SqlStatement refund_by_out_refund_no_;
  SqlStatement payments_of_day_;
  SqlStatement refunds_of_day_;
  SqlStatement insert_notification_;
  SqlStatement notifications_due_;
  SqlStatement notification_by_id_;
  SqlStatement notification_due_next_;
  SqlStatement outstanding_count_;
  SqlStatement update_notification_;
};

}  // namespace finality::sandbox
