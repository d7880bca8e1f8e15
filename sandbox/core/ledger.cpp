#include "sandbox/core/ledger.h"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "sandbox/core/scenario.h"
#include "sandbox/core/time_scale.h"

namespace finality::sandbox {
namespace {

constexpr Duration kRefundSequelAfter{300};  // delay from a refund to its follow-up event
constexpr Duration kForgeryPause{100};       // delay before each forged notification

// trades.next_at is the earlier of the planned event and the expiry of a waiting trade; null if both are absent.
// notifications.next_at is the time of the next attempt; null after the acknowledgement or the last attempt.
constexpr const char* kSchema = R"sql(
CREATE TABLE IF NOT EXISTS trades (
  trade_no TEXT PRIMARY KEY, channel TEXT NOT NULL, out_trade_no TEXT NOT NULL, state TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0), currency TEXT NOT NULL,
  paid INTEGER NOT NULL CHECK (paid >= 0), refunded INTEGER NOT NULL CHECK (refunded >= 0),
  payer TEXT NOT NULL, subject TEXT NOT NULL, scenario TEXT NOT NULL, notify_url TEXT NOT NULL, return_url TEXT,
  created_at INTEGER NOT NULL, paid_at INTEGER, expires_at INTEGER, act TEXT NOT NULL, act_at INTEGER,
  refund_refusals INTEGER NOT NULL, next_at INTEGER, product TEXT NOT NULL DEFAULT '', details TEXT NOT NULL DEFAULT '',
  opened INTEGER NOT NULL DEFAULT 1, outlives_decline INTEGER NOT NULL DEFAULT 0,
  returned INTEGER NOT NULL DEFAULT 0 CHECK (returned BETWEEN 0 AND refunded),
  reports_settlement INTEGER NOT NULL DEFAULT 0, settlement TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS trades_number ON trades (channel, out_trade_no);
CREATE INDEX IF NOT EXISTS trades_next ON trades (next_at) WHERE next_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS outages (
  channel TEXT NOT NULL, out_trade_no TEXT NOT NULL, ends_at INTEGER NOT NULL, PRIMARY KEY (channel, out_trade_no));
CREATE TABLE IF NOT EXISTS refunds (
  refund_no TEXT PRIMARY KEY, channel TEXT NOT NULL, out_refund_no TEXT NOT NULL,
  trade_no TEXT NOT NULL REFERENCES trades, amount INTEGER NOT NULL CHECK (amount > 0), currency TEXT NOT NULL,
  state TEXT NOT NULL, created_at INTEGER NOT NULL, details TEXT NOT NULL DEFAULT '',
  settles_at INTEGER NOT NULL DEFAULT 0, stranded_at INTEGER, return_no TEXT NOT NULL DEFAULT '',
  settlement TEXT NOT NULL DEFAULT '', UNIQUE (channel, out_refund_no));
CREATE INDEX IF NOT EXISTS refunds_of_trade ON refunds (trade_no);
CREATE TABLE IF NOT EXISTS notifications (
  id TEXT PRIMARY KEY, trade_no TEXT NOT NULL REFERENCES trades, type TEXT NOT NULL, url TEXT NOT NULL,
  body TEXT NOT NULL, created_at INTEGER NOT NULL, attempts INTEGER NOT NULL, copies INTEGER NOT NULL,
  forgery TEXT NOT NULL, next_at INTEGER, acknowledged_at INTEGER);
CREATE INDEX IF NOT EXISTS notifications_next ON notifications (next_at, id) WHERE next_at IS NOT NULL;
)sql";

// Columns to add to databases that an earlier version created: table, column, type.
constexpr std::array<std::array<const char*, 3>, 12> kNewColumns{
    {{"trades", "product", "TEXT NOT NULL DEFAULT ''"},
     {"trades", "details", "TEXT NOT NULL DEFAULT ''"},
     {"trades", "opened", "INTEGER NOT NULL DEFAULT 1"},
     {"trades", "outlives_decline", "INTEGER NOT NULL DEFAULT 0"},
     {"refunds", "details", "TEXT NOT NULL DEFAULT ''"},
     {"refunds", "settles_at", "INTEGER NOT NULL DEFAULT 0"},
     {"refunds", "stranded_at", "INTEGER"},
     {"refunds", "return_no", "TEXT NOT NULL DEFAULT ''"},
     {"trades", "returned", "INTEGER NOT NULL DEFAULT 0"},
     {"trades", "reports_settlement", "INTEGER NOT NULL DEFAULT 0"},
     {"trades", "settlement", "TEXT NOT NULL DEFAULT ''"},
     {"refunds", "settlement", "TEXT NOT NULL DEFAULT ''"}}};

// Selected columns. read_trade() and read_refund() read them by position.
constexpr std::string_view kTradeColumns =
    "trade_no, channel, out_trade_no, state, amount, currency, paid, refunded, payer, subject, scenario, notify_url, "
    "return_url, created_at, paid_at, expires_at, act, act_at, refund_refusals, product, details, opened, "
    "outlives_decline, returned, reports_settlement, settlement";
constexpr std::string_view kRefundColumns =
    "refund_no, channel, out_refund_no, trade_no, amount, currency, state, created_at, details, settles_at, "
    "stranded_at, return_no, settlement";

std::string select_trades(std::string_view rest) {
  return "SELECT " + std::string(kTradeColumns) + " FROM trades " + std::string(rest);
}

std::string select_refunds(std::string_view rest) {
  return "SELECT " + std::string(kRefundColumns) + " FROM refunds " + std::string(rest);
}

template <DescribedEnum Enum>
Enum read_enum(const Rows& rows, int column) {
  const std::optional<Enum> value = parse_enum<Enum>(rows.text(column));
  if (!value) throw DatabaseError("the database contains the unknown value " + rows.text(column));
  return *value;
}

Trade read_trade(const Rows& rows) {
  return {.trade_no = rows.text(0),
          .channel = rows.text(1),
          .out_trade_no = rows.text(2),
          .state = read_enum<TradeState>(rows, 3),
          .amount = rows.integer(4),
          .currency = rows.text(5),
          .paid = rows.integer(6),
          .refunded = rows.integer(7),
          .returned = rows.integer(23),
          .payer = rows.text(8),
          .subject = rows.text(9),
          .scenario = rows.text(10),
          .product = rows.text(19),
          .details = rows.text(20),
          .notify_url = rows.text(11),
          .return_url = rows.text_or_null(12),
          .created_at = rows.time(13),
          .paid_at = rows.time_or_null(14),
          .settlement = rows.text(25),
          .expires_at = rows.time_or_null(15),
          .opened = rows.integer(21) != 0,
          .outlives_decline = rows.integer(22) != 0,
          .reports_settlement = rows.integer(24) != 0,
          .act = read_enum<Act>(rows, 16),
          .act_at = rows.time_or_null(17),
          .refund_refusals = rows.integer(18)};
}

Refund read_refund(const Rows& rows) {
  return {.refund_no = rows.text(0),
          .channel = rows.text(1),
          .out_refund_no = rows.text(2),
          .trade_no = rows.text(3),
          .amount = rows.integer(4),
          .currency = rows.text(5),
          .state = rows.text(6),
          .return_no = rows.text(11),
          .details = rows.text(8),
          .notify_url = {},
          .created_at = rows.time(7),
          .stranded_at = rows.time_or_null(10),
          .settles_at = rows.time(9),
          .settlement = rows.text(12)};
}

std::optional<Time> earlier(std::optional<Time> first, std::optional<Time> second) {
  if (!first || !second) return first ? first : second;
  return std::min(*first, *second);
}

std::string payer_of(std::string_view trade_no) {
  constexpr std::array<std::string_view, 16> kFirst{"Ada", "Bao",  "Chidi", "Dana", "Emre", "Freya", "Goran", "Hana",
                                                    "Ivo", "Jing", "Kofi",  "Lena", "Mira", "Noor",  "Otto",  "Priya"};
  constexpr std::array<std::string_view, 16> kLast{"Ash",   "Birch", "Cedar",  "Dogwood", "Elder", "Fir",
                                                   "Gorse", "Hazel", "Ivy",    "Larch",   "Maple", "Oak",
                                                   "Pine",  "Rowan", "Sorrel", "Yew"};
  const std::size_t hash = std::hash<std::string_view>()(trade_no);
  return std::string(kFirst[hash % kFirst.size()]) + " " + std::string(kLast[hash / kFirst.size() % kLast.size()]);
}

MinorUnits another_amount(MinorUnits amount) { return amount > 1 ? amount - 1 : amount + 1; }
std::string another_currency(std::string_view currency) { return currency == "USD" ? "EUR" : "USD"; }

// Returns the amount that can still be refunded.
MinorUnits refundable_amount(const Trade& trade) { return trade.paid - trade.refunded + trade.returned; }

bool same_content(const Refund& first, const Refund& second) {
  return first.trade_no == second.trade_no && first.amount == second.amount && first.currency == second.currency;
}

Database open_with_schema(const std::string& path) {
  Database database(path);
  database.execute(kSchema);
  for (const auto& [table, column, type] : kNewColumns) {
    SqlStatement found = database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
    if (Rows rows = found.rows(table, column); rows.next()) continue;
    database.execute(("ALTER TABLE " + std::string(table) + " ADD COLUMN " + column + " " + type).c_str());
  }
  return database;
}

}  // namespace

