#include "sim/upstream/holds.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "sim/upstream/upstream.h"

namespace finality::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kLateHoldMax = hours(72);
constexpr Duration kChangedWithin = hours(60);  // from the approval to a change by another system
constexpr int kNotificationsMax = 8;            // per hold, if the channel's profile has no notice_pauses
constexpr std::size_t kOrderPart = 26;          // bytes of an out_trade_no that name the merchant and the order
constexpr Currency kWrongCurrency{{'U', 'S', 'D'}};
constexpr int kEndsExternally = 300;  // per mille of the external captures that release the rest

// Whether a notification is repeated until it is acknowledged, because no query may bring its content.
bool must_be_acknowledged(const UpstreamHold& hold) {
  return hold.changed_elsewhere || (hold.reported_absent && hold.authorized > 0);
}

}  // namespace

UpstreamHold* HoldBook::find(const Number& number) {
  const auto at = holds_.find(number);
  return at == holds_.end() ? nullptr : &at->second;
}

const UpstreamHold* HoldBook::find(const std::string& channel, const std::string& out_trade_no) const {
  const auto at = holds_.find({channel, out_trade_no});
  return at == holds_.end() ? nullptr : &at->second;
}

bool HoldBook::has_reported(const std::string& channel, const std::string& out_trade_no,
                            AuthorizationEvidenceKind kind) const {
  const auto at = reported_.find({channel, out_trade_no});
  return at != reported_.end() && at->second.contains(kind);
}

// Draws the actions of the payer and schedules them: authorization, rejection, no action, or a late authorization.
void HoldBook::plan_outcome(UpstreamHold& hold) {
  Random& random = scheduler_.random();
  const auto approve_if_waiting = [this, &hold] {
    if (hold.state == UpstreamHoldState::waiting) approve(hold);
  };
  if (scheduler_.happens(Fault::payment_refused))
    hold.state = UpstreamHoldState::failed;
  else if (random.chance(200))
    approve(hold);
  else if (random.chance(800))
    scheduler_.after(random.spread(Duration(200), minutes(40)), approve_if_waiting);
  else if (random.chance(300))
    scheduler_.after(random.spread(seconds(1), minutes(20)), [this, &hold] {
      if (hold.state == UpstreamHoldState::waiting) end_unheld(hold);
    });
  if (!scheduler_.happens(Fault::hold_late)) return;
  scheduler_.after(random.spread(minutes(10), kLateHoldMax), [this, &hold] {
    if (hold.authorized == 0 && !scheduler_.faults_stopped()) approve(hold);
  });
}

// Ends a waiting hold: the authorization is declined, or the channel closes it.
void HoldBook::end_unheld(UpstreamHold& hold) {
  const Declined manner = profile_of(hold).declined;
  const bool is_declined = scheduler_.random().chance(500) && manner != Declined::waits;
  hold.state = is_declined ? UpstreamHoldState::failed : UpstreamHoldState::closed;
  if (manner == Declined::notified && !scheduler_.happens(Fault::notification_lost)) begin_notifying(hold);
}

// Reserves the amount, or a part of it. The hold lapses when its time is over.
void HoldBook::approve(UpstreamHold& hold) {
  Random& random = scheduler_.random();
  hold.state = UpstreamHoldState::held;
  if (scheduler_.happens(Fault::hold_currency_wrong)) hold.currency = kWrongCurrency;
  hold.authorized = scheduler_.happens(Fault::hold_partial) ? random.between(1, hold.amount) : hold.amount;
  hold.began_at = scheduler_.now();
  hold.ends_at = hold.began_at + terms_of(hold).capture_within_max;
  scheduler_.note("upstream.held", hold.out_trade_no, hold.authorized);
  if (hold.reported_absent || !scheduler_.happens(Fault::notification_lost)) begin_notifying(hold);
  scheduler_.after(hold.ends_at - scheduler_.now(), [this, &hold] {
    if (hold.state == UpstreamHoldState::held) end(hold, true);
  });
  plan_changes(hold);
  if (scheduler_.happens(Fault::second_hold)) approve_siblings(hold);
}

