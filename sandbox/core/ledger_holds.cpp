// Holds of the ledger, their captures and releases.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "sandbox/core/ledger.h"
#include "sandbox/core/ledger_rows.h"
#include "sandbox/core/scenario.h"

namespace finality::sandbox {
namespace {

using namespace std::chrono_literals;

constexpr Duration kHoldLasts = std::chrono::days(7);
constexpr Duration kBeliedAfter = 300ms;                       // from the refusal of a capture to its execution
constexpr std::string_view kSecondHold = "lapses_unnotified";  // scenario of the second hold of a payer

// Returns the time of the expiry or lapse of the hold; empty if it has ended.
std::optional<Time> end_of(const Hold& hold) {
  if (hold.state == HoldState::waiting) return hold.expires_at;
  return hold.state == HoldState::held ? hold.capture_before : std::nullopt;
}

// Returns the time of the hold's next event: the planned one, the expiry or the lapse.
std::optional<Time> next_event(const Hold& hold) { return earlier(hold.act_at, end_of(hold)); }

MinorUnits approved(const Hold& hold) {
  const MinorUnits percent = scenario_of(hold).hold.approved_percent;
  return std::max<MinorUnits>(hold.amount / 100 * percent + hold.amount % 100 * percent / 100, 1);
}

// Returns half of an amount, but at least the smallest one.
MinorUnits half(MinorUnits amount) { return std::max<MinorUnits>(amount / 2, 1); }

bool is_same(const Trade& capture, const Hold& hold, const CaptureRequest& request) {
  return capture.hold_no == hold.hold_no && capture.amount == request.amount && capture.is_final == request.is_final;
}

}  // namespace

std::optional<Hold> Ledger::find_hold(std::string_view channel, std::string_view out_order_no) {
  std::optional<Hold> hold = holds_.find(channel, out_order_no);
  if (hold) pass_time(*hold);
  return hold;
}

std::optional<Hold> Ledger::find_hold(std::string_view hold_no) {
  std::optional<Hold> hold = holds_.find(hold_no);
  if (hold) pass_time(*hold);
  return hold;
}

Hold Ledger::hold_of(std::string_view hold_no) {
  std::optional<Hold> hold = holds_.find(hold_no);
  FINALITY_CHECK(hold.has_value(), "the database refers to a missing hold");
  return std::move(*hold);
}

std::vector<Hold> Ledger::latest_holds(std::int64_t count) {
  std::vector<Hold> holds = holds_.latest(count);
  for (Hold& hold : holds) show_time(hold);
  return holds;
}

void Ledger::for_each_hold(const std::function<void(const Hold&)>& visit) {
  holds_.for_each([&](Hold hold) {
    show_time(hold);
    visit(hold);
  });
}

// Changes a hold for display as pass_time() would, without writing.
void Ledger::show_time(Hold& hold) const {
  if (hold.expired(now_)) hold.state = HoldState::closed;
  if (hold.lapsed(now_)) hold.end(HoldEnd::lapsed);
}

std::vector<Trade> Ledger::captures_of(const Hold& hold) {
  std::vector<Trade> captures;
  for (Rows rows = captures_of_hold_.rows(hold.hold_no); rows.next();) captures.push_back(read_trade(rows));
  return captures;
}

std::vector<HoldRelease> Ledger::releases_of(const Hold& hold) { return holds_.releases_of(hold.hold_no); }

Hold Ledger::create_hold(Hold hold, std::string_view number_prefix) {
  hold.hold_no = numbers_.make(number_prefix, now_);
  hold.payer = payer_of(hold.hold_no);
  hold.created_at = now_;
  const std::optional<Time> next_at = next_event(hold);
  holds_.insert(hold, next_at);
  due_.trade = earlier(due_.trade, next_at);
  if (scenario_of(hold).notify.forged) forge(hold);
  return hold;
}

void Ledger::save(const Hold& hold) {
  const std::optional<Time> next_at = next_event(hold);
  holds_.update(hold, next_at);
  due_.trade = earlier(due_.trade, next_at);
}

void Ledger::open(Hold& hold) {
  if (hold.opened) return;
  hold.opened = true;
  save(hold);
}

void Ledger::pass_time(Hold& hold) {
  if (hold.expired(now_)) close_waiting(hold, HoldState::closed, HoldEvent::closed, HoldChangeKind::expired);
  if (hold.lapsed(now_)) let_lapse(hold);
}

bool Ledger::authorize(Hold& hold) {
  pass_time(hold);
  if (hold.state != HoldState::waiting) return false;
  start(hold);
  return true;
}

bool Ledger::decline(Hold& hold) {
  pass_time(hold);
  return close_waiting(hold, HoldState::failed, HoldEvent::failed, HoldChangeKind::failed);
}

bool Ledger::close(Hold& hold) {
  return close_waiting(hold, HoldState::closed, HoldEvent::closed, HoldChangeKind::closed);
}

bool Ledger::close_waiting(Hold& hold, HoldState state, HoldEvent event, HoldChangeKind change) {
  if (hold.state != HoldState::waiting) return false;
  hold.state = state;
  if (state == HoldState::failed) hold.opened = true;  // to decline, the payer opened the hold
  plan_sequel(hold, event);
  save(hold);
  notify(hold, {.kind = change, .amount = hold.amount});
  return true;
}

void Ledger::start(Hold& hold) {
  const Scenario& scenario = scenario_of(hold);
  hold.state = HoldState::held;
  hold.opened = true;  // to authorize, the payer opened the hold
  hold.authorized = approved(hold);
  hold.is_unfunded = scenario.hold.is_unfunded;
  if (scenario.payer.mistake == Mistake::currency) hold.currency = another_currency(hold.currency);
  hold.authorized_at = now_;
  hold.capture_before = now_ + kHoldLasts;
  plan_sequel(hold, HoldEvent::held);
  save(hold);
  notify(hold, {.kind = HoldChangeKind::authorized, .amount = hold.authorized});
}

void Ledger::end(Hold& hold, HoldEnd by) {
  hold.end(by);
  plan_sequel(hold, HoldEvent::ended);
  save(hold);
}

// Plans the follow-up event of an event of the hold. All events except a partial capture cancel what is planned.
void Ledger::plan_sequel(Hold& hold, HoldEvent event) const {
  const HoldSequel& sequel = scenario_of(hold).hold_sequel;
  const bool has_sequel = sequel.event == event;
  if (!has_sequel && event == HoldEvent::captured) return;
  hold.act = has_sequel ? sequel.act : HoldAct::none;
  hold.act_at = has_sequel ? std::optional(now_ + sequel.delay) : std::nullopt;
}

bool Ledger::counts_fault(Hold& hold, std::int64_t Hold::* count, std::int64_t planned) {
  if (hold.*count >= planned) return false;
  hold.*count += 1;
  save(hold);
  return true;
}

std::expected<Trade, CaptureRefusal> Ledger::capture(Hold& hold, const CaptureRequest& request) {
  if (std::optional<Trade> existing = find_trade(hold.channel, request.out_trade_no)) {
    if (!is_same(*existing, hold, request)) return std::unexpected(CaptureRefusal::context_inconsistent);
    if (existing->state != TradeState::paid) return std::unexpected(CaptureRefusal::capture_refused);
    return std::move(*existing);
  }
  if (hold.held() == 0) return std::unexpected(CaptureRefusal::not_held);
  if (request.amount > hold.held()) return std::unexpected(CaptureRefusal::capture_exceeds_held);
  const CaptureReaction& reaction = scenario_of(hold).capture;
  if (reaction.is_refused) return std::unexpected(CaptureRefusal::capture_refused);
  if (counts_fault(hold, &Hold::capture_faults, reaction.lost)) return std::unexpected(CaptureRefusal::capture_lost);
  if (counts_fault(hold, &Hold::capture_faults, reaction.not_now))
    return std::unexpected(CaptureRefusal::capture_not_now);
  Trade capture = capture_of(hold, request);
  if (counts_fault(hold, &Hold::capture_faults, std::int64_t{reaction.is_belied})) {
    capture.state = TradeState::failed;
    capture.act = Act::pay_anyway;
    capture.act_at = now_ + kBeliedAfter;
    create_trade(std::move(capture), NumberMaker::prefix_of(hold.hold_no));
    return std::unexpected(CaptureRefusal::capture_refused);
  }
  const Hold before = hold;
  capture = collect(hold, std::move(capture));
  notify_end(before, capture);
  return capture;
}

// Returns a trade that is to collect a part of the hold.
Trade Ledger::capture_of(const Hold& hold, const CaptureRequest& request) const {
  Trade capture;
  capture.channel = hold.channel;
  capture.out_trade_no = request.out_trade_no;
  capture.hold_no = hold.hold_no;
  if (hold.shares_trade_no) capture.reported_no = hold.hold_no;
  capture.is_final = request.is_final;
  capture.amount = request.amount;
  capture.currency = hold.currency;
  capture.payer = hold.payer;
  capture.subject = hold.subject;
  capture.scenario = hold.scenario;
  capture.product = hold.product;
  capture.details = hold.details;
  capture.notify_url = hold.notify_url;
  capture.reports_settlement = hold.reports_settlement;
  return capture;
}

// Creates and pays the capture.
Trade Ledger::collect(Hold& hold, Trade capture) {
  capture = create_trade(std::move(capture), NumberMaker::prefix_of(hold.hold_no));
  pay(capture);
  hold = hold_of(hold.hold_no);
  return capture;
}

// Pays a capture with the money of its hold, which may have ended before. The caller saves the capture.
void Ledger::take_from_hold(Trade& capture) {
  Hold hold = hold_of(capture.hold_no);
  capture.paid = capture.amount;
  capture.paid_at = now_;
  const bool is_held = hold.state == HoldState::held;
  hold.captured += capture.paid;
  if (is_held && (capture.is_final || hold.held() == 0)) {
    hold.end(HoldEnd::captured);
    plan_sequel(hold, HoldEvent::ended);
  } else if (is_held) {
    plan_sequel(hold, HoldEvent::captured);
  }
  save(hold);
}

// Notifies the end of a hold by the merchant's capture, which has been paid. `before`: the hold before the capture.
void Ledger::notify_end(const Hold& before, const Trade& capture) {
  const Hold hold = hold_of(before.hold_no);
  if (hold.state == HoldState::held) return;
  notify(hold, {.kind = HoldChangeKind::captured,
                .amount = capture.paid,
                .rest = hold.released - before.released,
                .number = capture.out_trade_no});
}

std::expected<void, ReleaseRefusal> Ledger::release(Hold& hold, HoldRelease request) {
  request.hold_no = hold.hold_no;
  request.created_at = now_;
  if (const auto existing = holds_.find_release(request.channel, request.out_request_no)) {
    if (existing->hold_no != request.hold_no || existing->amount != request.amount)
      return std::unexpected(ReleaseRefusal::context_inconsistent);
    if (existing->is_refused) return std::unexpected(ReleaseRefusal::release_refused_for_now);
    return {};
  }
  if (hold.held() == 0) return std::unexpected(ReleaseRefusal::not_held);
  if (request.amount > hold.held()) return std::unexpected(ReleaseRefusal::release_exceeds_held);
  const ReleaseReaction& reaction = scenario_of(hold).release;
  if (reaction.is_refused) return std::unexpected(ReleaseRefusal::release_refused);
  if (counts_fault(hold, &Hold::release_faults, reaction.lost)) return std::unexpected(ReleaseRefusal::release_lost);
  request.is_refused = counts_fault(hold, &Hold::release_faults, reaction.refused_for_now);
  holds_.insert(request);
  if (request.is_refused) return std::unexpected(ReleaseRefusal::release_refused_for_now);
  let_go(hold, {.kind = HoldChangeKind::released, .amount = request.amount, .number = request.out_request_no});
  return {};
}

// Releases the amount of the change and notifies it. REQUIRES: the amount is held.
void Ledger::let_go(Hold& hold, const HoldChange& change) {
  if (change.amount == hold.held()) {
    end(hold, HoldEnd::released);
  } else {
    hold.released += change.amount;
    save(hold);
  }
  notify(hold, change);
}

// REQUIRES: the hold is held.
void Ledger::let_lapse(Hold& hold) {
  const HoldChange change{.kind = HoldChangeKind::lapsed, .amount = hold.held()};
  end(hold, HoldEnd::lapsed);
  notify(hold, change);
}

bool Ledger::lapse(Hold& hold) {
  if (hold.state != HoldState::held) return false;
  let_lapse(hold);
  return true;
}

bool Ledger::release_in_console(Hold& hold, MinorUnits amount) {
  if (amount <= 0 || amount > hold.held()) return false;
  let_go(hold, {.kind = HoldChangeKind::released_in_console, .amount = amount});
  return true;
}

bool Ledger::capture_in_console(Hold& hold, MinorUnits amount) {
  if (hold.authorized == 0 || amount <= 0) return false;
  Trade capture = capture_of(hold, {.out_trade_no = numbers_.make("sbk", now_), .amount = amount});
  capture.notify_url.clear();  // the merchant does not know the number: the hold reports the capture
  capture = collect(hold, std::move(capture));
  notify(hold, {.kind = HoldChangeKind::captured_in_console, .amount = amount, .number = capture.out_trade_no});
  return true;
}

void Ledger::act(Hold& hold) {
  pass_time(hold);
  if (!hold.act_at || *hold.act_at > now_) return;
  if (hold.state != HoldState::waiting && has_unsent_notification(hold.hold_no))
    return holds_.update(hold, end_of(hold));  // record_attempt() resumes it
  const HoldAct act = std::exchange(hold.act, HoldAct::none);
  hold.act_at.reset();
  save(hold);
  carry_out(act, hold);
}

void Ledger::carry_out(HoldAct act, Hold& hold) {
  switch (act) {
    case HoldAct::none:
      return;
    case HoldAct::authorize:
      authorize(hold);
      return;
    case HoldAct::decline:
      decline(hold);
      return;
    case HoldAct::authorize_anyway:
      return start(hold);
    case HoldAct::authorize_again:
      return authorize_again(hold);
    case HoldAct::lapse:
      lapse(hold);
      return;
    case HoldAct::release_in_console:
      release_in_console(hold, hold.held());
      return;
    case HoldAct::release_part_in_console:
      release_in_console(hold, half(hold.held()));
      return;
    case HoldAct::capture_in_console:
      capture_in_console(hold, hold.held());
      return;
    case HoldAct::capture_part_in_console:
      capture_in_console(hold, half(hold.held()));
      return;
    case HoldAct::capture_above_in_console:
      capture_in_console(hold, hold.held() + std::max<MinorUnits>(hold.held() / 5, 1));
      return;
    case HoldAct::capture_ended_in_console:
      capture_in_console(hold, half(hold.authorized));
      return;
  }
}

void Ledger::authorize_again(const Hold& hold) {
  Hold second = hold;
  const std::string prefix(NumberMaker::prefix_of(hold.hold_no));
  second.scenario = kSecondHold;
  second.state = HoldState::waiting;
  second.authorized = second.captured = second.released = 0;
  second.ended_by = HoldEnd::none;
  second.authorized_at.reset();
  second.capture_before.reset();
  second.capture_faults = second.release_faults = 0;
  second = create_hold(std::move(second), prefix);
  authorize(second);
}

std::vector<Hold> Ledger::due_holds(std::int64_t count) { return holds_.due(now_, count); }

}  // namespace finality::sandbox