Ledger::Ledger(const std::string& path, double time_scale)
    : database_(open_with_schema(path)),
      time_scale_(time_scale),
      begin_(database_.prepare("BEGIN IMMEDIATE")),
      commit_(database_.prepare("COMMIT")),
      insert_trade_(database_.prepare(
          "INSERT INTO trades (trade_no, channel, out_trade_no, state, amount, currency, paid, refunded, payer, "
          "subject, scenario, notify_url, return_url, created_at, expires_at, act, act_at, refund_refusals, next_at, "
          "product, details, opened, outlives_decline, reports_settlement) "
          "VALUES (?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?)")),
      trade_by_out_trade_no_(
          database_.prepare(select_trades("WHERE channel = ? AND out_trade_no = ? ORDER BY rowid LIMIT 1"))),
      trade_by_trade_no_(database_.prepare(select_trades("WHERE trade_no = ?"))),
      trades_latest_(database_.prepare(select_trades("ORDER BY rowid DESC LIMIT ?"))),
      trades_all_(database_.prepare(select_trades("ORDER BY rowid"))),
      trades_due_(database_.prepare(select_trades("WHERE next_at <= ? ORDER BY next_at LIMIT ?"))),
      trade_due_next_(database_.prepare("SELECT min(next_at) FROM trades WHERE next_at IS NOT NULL")),
      update_trade_(database_.prepare(
          "UPDATE trades SET state = ?, currency = ?, paid = ?, refunded = ?, returned = ?, paid_at = ?, act = ?, "
          "act_at = ?, refund_refusals = ?, next_at = ?, opened = ?, return_url = ?, settlement = ? "
          "WHERE trade_no = ?")),
      insert_outage_(database_.prepare("INSERT INTO outages (channel, out_trade_no, ends_at) VALUES (?, ?, ?)")),
      outage_by_out_trade_no_(database_.prepare("SELECT ends_at FROM outages WHERE channel = ? AND out_trade_no = ?")),
      insert_refund_(database_.prepare("INSERT INTO refunds (" + std::string(kRefundColumns) +
                                       ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")),
      update_refund_(database_.prepare(
          "UPDATE refunds SET state = ?, settles_at = ?, return_no = ?, settlement = ? WHERE refund_no = ?")),
      last_refund_(database_.prepare(
          select_refunds("WHERE trade_no = ? AND state = ? AND return_no = '' ORDER BY rowid DESC LIMIT 1"))),
      unsettled_refunds_(database_.prepare(select_refunds(
          "WHERE trade_no = ? AND state = 'succeeded' AND return_no = '' AND settlement = '' ORDER BY settles_at"))),
      refund_by_out_refund_no_(database_.prepare(select_refunds("WHERE channel = ? AND out_refund_no = ?"))),
      payments_of_day_(database_.prepare(
          select_trades("WHERE channel = ? AND paid_at >= ? AND paid_at < ? ORDER BY paid_at, trade_no"))),
      refunds_of_day_(database_.prepare(
          select_refunds("WHERE channel = ? AND created_at >= ? AND created_at < ? ORDER BY created_at, refund_no"))),
      insert_notification_(database_.prepare("INSERT INTO notifications (id, trade_no, type, url, body, created_at, "
                                             "attempts, copies, forgery, next_at) "
                                             "VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?)")),
      notifications_due_(database_.prepare("SELECT id FROM notifications WHERE next_at <= ? ORDER BY next_at, id")),
      notification_by_id_(database_.prepare("SELECT url, body, attempts, copies, forgery, type, created_at, trade_no "
                                            "FROM notifications WHERE id = ?")),
      notification_due_next_(database_.prepare("SELECT min(next_at) FROM notifications WHERE next_at > ?")),
      outstanding_count_(database_.prepare("SELECT (SELECT count(*) FROM trades WHERE next_at IS NOT NULL) + "
                                           "(SELECT count(*) FROM notifications WHERE next_at IS NOT NULL)")),
      update_notification_(
          database_.prepare("UPDATE notifications SET attempts = ?, next_at = ?, acknowledged_at = ? WHERE id = ?")) {}

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
  trade.payer = payer_of(trade.trade_no);
  trade.created_at = now_;
  const std::optional<Time> next_at = earlier(trade.act_at, trade.expires_at);
  insert_trade_.run(trade.trade_no, trade.channel, trade.out_trade_no, name_of(trade.state), trade.amount,
                    trade.currency, trade.payer, trade.subject, trade.scenario, trade.notify_url, trade.return_url,
                    trade.created_at, trade.expires_at, name_of(trade.act), trade.act_at, next_at, trade.product,
                    trade.details, std::int64_t{trade.opened}, std::int64_t{trade.outlives_decline},
                    std::int64_t{trade.reports_settlement});
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
  const Mistake mistake = scenario_of(trade).payer.mistake;
  trade.paid = mistake == Mistake::amount ? another_amount(trade.amount) : trade.amount;
  if (mistake == Mistake::currency) trade.currency = another_currency(trade.currency);
  trade.paid_at = now_;
}

void Ledger::act(Trade& trade) {
  const Act act = std::exchange(trade.act, Act::none);
  trade.act_at.reset();
  save(trade);
  carry_out(act, trade);
  plan_settlement(trade);
}

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
      trade.state = TradeState::paid;
      trade.opened = true;
      take_money(trade);
      save(trade);
      return notify(trade, "trade.paid");
    case Act::pay_again:
      return pay_again(trade);
    case Act::give_back:
      return refund_by_channel(trade, refundable_amount(trade));
    case Act::give_back_half:
      return refund_by_channel(trade, std::min(trade.paid / 2, refundable_amount(trade)));
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

void Ledger::pay_again(const Trade& trade) {
  Trade second = trade;
  second.scenario = "pays";  // the scenario of the out_trade_no does not apply to the second trade
  second.state = TradeState::waiting;
  second.paid = second.refunded = second.returned = 0;
  second.paid_at.reset();
  second = create_trade(std::move(second), NumberMaker::prefix_of(trade.trade_no));
  pay(second);
}

void Ledger::refund_by_channel(Trade& trade, MinorUnits amount) {
  Refund refund{.channel = trade.channel,
                .out_refund_no = numbers_.make("sbg", now_),
                .trade_no = trade.trade_no,
                .amount = amount,
                .currency = trade.currency};
  if (refund.amount == 0) return;
  insert_refund(refund, "sbr");
  trade.refunded += amount;
  save(trade);
  notify(trade, "trade.refunded", &refund);
}

void Ledger::pay_abandoned(Trade& trade) {
  std::optional<Refund> refund = last_refund(trade, "closed");
  if (!refund) return;
  refund->state = "succeeded";
  refund->settles_at = now_;
  save(*refund);
  trade.refunded += refund->amount;
  save(trade);
  notify(trade, "refund.succeeded", &*refund);
}

void Ledger::return_refund(Trade& trade) {
  std::optional<Refund> refund = last_refund(trade, "succeeded");
  if (!refund) return;
  refund->return_no = numbers_.make("sbt", now_);
  save(*refund);
  trade.returned += refund->amount;
  save(trade);
  notify(trade, "refund.returned", &*refund);
}

// Plans the next settlement of the trade's payment and refunds. If another event is planned, act() plans the settlement
// after that event.
void Ledger::plan_settlement(Trade& trade) {
  if (trade.act != Act::none) return;
  const std::optional<Time> next = next_settlement(trade);
  if (!next) return;
  trade.act = Act::settle;
  trade.act_at = next;
  save(trade);
}

std::optional<Duration> Ledger::settlement_delay(const Trade& trade) const {
  const std::optional<Duration>& after = scenario_of(trade).settlement.after;
  return trade.reports_settlement && after ? std::optional(scaled(*after, time_scale_)) : std::nullopt;
}

std::optional<Time> Ledger::next_settlement(const Trade& trade) {
  const std::optional<Duration> delay = settlement_delay(trade);
  if (!delay) return std::nullopt;
  std::optional<Time> first = trade.settlement.empty() ? trade.paid_at : std::nullopt;
  for (const Refund& refund : unsettled_refunds(trade)) first = earlier(first, refund.settles_at);
  return first ? std::optional(*first + *delay) : std::nullopt;
}

std::vector<Refund> Ledger::unsettled_refunds(const Trade& trade) {
  std::vector<Refund> refunds;
  for (Rows rows = unsettled_refunds_.rows(trade.trade_no); rows.next();) refunds.push_back(read_refund(rows));
  return refunds;
}

void Ledger::settle(Trade& trade) {
  const std::optional<Duration> delay = settlement_delay(trade);
  if (!delay) return;
  const Time due = now_ - *delay;  // payments and refunds that succeeded later are settled later
  if (trade.settlement.empty() && trade.paid_at && *trade.paid_at <= due) settle_payment(trade);
  for (Refund& refund : unsettled_refunds(trade))
    if (refund.settles_at <= due) settle_refund(trade, refund);
}

void Ledger::settle_payment(Trade& trade) {
  trade.settlement = settlement_text(trade.paid, trade.currency, kPaymentTerms);
  save(trade);
  notify(trade, "trade.settled");
}

void Ledger::settle_refund(const Trade& trade, Refund& refund) {
  refund.settlement = settlement_text(refund.amount, refund.currency, kRefundTerms);
  save(refund);
  notify(trade, "refund.settled", &refund);
}

std::string Ledger::settlement_text(MinorUnits amount, const std::string& currency, const SettlementTerms& terms) {
  return boost::json::serialize(settlement_of(
      amount, terms,
      {.currency = another_currency(currency), .transaction_no = numbers_.make("sbt", now_), .settled_at = now_}));
}

void Ledger::notify_state(Trade trade, TradeState state) {
  trade.state = state;
  trade.paid = trade.refunded = trade.returned = 0;
  trade.paid_at.reset();
  notify(trade, "trade." + std::string(name_of(state)));
}

void Ledger::save(const Trade& trade) {
  const bool waits = trade.state == TradeState::waiting;
  const std::optional<Time> next_at = waits ? earlier(trade.act_at, trade.expires_at) : trade.act_at;
  update_trade_.run(name_of(trade.state), trade.currency, trade.paid, trade.refunded, trade.returned, trade.paid_at,
                    name_of(trade.act), trade.act_at, trade.refund_refusals, next_at, std::int64_t{trade.opened},
                    trade.return_url, trade.settlement, trade.trade_no);
  due_.trade = earlier(due_.trade, next_at);
}

void Ledger::notify(const Trade& trade, const std::string& type, const Refund* refund) {
  const NotifyReaction& reaction = scenario_of(trade).notify;
  if (!reaction.sent || (type == "trade.paid" && !reaction.notifies_paid)) return;
  add_notification(trade, trade.notify_url, {.type = type, .at = now_, .copies = reaction.copies, .refund = refund});
}

void Ledger::forge(const Trade& trade) {
  Trade forged_trade = trade;
  forged_trade.state = TradeState::paid;
  forged_trade.paid = forged_trade.amount;
  forged_trade.paid_at = now_;
  Time at = now_;
  for (const Forgery forgery : {Forgery::bad_signature, Forgery::replayed, Forgery::altered}) {
    at = at + kForgeryPause;
    add_notification(forged_trade, forged_trade.notify_url, {.type = "trade.paid", .at = at, .forgery = forgery});
  }
}

void Ledger::add_notification(const Trade& trade, const std::string& url, const NotificationDraft& draft) {
  if (url.empty()) return;
  const std::string id = numbers_.make("sbn", now_);
  boost::json::object body{
      {"id", id}, {"type", draft.type}, {"created_at", to_rfc3339(now_)}, {"trade", to_json(trade)}};
  if (draft.refund != nullptr) {
    boost::json::object refund = to_json(*draft.refund);
    refund["settles_at"] = to_rfc3339(draft.refund->settles_at);
    if (!draft.refund->return_no.empty()) refund["return_no"] = draft.refund->return_no;
    if (draft.refund->stranded_at) refund["stranded_at"] = to_rfc3339(*draft.refund->stranded_at);
    body["refund"] = std::move(refund);
  }
  insert_notification_.run(id, trade.trade_no, draft.type, url, boost::json::serialize(body), now_, draft.copies,
                           name_of(draft.forgery), draft.at);
  due_.notification = earlier(due_.notification, draft.at);
}

std::expected<Refund, RefundRefusal> Ledger::refund(Refund request, std::string_view number_prefix) {
  const bool is_instant = request.settles_after == Duration{0};
  const std::optional<Refund> existing = find_refund(request.channel, request.out_refund_no);
  if (existing && !same_content(*existing, request)) return std::unexpected(RefundRefusal::context_inconsistent);
  const bool is_refused = existing && is_instant && existing->state == "closed";  // is requested again
  if (existing && !is_refused) return *existing;
  std::optional<Trade> trade = find_trade(request.trade_no);
  if (!trade || trade->channel != request.channel) return std::unexpected(RefundRefusal::trade_not_exist);
  if (trade->state != TradeState::paid) return std::unexpected(RefundRefusal::trade_not_paid);
  if (trade->currency != request.currency) return std::unexpected(RefundRefusal::context_inconsistent);
  if (request.amount > refundable_amount(*trade)) return std::unexpected(RefundRefusal::refund_exceeds_paid);
  const RefundReaction& reaction = scenario_of(*trade).refund;
  if (reaction.refused) return std::unexpected(RefundRefusal::refund_refused);
  if (trade->refund_refusals < reaction.not_now) {
    trade->refund_refusals += 1;
    save(*trade);
    return std::unexpected(RefundRefusal::refund_not_now);
  }
  if (trade->refund_refusals < reaction.refused_for_now) {
    trade->refund_refusals += 1;
    save(*trade);
    request.state = "closed";
    if (is_instant && reaction.abandoned_pays && !existing) insert_refund(request, number_prefix);
    if (is_instant) return std::unexpected(RefundRefusal::refund_refused_for_now);
  }

  if (reaction.stranded_for > Duration{0} && request.settles_after > Duration{0}) {
    request.stranded_at = now_ + request.settles_after;
    request.settles_after += reaction.stranded_for;
  }
  if (is_refused) {
    request.refund_no = existing->refund_no;
    request.created_at = existing->created_at;
    request.settles_at = now_;
    save(request);
  } else {
    insert_refund(request, number_prefix);
  }
  if (request.state == "succeeded") {
    trade->refunded += request.amount;
    if (reaction.abandoned_pays) plan(*trade, Act::pay_abandoned);
    if (reaction.returns && request.may_return) plan(*trade, Act::return_refund);
    save(*trade);
  }
  plan_settlement(*trade);
  notify_refund(*trade, request);
  return request;
}

void Ledger::plan(Trade& trade, Act act) const {
  trade.act = act;
  trade.act_at = now_ + kRefundSequelAfter;
}

void Ledger::insert_refund(Refund& refund, std::string_view number_prefix) {
  refund.refund_no = numbers_.make(number_prefix, now_);
  refund.created_at = now_;
  refund.settles_at = now_ + refund.settles_after;
  insert_refund_.run(refund.refund_no, refund.channel, refund.out_refund_no, refund.trade_no, refund.amount,
                     refund.currency, refund.state, refund.created_at, refund.details, refund.settles_at,
                     refund.stranded_at, refund.return_no, refund.settlement);
}

void Ledger::save(const Refund& refund) {
  update_refund_.run(refund.state, refund.settles_at, refund.return_no, refund.settlement, refund.refund_no);
}

std::optional<Refund> Ledger::last_refund(const Trade& trade, std::string_view state) {
  Rows rows = last_refund_.rows(trade.trade_no, state);
  return rows.next() ? std::optional(read_refund(rows)) : std::nullopt;
}

void Ledger::notify_refund(const Trade& trade, const Refund& refund) {
  const NotifyReaction& reaction = scenario_of(trade).notify;
  if (!reaction.sent) return;
  const auto add = [&](const std::string& type, Time at) {
    add_notification(trade, refund.notify_url, {.type = type, .at = at, .copies = reaction.copies, .refund = &refund});
  };
  if (refund.stranded_at) add("refund.stranded", *refund.stranded_at);
  add("refund." + refund.state, refund.settles_at);
}

std::optional<Refund> Ledger::find_refund(std::string_view channel, std::string_view out_refund_no) {
  Rows rows = refund_by_out_refund_no_.rows(channel, out_refund_no);
  return rows.next() ? std::optional(read_refund(rows)) : std::nullopt;
}

void Ledger::for_each_payment(std::string_view channel, Time begin, Time end,
                              const std::function<void(const Trade&)>& visit) {
  for (Rows rows = payments_of_day_.rows(channel, begin, end); rows.next();) visit(read_trade(rows));
}

void Ledger::for_each_refund(std::string_view channel, Time begin, Time end,
                             const std::function<void(const Trade&, const Refund&)>& visit) {
  for (Rows rows = refunds_of_day_.rows(channel, begin, end); rows.next();) {
    const Refund refund = read_refund(rows);
    visit(trade_of(refund.trade_no), refund);
  }
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

std::optional<Time> Ledger::next_trade_due() {
  Rows rows = trade_due_next_.rows();
  return rows.next() ? rows.time_or_null(0) : std::nullopt;
}

std::vector<Notification> Ledger::due_notifications(std::size_t count,
                                                    const std::function<bool(const std::string&)>& skip) {
  std::vector<std::string> ids;
  for (Rows rows = notifications_due_.rows(now_); ids.size() < count && rows.next();)
    if (std::string id = rows.text(0); !skip(id)) ids.push_back(std::move(id));

  std::vector<Notification> due;
  for (const std::string& id : ids) {
    Rows rows = notification_by_id_.rows(id);
    FINALITY_CHECK(rows.next(), "a due notification is missing");
    due.push_back({.id = id,
                   .type = rows.text(5),
                   .created_at = rows.time(6),
                   .url = rows.text(0),
                   .body = rows.text(1),
                   .trade = trade_of(rows.text(7)),
                   .attempts = rows.integer(2),
                   .copies = rows.integer(3),
                   .forgery = read_enum<Forgery>(rows, 4)});
  }
  return due;
}

std::optional<Time> Ledger::next_notification_due() {
  Rows rows = notification_due_next_.rows(now_);
  return rows.next() ? rows.time_or_null(0) : std::nullopt;
}

std::int64_t Ledger::outstanding_count() {
  Rows rows = outstanding_count_.rows();
  FINALITY_CHECK(rows.next(), "count(*) returned no row");
  return rows.integer(0);
}

void Ledger::acknowledge(const Notification& notification) {
  update_notification_.run(notification.attempts + 1, std::optional<Time>(), now_, notification.id);
}

void Ledger::defer(const Notification& notification, std::optional<Time> next_at) {
  update_notification_.run(notification.attempts + 1, next_at, std::optional<Time>(), notification.id);
  due_.notification = earlier(due_.notification, next_at);
}

}  // namespace finality::sandbox