// Lets the payer authorize the other authorizations of the order too, even closed ones.
void HoldBook::approve_siblings(const UpstreamHold& hold) {
  for (auto& [number, other] : holds_) {
    const bool is_sibling = &other != &hold && other.channel == hold.channel &&
                            other.out_trade_no.substr(0, kOrderPart) == hold.out_trade_no.substr(0, kOrderPart);
    if (!is_sibling || other.authorized > 0) continue;
    scheduler_.after(scheduler_.random().spread(seconds(1), hours(1)), [this, &other] {
      if (other.authorized == 0 && !scheduler_.faults_stopped()) approve(other);
    });
  }
}

template <class Change>
void HoldBook::plan_change(UpstreamHold& hold, Fault fault, Change change) {
  if (!scheduler_.happens(fault)) return;
  scheduler_.after(scheduler_.random().spread(seconds(10), kChangedWithin), [this, &hold, change] {
    if (!scheduler_.faults_stopped()) change(hold);
  });
}

// Draws and schedules what other systems do with the hold. A channel that does not report captures has none by other
// systems, because nothing would report them. A hold in a wrong currency has none either, because they are not booked.
void HoldBook::plan_changes(UpstreamHold& hold) {
  plan_change(hold, Fault::hold_raised, [this](UpstreamHold& one) { raise(one); });
  plan_change(hold, Fault::hold_lapsed, [this](UpstreamHold& one) {
    if (one.state == UpstreamHoldState::held) end(one, true);
  });
  plan_change(hold, Fault::released_elsewhere, [this](UpstreamHold& one) { release_externally(one); });
  if (profile_of(hold).reports_captures == ReportsCaptures::none || hold.currency == kWrongCurrency) return;
  plan_change(hold, Fault::captured_elsewhere, [this](UpstreamHold& one) { capture_externally(one); });
}

void HoldBook::raise(UpstreamHold& hold) {
  if (hold.state != UpstreamHoldState::held) return;
  hold.authorized += scheduler_.random().between(1, hold.amount);
  hold.changed_elsewhere = true;
  scheduler_.note("upstream.raised", hold.out_trade_no, hold.authorized);
  begin_notifying(hold);
}

// Captures a part of what is held, all of it, or more. After the end of the hold, only a channel that reports the
// numbers of captures does this: the money is returned, and its trade must be known.
void HoldBook::capture_externally(UpstreamHold& hold) {
  Random& random = scheduler_.random();
  const bool is_held = hold.state == UpstreamHoldState::held;
  if (!is_held && profile_of(hold).reports_captures != ReportsCaptures::numbers) return;
  const MinorUnits most = is_held ? std::max<MinorUnits>(hold.held(), 1) : hold.authorized;
  MinorUnits amount = random.chance(500) ? most : random.between(1, most);
  if (is_held && random.chance(200)) amount = most + random.between(1, hold.authorized);
  hold.changed_elsewhere = true;
  add_capture(hold, fmt::format("console-{}", ++external_captures_), amount, true);
  if (is_held && (hold.held() == 0 || random.chance(kEndsExternally)))
    end(hold, false);
  else
    begin_notifying(hold);
}

void HoldBook::release_externally(UpstreamHold& hold) {
  const MinorUnits held = hold.held();
  if (held == 0) return;
  hold.changed_elsewhere = true;
  let_go(hold, scheduler_.random().chance(500) ? held : scheduler_.random().between(1, held));
}

void HoldBook::let_go(UpstreamHold& hold, MinorUnits amount) {
  scheduler_.note("upstream.released", hold.out_trade_no, amount);
  if (amount == hold.held()) return end(hold, false);
  hold.released += amount;
  begin_notifying(hold);
}

// Returns what is still held to the payer.
void HoldBook::end(UpstreamHold& hold, bool has_lapsed) {
  hold.released += hold.held();
  hold.state = UpstreamHoldState::ended;
  hold.has_lapsed = has_lapsed;
  scheduler_.note("upstream.hold_ended", hold.out_trade_no, hold.captured);
  const bool is_silent = has_lapsed && !profile_of(hold).notifies_lapse;
  if (must_be_acknowledged(hold) || (!is_silent && !scheduler_.happens(Fault::notification_lost)))
    begin_notifying(hold);
}

void HoldBook::add_capture(UpstreamHold& hold, const std::string& out_trade_no, MinorUnits amount, bool is_external) {
  hold.captured += amount;
  hold.captures.push_back(&collect_(hold, out_trade_no, amount, is_external));
}

