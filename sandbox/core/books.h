// The books of the upstream world: trades, refunds, the payers' money and the notifications owed, in SQLite.
//
// Every method runs inside a transaction that the ledger thread opens and commits; nothing seen here may be told to
// anyone before that commit. Not thread safe: the ledger thread's thread only. Failures throw DatabaseError.
//
// A trade ends once: paid, failed or closed, and each ending writes its notification in the same transaction. A waiting
// trade whose time is over is closed by whatever touches it first, so none is ever seen or paid after its expiry. Only
// a scenario's sequel, an act planned at the ending, can make a trade paid that had ended otherwise.
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
///   context_inconsistent    the number is taken, or the currency is not the trade's
///   refund_refused_for_now  for the moment; the number is dead, unless its gateway has no such word
///   refund_not_now          for the moment, for lack of money; the number is not taken, and may be accepted later
BOOST_DEFINE_ENUM_CLASS(RefundRefusal, trade_not_exist, context_inconsistent, trade_not_paid, refund_exceeds_paid,
                        refund_refused, refund_refused_for_now, refund_not_now)

/// The next instants at which something has to be done without being asked.
struct Due {
  std::optional<Time> trade;         // a payer acts, or a trade expires
  std::optional<Time> notification;  // one is to be sent
};

class Books {
 public:
  /// Opens or creates the file.
  explicit Books(const std::string& path);

  // The bracket around every use. `now` is the time of all that happens inside.
  void begin(Time now);
  void commit();
  void roll_back();
  Time now() const { return now_; }
  /// What has become due, or will, by the changes since the last call; at most the earliest of each kind.
  Due take_due() { return std::exchange(due_, {}); }

  /// The first one made, where a payer has paid again.
  std::optional<Trade> find_trade(std::string_view channel, std::string_view out_trade_no);
  std::optional<Trade> find_trade(std::string_view trade_no);
  /// Newest first.
  std::vector<Trade> latest_trades(std::int64_t count);
  /// Oldest first.
  void for_each_trade(const std::function<void(const Trade&)>& visit);

  /// Enters a new trade, filling in its number, payer and times of entry.
  Trade create_trade(Trade trade, std::string_view number_prefix = "sbx");
  /// The payer has seen it; he came from `return_url`, where that is not known from the order.
  void open(Trade& trade, std::optional<std::string> return_url = std::nullopt);

  /// When requests about the trade arrive again; empty when none was ever lost.
  std::optional<Time> outage_end(std::string_view channel, std::string_view out_trade_no);
  /// REQUIRES: none has begun for this trade before.
  void begin_outage(std::string_view channel, std::string_view out_trade_no, Time end);

  // The three endings; a trade that outlives a decline goes on waiting after it. False, and nothing is changed, when
  // the trade does not wait any more. `trade` becomes what it is afterwards. REQUIRES: `trade` was read in this
  // transaction.
  bool pay(Trade& trade);
  bool decline(Trade& trade);
  bool close(Trade& trade);

  /// Carries out what happens to the trade by itself. REQUIRES: as above, and its time has come.
  void act(Trade& trade);

  /// Gives money back. The same number with the same content returns the first refund. Where it takes time to settle,
  /// a refusal for the moment that kills the number is not told at once: the refund is then closed, and no money moves.
  /// `refund_not_now` leaves nothing in the books but its count: the number is as unknown as before.
  std::expected<Refund, RefundRefusal> refund(Refund request, std::string_view number_prefix = "sbr");
  std::optional<Refund> find_refund(std::string_view channel, std::string_view out_refund_no);

  // A channel's day, [begin, end), oldest first.
  void for_each_payment(std::string_view channel, Time begin, Time end, const std::function<void(const Trade&)>& visit);
  void for_each_refund(std::string_view channel, Time begin, Time end,
                       const std::function<void(const Trade&, const Refund&)>& visit);

  /// Trades that something happens to by itself, or whose time ends, by now; earliest first.
  std::vector<Trade> due_trades(std::int64_t count);
  std::optional<Time> next_trade_due();

  /// Notifications to be sent by now, earliest first, without those that `skip` names.
  std::vector<Notification> due_notifications(std::size_t count, const std::function<bool(const std::string&)>& skip);
  /// When the first one that is not yet due will be.
  std::optional<Time> next_notification_due();
  /// How many trades something will still happen to by itself, and how many notifications are still to be sent.
  std::int64_t to_come();
  void acknowledge(const Notification& notification);
  /// One more attempt was in vain: again at `next_at`, or never.
  void defer(const Notification& notification, std::optional<Time> next_at);

 private:
  std::optional<Trade> first_trade(Rows rows);
  Trade trade_of(std::string_view trade_no);
  Trade read_trade_to_show(const Rows& rows) const;
  bool end_trade(Trade& trade, TradeState state);
  void plan_sequel(Trade& trade, TradeState end);
  void take_money(Trade& trade);
  void carry_out(Act act, Trade& trade);
  void pay_again(const Trade& trade);
  void give_back(Trade& trade, MinorUnits amount);
  void pay_abandoned(Trade& trade);
  void return_refund(Trade& trade);
  void say(Trade trade, TradeState state);
  void save(const Trade& trade);
  void save(const Refund& refund);
  std::optional<Refund> last_refund(const Trade& trade, std::string_view state);
  void plan(Trade& trade, Act act) const;
  void close_when_expired(Trade& trade);
  void notify(const Trade& trade, const std::string& type, const Refund* refund = nullptr);
  void forge(const Trade& trade);
  struct PostCommitWork {
    std::string type;
    Time at;
    std::int64_t copies = 1;
    Forgery forgery = Forgery::none;
    const Refund* refund = nullptr;
  };
  void add_notification(const Trade& trade, const std::string& url, const PostCommitWork& announcement);
  void keep(Refund& refund, std::string_view number_prefix);
  void tell_refund(const Trade& trade, const Refund& refund);

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
  SqlStatement to_come_;
  SqlStatement update_notification_;
};

}  // namespace finality::sandbox
