// Notifications of the ledger.
#include <boost/json/serialize.hpp>

#include <utility>

#include "base/check.h"
#include "sandbox/core/ledger.h"
#include "sandbox/core/ledger_rows.h"
#include "sandbox/core/scenario.h"

namespace finality::sandbox {
namespace {

constexpr Duration kForgeryPause{100};  // delay before each forged notification
constexpr Forgery kForgeries[] = {Forgery::bad_signature, Forgery::replayed, Forgery::altered};
constexpr const char* kHoldNotification = "authorization";  // type of notifications about holds

}  // namespace

void Ledger::notify_state(Trade trade, TradeState state) {
  trade.state = state;
  trade.paid = trade.refunded = trade.returned = 0;
  trade.paid_at.reset();
  notify(trade, "trade." + std::string(name_of(state)));
}

void Ledger::notify(const Trade& trade, const std::string& type, const Refund* refund) {
  const NotifyReaction& reaction = scenario_of(trade).notify;
  const bool is_of_channel = type == "trade.refunded" || type == "refund.returned";
  if (!reaction.sent || (type == "trade.paid" && !reaction.notifies_paid)) return;
  if (is_of_channel && !reaction.notifies_refunds_of_channel) return;
  add_notification(trade, trade.notify_url, {.type = type, .at = now_, .copies = reaction.copies, .refund = refund});
}

void Ledger::notify(const Hold& hold, const HoldChange& change) {
  const NotifyReaction& reaction = scenario_of(hold).notify;
  if (!reaction.sent || (change.kind == HoldChangeKind::lapsed && !reaction.notifies_lapse)) return;
  add_notification(hold, change, {.type = kHoldNotification, .at = now_, .copies = reaction.copies});
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

void Ledger::forge(const Trade& trade) {
  Trade forged_trade = trade;
  forged_trade.state = TradeState::paid;
  forged_trade.paid = forged_trade.amount;
  forged_trade.paid_at = now_;
  Time at = now_;
  for (const Forgery forgery : kForgeries) {
    at = at + kForgeryPause;
    add_notification(forged_trade, forged_trade.notify_url, {.type = "trade.paid", .at = at, .forgery = forgery});
  }
}

void Ledger::forge(const Hold& hold) {
  Hold forged_hold = hold;
  forged_hold.state = HoldState::held;
  forged_hold.authorized = forged_hold.amount;
  Time at = now_;
  for (const Forgery forgery : kForgeries) {
    at = at + kForgeryPause;
    add_notification(forged_hold, {.kind = HoldChangeKind::authorized, .amount = forged_hold.authorized},
                     {.type = kHoldNotification, .at = at, .forgery = forgery});
  }
}

void Ledger::add_notification(const Trade& trade, const std::string& url, const NotificationDraft& draft) {
  boost::json::object content{{"trade", to_json(trade)}};
  if (draft.refund != nullptr) {
    boost::json::object refund = to_json(*draft.refund, trade);
    refund["settles_at"] = to_rfc3339(draft.refund->settles_at);
    if (!draft.refund->return_no.empty()) refund["return_no"] = draft.refund->return_no;
    if (draft.refund->stranded_at) refund["stranded_at"] = to_rfc3339(*draft.refund->stranded_at);
    content["refund"] = std::move(refund);
  }
  insert_notification({trade.trade_no, "", url}, draft, content);
}

void Ledger::add_notification(const Hold& hold, const HoldChange& change, const NotificationDraft& draft) {
  insert_notification({"", hold.hold_no, hold.notify_url}, draft,
                      {{"change", to_json(change)}, {"authorization", to_json(hold, captures_of(hold))}});
}

void Ledger::insert_notification(const NotificationSubject& subject, const NotificationDraft& draft,
                                 const boost::json::object& content) {
  if (subject.url.empty()) return;
  const std::string id = numbers_.make("sbn", now_);
  boost::json::object body{{"id", id}, {"type", draft.type}, {"created_at", to_rfc3339(now_)}};
  for (const auto& [name, value] : content) body.emplace(name, value);
  insert_notification_.run(id, subject.trade_no, draft.type, subject.url, boost::json::serialize(body), now_,
                           draft.copies, name_of(draft.forgery), draft.at, subject.hold_no);
  due_.notification = earlier(due_.notification, draft.at);
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
    const std::string trade_no = rows.text(7);
    const std::string hold_no = rows.text(8);
    due.push_back({.id = id,
                   .type = rows.text(5),
                   .created_at = rows.time(6),
                   .url = rows.text(0),
                   .body = rows.text(1),
                   .trade = trade_no.empty() ? Trade() : trade_of(trade_no),
                   .hold = hold_no.empty() ? std::nullopt : std::optional(hold_of(hold_no)),
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

void Ledger::acknowledge(const Notification& notification) { record_attempt(notification, std::nullopt, now_); }

void Ledger::defer(const Notification& notification, std::optional<Time> next_at) {
  record_attempt(notification, next_at, std::nullopt);
  due_.notification = earlier(due_.notification, next_at);
}

void Ledger::record_attempt(const Notification& notification, std::optional<Time> next_at,
                            std::optional<Time> acknowledged_at) {
  update_notification_.run(notification.attempts + 1, next_at, acknowledged_at, notification.id);
  Rows resumed = notification.hold ? resume_hold_.rows(notification.hold->hold_no)
                                   : resume_trade_.rows(notification.trade.trade_no);
  if (resumed.next()) due_.trade = earlier(due_.trade, resumed.time(0));
}

}  // namespace finality::sandbox