AuthorizationEvidence HoldBook::true_result_of(const UpstreamHold* hold) const {
  using enum AuthorizationEvidenceKind;
  if (hold == nullptr) return {.kind = not_found};
  constexpr AuthorizationEvidenceKind kinds[] = {waiting, authorized, released, failed, closed};
  const ChannelProfile& profile = profile_of(*hold);
  AuthorizationEvidence evidence{.kind = hold->has_lapsed ? expired : kinds[static_cast<std::size_t>(hold->state)],
                                 .channel_trade_no = hold->auth_no,
                                 .currency = hold->currency};
  if (hold->authorized == 0) return evidence;
  evidence.authorized = hold->authorized;
  evidence.released = hold->released;
  evidence.channel_payer = "payer of " + hold->auth_no;
  if (profile.reports_hold_times) {
    evidence.authorized_at = hold->began_at;
    evidence.capture_before = hold->ends_at;
  }
  if (profile.reports_captures != ReportsCaptures::none) evidence.captured = hold->captured;
  if (profile.reports_captures != ReportsCaptures::numbers) return evidence;
  for (const Trade* trade : hold->captures)
    evidence.captures.push_back({trade->out_trade_no, trade->trade_no, trade->paid, trade->currency, trade->paid_at});
  return evidence;
}

// Returns a random false result that denies the hold. To report a hold that does not exist would be fraud by the
// channel, not a fault.
AuthorizationEvidence HoldBook::false_result_of(const UpstreamHold& hold) {
  using enum AuthorizationEvidenceKind;
  constexpr AuthorizationEvidenceKind kinds[] = {waiting, failed, closed, not_found, not_found};
  AuthorizationEvidence evidence{
      .kind = kinds[scheduler_.random().below(std::size(kinds))], .currency = hold.currency, .code = "lie"};
  if (evidence.kind != not_found) evidence.channel_trade_no = hold.auth_no;
  return evidence;
}

AuthorizationEvidence HoldBook::record_result(const Number& number, AuthorizationEvidence evidence) {
  using enum AuthorizationEvidenceKind;
  reported_[number].insert(evidence.kind);
  scheduler_.note("upstream.says_hold", number.second, static_cast<std::int64_t>(evidence.kind));
  const bool denies = evidence.kind == failed || evidence.kind == closed || evidence.kind == not_found;
  if (UpstreamHold* hold = find(number); denies && hold != nullptr) {
    hold->reported_absent = true;
    if (hold->authorized > 0) begin_notifying(*hold);
  }
  return evidence;
}

AuthorizationEvidence HoldBook::send(const std::string& channel, const std::string& out_trade_no, MinorUnits amount,
                                     Currency currency) {
  const Number number{channel, out_trade_no};
  const auto [at, is_new] = holds_.try_emplace(number);
  UpstreamHold& hold = at->second;
  if (is_new) {
    hold.channel = channel;
    hold.out_trade_no = out_trade_no;
    hold.auth_no = fmt::format("H{}", holds_.size());
    hold.amount = amount;
    hold.currency = currency;
    scheduler_.note("upstream.hold", out_trade_no, amount);
    plan_outcome(hold);
  }
  AuthorizationEvidence evidence = true_result_of(&hold);
  if (evidence.kind == AuthorizationEvidenceKind::waiting) {
    evidence.action_type = ActionType::redirect;
    evidence.action_url = "https://pay.example/" + hold.auth_no;
  }
  return record_result(number, std::move(evidence));
}

AuthorizationEvidence HoldBook::query(const std::string& channel, const std::string& out_trade_no) {
  const Number number{channel, out_trade_no};
  const UpstreamHold* hold = find(number);
  const bool is_false = hold != nullptr && scheduler_.happens(Fault::answer_contradictory);
  return record_result(number, is_false ? false_result_of(*hold) : true_result_of(hold));
}

AuthorizationEvidence HoldBook::close(const std::string& channel, const std::string& out_trade_no) {
  const Number number{channel, out_trade_no};
  UpstreamHold* hold = find(number);
  if (hold != nullptr && hold->state == UpstreamHoldState::waiting) hold->state = UpstreamHoldState::closed;
  if (hold != nullptr && hold->state == UpstreamHoldState::held) end(*hold, false);
  return record_result(number, true_result_of(hold));
}

