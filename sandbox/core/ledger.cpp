#include "sandbox/core/ledger.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "sandbox/core/ledger_rows.h"
#include "sandbox/core/scenario.h"

namespace finality::sandbox {
namespace {

MinorUnits another_amount(MinorUnits amount) { return amount > 1 ? amount - 1 : amount + 1; }

}  // namespace

Ledger::Ledger(const std::string& path, double time_scale)
    : database_(open_with_schema(path)),
      time_scale_(time_scale),
      begin_(database_.prepare("BEGIN IMMEDIATE")),
      commit_(database_.prepare("COMMIT")),
      insert_trade_(database_.prepare(
          "INSERT INTO trades (trade_no, channel, out_trade_no, state, amount, currency, paid, refunded, payer, "
          "subject, scenario, notify_url, return_url, created_at, expires_at, act, act_at, refund_refusals, next_at, "
          "product, details, opened, outlives_decline, reports_settlement, hold_no, reported_no, is_final) "
          "VALUES (?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)")),
      trade_by_out_trade_no_(
          database_.prepare(select_trades("WHERE channel = ? AND out_trade_no = ? ORDER BY rowid LIMIT 1"))),
      trade_by_trade_no_(database_.prepare(select_trades("WHERE trade_no = ?"))),
      trades_latest_(database_.prepare(select_trades("ORDER BY rowid DESC LIMIT ?"))),
      trades_all_(database_.prepare(select_trades("ORDER BY rowid"))),
      trades_due_(database_.prepare(select_trades("WHERE next_at <= ? ORDER BY next_at LIMIT ?"))),
      event_due_next_(
          database_.prepare("SELECT min(next_at) FROM (SELECT next_at FROM trades WHERE next_at IS NOT NULL "
                            "UNION ALL SELECT next_at FROM holds WHERE next_at IS NOT NULL)")),
      trade_by_reported_no_(database_.prepare(
          select_trades("WHERE reported_no = ? AND reported_no <> '' AND state = 'paid' ORDER BY paid_at, rowid "
                        "LIMIT 1"))),
      captures_of_hold_(database_.prepare(
          select_trades("WHERE hold_no = ? AND hold_no <> '' AND state = 'paid' ORDER BY paid_at, rowid"))),
      update_trade_(database_.prepare(
          "UPDATE trades SET state = ?, currency = ?, paid = ?, refunded = ?, returned = ?, paid_at = ?, act = ?, "
          "act_at = ?, refund_refusals = ?, next_at = ?, opened = ?, return_url = ?, settlement = ? "
          "WHERE trade_no = ?")),
      insert_outage_(database_.prepare("INSERT INTO outages (channel, out_trade_no, ends_at) VALUES (?, ?, ?)")),
      outage_by_out_trade_no_(database_.prepare("SELECT ends_at FROM outages WHERE channel = ? AND out_trade_no = ?")),
      insert_refund_(database_.prepare(insert_of_refund())),
      update_refund_(database_.prepare("UPDATE refunds SET state = ?, settles_at = ?, return_no = ?, settlement = ?, "
                                       "returned_at = ? WHERE refund_no = ?")),
      last_refund_(database_.prepare(
          select_refunds("WHERE trade_no = ? AND state = ? AND return_no = '' ORDER BY rowid DESC LIMIT 1"))),
      unsettled_refunds_(database_.prepare(select_refunds(
          "WHERE trade_no = ? AND state = 'succeeded' AND return_no = '' AND settlement = '' ORDER BY settles_at"))),
      refund_by_out_refund_no_(database_.prepare(select_refunds("WHERE channel = ? AND out_refund_no = ?"))),
      payments_of_day_(database_.prepare(
          select_trades("WHERE channel = ? AND paid_at >= ? AND paid_at < ? ORDER BY paid_at, trade_no"))),
      refunds_until_(
          database_.prepare(select_refunds("WHERE channel = ? AND created_at < ? ORDER BY created_at, refund_no"))),
      channels_(database_.prepare("SELECT DISTINCT channel FROM trades ORDER BY channel")),
      insert_notification_(database_.prepare("INSERT INTO notifications (id, trade_no, type, url, body, created_at, "
                                             "attempts, copies, forgery, next_at, hold_no) "
                                             "VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?)")),
      notifications_due_(database_.prepare("SELECT id FROM notifications WHERE next_at <= ? ORDER BY next_at, id")),
      notification_by_id_(database_.prepare("SELECT url, body, attempts, copies, forgery, type, created_at, trade_no, "
                                            "hold_no FROM notifications WHERE id = ?")),
      notification_due_next_(database_.prepare("SELECT min(next_at) FROM notifications WHERE next_at > ?")),
      outstanding_count_(database_.prepare("SELECT (SELECT count(*) FROM trades WHERE next_at IS NOT NULL) + "
                                           "(SELECT count(*) FROM holds WHERE next_at IS NOT NULL) + "
                                           "(SELECT count(*) FROM notifications WHERE next_at IS NOT NULL)")),
      unsent_notification_(
          database_.prepare("SELECT 1 FROM notifications WHERE trade_no || hold_no = ? AND attempts = 0 LIMIT 1")),
      postpone_trade_(database_.prepare("UPDATE trades SET next_at = NULL WHERE trade_no = ?")),
      resume_trade_(database_.prepare("UPDATE trades SET next_at = act_at WHERE trade_no = ? AND next_at IS NULL "
                                      "AND act_at IS NOT NULL RETURNING next_at")),
      resume_hold_(database_.prepare("UPDATE holds SET next_at = act_at WHERE hold_no = ? AND act_at IS NOT NULL "
                                     "AND (next_at IS NULL OR next_at > act_at) RETURNING next_at")),
      update_notification_(
          database_.prepare("UPDATE notifications SET attempts = ?, next_at = ?, acknowledged_at = ? WHERE id = ?")),
      statement_tables_(database_),
      holds_(database_) {}

void Ledger::begin(Time now) {
  now_ = now;
  begin_.run();
}

void Ledger::commit() { commit_.run(); }

void Ledger::roll_back() {
  due_ = {};
  database_.execute("ROLLBACK");
}

std::optional<Trade> Ledger::find_trade(std::string_view channel, std::string_view out_trade_no) {
  return first_trade(trade_by_out_trade_no_.rows(channel, out_trade_no));
}

std::optional<Trade> Ledger::find_trade(std::string_view trade_no) {
  return first_trade(trade_by_trade_no_.rows(trade_no));
}

std::optional<Trade> Ledger::first_trade(Rows rows) {
  if (!rows.next()) return std::nullopt;
  Trade trade = read_trade(rows);
  close_when_expired(trade);
  return trade;
}

std::vector<Trade> Ledger::latest_trades(std::int64_t count) {
  std::vector<Trade> trades;
  for (Rows rows = trades_latest_.rows(count); rows.next();) trades.push_back(read_displayed_trade(rows));
  return trades;
}

void Ledger::for_each_trade(const std::function<void(const Trade&)>& visit) {
  for (Rows rows = trades_all_.rows(); rows.next();) visit(read_displayed_trade(rows));
}

// Reads a trade for display without writing. An expired waiting trade is returned as closed, because it can only become
// closed.
Trade Ledger::read_displayed_trade(const Rows& rows) const {
  Trade trade = read_trade(rows);
  if (trade.expired(now_)) trade.state = TradeState::closed;
  return trade;
}

Trade Ledger::create_trade(Trade trade, std::string_view number_prefix) {
  trade.trade_no = numbers_.make(number_prefix, now_);
  if (trade.payer.empty()) trade.payer = payer_of(trade.trade_no);
  trade.created_at = now_;
  const std::optional<Time> next_at = earlier(trade.act_at, trade.expires_at);
  insert_trade_.run(trade.trade_no, trade.channel, trade.out_trade_no, name_of(trade.state), trade.amount,
                    trade.currency, trade.payer, trade.subject, trade.scenario, trade.notify_url, trade.return_url,
                    trade.created_at, trade.expires_at, name_of(trade.act), trade.act_at, next_at, trade.product,
                    trade.details, std::int64_t{trade.opened}, std::int64_t{trade.outlives_decline},
                    std::int64_t{trade.reports_settlement}, trade.hold_no, trade.reported_no,
                    std::int64_t{trade.is_final});
  due_.trade = earlier(due_.trade, next_at);
  if (scenario_of(trade).notify.forged) forge(trade);
  return trade;
}

std::optional<Time> Ledger::outage_end(std::string_view channel, std::string_view out_trade_no) {
  Rows rows = outage_by_out_trade_no_.rows(channel, out_trade_no);
  return rows.next() ? std::optional(rows.time(0)) : std::nullopt;
}

void Ledger::begin_outage(std::string_view channel, std::string_view out_trade_no, Time end) {
  insert_outage_.run(channel, out_trade_no, end);
}

void Ledger::open(Trade& trade, std::optional<std::string> return_url) {
  if (trade.opened && !return_url) return;
  trade.opened = true;
  if (return_url) trade.return_url = std::move(return_url);
  save(trade);
}

bool Ledger::pay(Trade& trade) {
  close_when_expired(trade);
  return end_trade(trade, TradeState::paid);
}

bool Ledger::decline(Trade& trade) {
  close_when_expired(trade);
  if (!trade.outlives_decline) return end_trade(trade, TradeState::failed);
  if (trade.state != TradeState::waiting) return false;
  trade.opened = true;
  plan_sequel(trade, TradeState::failed);
  save(trade);
  return true;
}

bool Ledger::close(Trade& trade) { return end_trade(trade, TradeState::closed); }

void Ledger::close_when_expired(Trade& trade) {
  if (trade.expired(now_)) close(trade);
}

bool Ledger::end_trade(Trade& trade, TradeState state) {
  if (trade.state != TradeState::waiting) return false;
  trade.state = state;
  if (state == TradeState::paid) take_money(trade);
  if (state != TradeState::closed) trade.opened = true;  // to pay or decline, the payer opened the trade
  plan_sequel(trade, state);
  save(trade);
  plan_settlement(trade);
  notify(trade, "trade." + std::string(name_of(state)));
  return true;
}

void Ledger::plan_sequel(Trade& trade, TradeState end) {
  const Sequel& sequel = scenario_of(trade).sequel;
  const bool has_sequel = sequel.end == end;
  trade.act = has_sequel ? sequel.act : Act::none;
  trade.act_at = has_sequel ? std::optional(now_ + sequel.after) : std::nullopt;
}

void Ledger::take_money(Trade& trade) {
  if (trade.is_capture()) return take_from_hold(trade);
  const Mistake mistake = scenario_of(trade).payer.mistake;
  trade.paid = mistake == Mistake::amount ? another_amount(trade.amount) : trade.amount;
  if (mistake == Mistake::currency) trade.currency = another_currency(trade.currency);
  trade.paid_at = now_;
}

void Ledger::act(Trade& trade) {
  // Sent together, two notifications could arrive in either order, and the first could already show the changed trade.
  if (trade.state != TradeState::waiting && has_unsent_notification(trade.trade_no)) {
    postpone_trade_.run(trade.trade_no);  // record_attempt() resumes it
    return;
  }
  const Act act = std::exchange(trade.act, Act::none);
  trade.act_at.reset();
  save(trade);
  carry_out(act, trade);
  plan_settlement(trade);
}

bool Ledger::has_unsent_notification(std::string_view number) { return unsent_notification_.rows(number).next(); }

void Ledger::carry_out(Act act, Trade& trade) {
  switch (act) {
    case Act::none:
      return;
    case Act::pay:
      pay(trade);
      return;
    case Act::decline:
      decline(trade);
      return;
    case Act::pay_anyway:
      return pay_anyway(trade);
    case Act::pay_again:
      return pay_again(trade);
    case Act::pay_foreign:
      return pay_foreign(trade);
    case Act::give_back:
      return refund_by_channel(trade, trade.refundable());
    case Act::give_back_half:
      return refund_by_channel(trade, std::min(trade.paid / 2, trade.refundable()));
    case Act::pay_abandoned:
      return pay_abandoned(trade);
    case Act::return_refund:
      return return_refund(trade);
    case Act::settle:
      return settle(trade);
    case Act::say_waiting:
      return notify_state(trade, TradeState::waiting);
    case Act::say_failed:
      return notify_state(trade, TradeState::failed);
  }
}

void Ledger::pay_anyway(Trade& trade) {
  const std::optional<Hold> hold = trade.is_capture() ? std::optional(hold_of(trade.hold_no)) : std::nullopt;
  trade.state = TradeState::paid;
  trade.opened = true;
  take_money(trade);
  save(trade);
  notify(trade, "trade.paid");
  if (hold) notify_end(*hold, trade);
}

void Ledger::pay_again(const Trade& trade) {
  Trade second = trade;
  second.scenario = "pays";  // the scenario of the out_trade_no does not apply to the second trade
  pay_copy(std::move(second));
}

void Ledger::pay_foreign(const Trade& trade) {
  Trade foreign = trade;
  foreign.out_trade_no = numbers_.make("F", now_);
  foreign.scenario = "notification_lost";  // the merchant must not be notified
  pay_copy(std::move(foreign));
}

// Creates and pays a trade with the terms of another trade, which has been paid.
void Ledger::pay_copy(Trade copy) {
  const std::string prefix(NumberMaker::prefix_of(copy.trade_no));
  copy.state = TradeState::waiting;
  copy.hold_no.clear();  // a copy of a capture is paid by the payer
  copy.reported_no.clear();
  copy.payer.clear();
  copy.paid = copy.refunded = copy.returned = 0;
  copy.paid_at.reset();
  copy = create_trade(std::move(copy), prefix);
  pay(copy);
}

void Ledger::save(const Trade& trade) {
  const bool waits = trade.state == TradeState::waiting;
  const std::optional<Time> next_at = waits ? earlier(trade.act_at, trade.expires_at) : trade.act_at;
  update_trade_.run(name_of(trade.state), trade.currency, trade.paid, trade.refunded, trade.returned, trade.paid_at,
                    name_of(trade.act), trade.act_at, trade.refund_refusals, next_at, std::int64_t{trade.opened},
                    trade.return_url, trade.settlement, trade.trade_no);
  due_.trade = earlier(due_.trade, next_at);
}

void Ledger::for_each_payment(std::string_view channel, Time begin, Time end,
                              const std::function<void(const Trade&)>& visit) {
  for (Rows rows = payments_of_day_.rows(channel, begin, end); rows.next();) visit(read_trade(rows));
}

void Ledger::for_each_refund(std::string_view channel, Time end, const std::function<void(const Refund&)>& visit) {
  for (Rows rows = refunds_until_.rows(channel, end); rows.next();) visit(read_refund(rows));
}

std::vector<std::string> Ledger::channels() {
  std::vector<std::string> channels;
  for (Rows rows = channels_.rows(); rows.next();) channels.push_back(rows.text(0));
  return channels;
}

Trade Ledger::trade_of(std::string_view trade_no) {
  Rows rows = trade_by_trade_no_.rows(trade_no);
  FINALITY_CHECK(rows.next(), "the database refers to a missing trade");
  return read_trade(rows);
}

std::vector<Trade> Ledger::due_trades(std::int64_t count) {
  std::vector<Trade> trades;
  for (Rows rows = trades_due_.rows(now_, count); rows.next();) trades.push_back(read_trade(rows));
  return trades;
}

std::optional<Time> Ledger::next_event_due() {
  Rows rows = event_due_next_.rows();
  return rows.next() ? rows.time_or_null(0) : std::nullopt;
}

std::int64_t Ledger::outstanding_count() {
  Rows rows = outstanding_count_.rows();
  FINALITY_CHECK(rows.next(), "count(*) returned no row");
  return rows.integer(0);
}

}  // namespace finality::sandbox