AuthorizationEvidence HoldBook::release(const std::string& channel, const std::string& out_trade_no,
                                        const std::string& out_request_no, MinorUnits amount) {
  using enum AuthorizationEvidenceKind;
  const Number number{channel, out_trade_no};
  UpstreamHold* hold = find(number);
  const Number request{channel, out_request_no};
  if (const auto known = releases_.find(request); known != releases_.end())
    return record_result(number, known->second ? true_result_of(hold) : AuthorizationEvidence{.kind = release_again});
  if (hold == nullptr || hold->held() == 0) return record_result(number, true_result_of(hold));
  if (amount > hold->held() || scheduler_.happens(Fault::release_again)) {
    releases_[request] = false;
    return record_result(number, {.kind = release_again, .code = "release_exceeds_held"});
  }
  if (scheduler_.happens(Fault::release_refused))
    return record_result(number, {.kind = release_refused, .code = "release_refused"});
  releases_[request] = true;
  let_go(*hold, terms_of(*hold).releases_part ? amount : hold->held());
  return record_result(number, true_result_of(hold));
}

std::optional<Evidence> HoldBook::capture(const CaptureOrder& order) {
  const Number request{order.channel, order.out_trade_no};
  UpstreamHold* hold = find({order.channel, order.out_authorization_no});
  const auto refused = [&](std::string code) {
    refused_captures_.insert(request);
    return Evidence{.kind = EvidenceKind::failed, .code = std::move(code)};
  };
  if (refused_captures_.contains(request) || hold == nullptr || hold->held() == 0) return refused("not_held");
  // The channel then has no capture of this number, and the same request can succeed later.
  if (scheduler_.happens(Fault::capture_not_now)) return Evidence{.code = "capture_not_now", .is_not_now = true};
  const AuthorizationTerms& terms = terms_of(*hold);
  const bool is_allowed = order.amount <= hold->held() && (terms.is_partial || order.amount == hold->held()) &&
                          (terms.is_multiple || hold->captures.empty());
  if (!is_allowed) return refused("capture_exceeds_held");
  if (scheduler_.happens(Fault::capture_refused)) return refused("capture_refused");
  add_capture(*hold, order.out_trade_no, order.amount, false);
  if (hold->held() == 0 || (order.is_final && terms.has_final_flag)) end(*hold, false);
  return std::nullopt;
}

void HoldBook::begin_notifying(UpstreamHold& hold) {
  if (hold.notifying) return;
  hold.notifying = true;
  scheduler_.after(scheduler_.random().spread(Duration(10), minutes(1)), [this, &hold] { notify(hold, 1); });
}

// Sends a notification, and repeats it until it is acknowledged, as Upstream does for trades.
void HoldBook::notify(UpstreamHold& hold, int attempt) {
  const auto pauses = profile_of(hold).notice_pauses;
  const int attempts_max = pauses.empty() ? kNotificationsMax : static_cast<int>(pauses.size()) + 1;
  if (!must_be_acknowledged(hold) && attempt > attempts_max) {
    hold.notifying = false;
    return;
  }
  const auto again = [this, &hold, attempt, pauses] {
    const Duration pause = pauses.empty()
                               ? scheduler_.random().between(seconds(15), minutes(std::min(4 * attempt, 360)))
                               : pauses[std::min(static_cast<std::size_t>(attempt), pauses.size()) - 1];
    scheduler_.after(pause, [this, &hold, attempt] { notify(hold, attempt + 1); });
  };
  if (scheduler_.happens(Fault::notification_lost)) return again();
  if (scheduler_.happens(Fault::notification_doubled)) notify_(hold, true_result_of(&hold), [](bool) {});
  const AuthorizationEvidence evidence = record_result({hold.channel, hold.out_trade_no}, true_result_of(&hold));
  // A change after the notification was sent needs another one.
  const auto content = [&hold] { return std::tuple(hold.state, hold.authorized, hold.captured, hold.released); };
  notify_(hold, evidence, [&hold, again, content, sent = content()](bool acknowledged) {
    if (!acknowledged || content() != sent) return again();
    hold.notifying = false;
  });
}

}  // namespace finality::sim
