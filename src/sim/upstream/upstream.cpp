#include "sim/upstream/upstream.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace finality::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kLateSuccessMax = hours(72);
constexpr Duration kStrandedMax = hours(72);
constexpr Duration kAnnouncedAfter = hours(120);
constexpr int kNotificationsMax = 8;  // per trade, if the channel's profile has no notice_pauses

}  // namespace

// Returns the refunded amount of the trade: of all captures that share its trade_no.
MinorUnits Upstream::refunded_of(const Trade& trade) const {
  MinorUnits sum = 0;
  for (const Trade* one : by_trade_no_.at({trade.channel, trade.trade_no}))
    sum += one->requested_refunds + one->external_refunds;
  return sum;
}

// Returns what can be refunded of the trade: of all captures that share its trade_no.
MinorUnits Upstream::left_of(const Trade& trade) const {
  MinorUnits sum = 0;
  for (const Trade* one : by_trade_no_.at({trade.channel, trade.trade_no}))
    sum += one->paid - one->requested_refunds - one->accepted_refunds - one->external_refunds + one->returned;
  return sum;
}

const ChannelProfile& Upstream::profile_of(const std::string& channel) const {
  static const ChannelProfile kDefault;
  const auto at = profile_.find(channel);
  return at == profile_.end() ? kDefault : at->second;
}

Trade* Upstream::current(const Number& number) {
  const auto at = by_out_trade_no_.find(number);
  if (at == by_out_trade_no_.end()) return nullptr;
  const auto paid = std::ranges::find(at->second, TradeState::paid, &Trade::state);
  return paid != at->second.end() ? *paid : at->second.front();
}

Trade& Upstream::open_trade(const Number& number, MinorUnits amount, Currency currency, std::string trade_no) {
  Trade& trade = *trades_.emplace_back(std::make_unique<Trade>());
  trade.channel = number.first;
  trade.out_trade_no = number.second;
  trade.trade_no = trade_no.empty() ? fmt::format("T{}", trades_.size()) : std::move(trade_no);
  trade.amount = amount;
  trade.currency = currency;
  auto& siblings = by_out_trade_no_[number];
  siblings.push_back(&trade);
  for (Trade* sibling : siblings) sibling->sibling = siblings.size() > 1;
  by_trade_no_[{number.first, trade.trade_no}].push_back(&trade);
  scheduler_.note("upstream.trade", trade.out_trade_no, amount);
  return trade;
}

// Draws the actions of the payer and schedules them: payment, rejection, no action, or a late payment.
void Upstream::plan_outcome(Trade& trade) {
  Random& random = scheduler_.random();
  if (scheduler_.happens(Fault::payment_refused)) {
    trade.state = TradeState::failed;
  } else if (random.chance(150)) {
    pay(trade, trade.amount);
  } else if (random.chance(750)) {
    plan_payment(trade);
  } else if (random.chance(300)) {
    scheduler_.after(random.spread(seconds(1), minutes(20)), [this, &trade] {
      if (trade.state == TradeState::waiting) end_unpaid(trade);
    });
  }
  if (scheduler_.happens(Fault::late_success))
    scheduler_.after(random.spread(minutes(10), kLateSuccessMax), [this, &trade] {
      if (trade.state != TradeState::paid && !scheduler_.faults_stopped()) pay(trade, trade.amount);
    });
}

void Upstream::plan_payment(Trade& trade) {
  Random& random = scheduler_.random();
  const MinorUnits amount =
      scheduler_.happens(Fault::amount_wrong) ? random.between(1, trade.amount * 2) : trade.amount;
  scheduler_.after(random.spread(Duration(200), minutes(40)), [this, &trade, amount] {
    if (trade.state == TradeState::waiting) pay(trade, amount);
  });
}

// Ends a waiting trade: the payment is declined, or the channel closes the trade.
void Upstream::end_unpaid(Trade& trade) {
  const Declined manner = profile_of(trade.channel).declined;
  const bool declined = scheduler_.random().chance(500);
  if (declined && manner == Declined::waits) {
    scheduler_.note("upstream.declined", trade.trade_no);
    if (scheduler_.random().chance(500)) plan_payment(trade);  // the payer pays with another card
    return;
  }
  trade.state = declined ? TradeState::failed : TradeState::closed;
  if (manner == Declined::notified && !scheduler_.happens(Fault::notification_lost)) begin_notifying(trade);
}

void Upstream::pay(Trade& trade, MinorUnits amount) {
  trade.state = TradeState::paid;
  trade.paid = amount;
  trade.paid_at = scheduler_.now();
  scheduler_.note("upstream.paid", trade.trade_no, amount);
  // Only the report about the hold contains a capture by another system.
  const bool is_notified =
      !trade.is_external && (trade.reported_unpaid || trade.sibling || !scheduler_.happens(Fault::notification_lost));
  if (is_notified) begin_notifying(trade);
  if (trade.is_external) return;
  plan_settlement(trade);
  if (scheduler_.happens(Fault::foreign_refund))
    scheduler_.after(scheduler_.random().spread(seconds(1), hours(60)), [this, &trade] {
      // Captures that share the trade_no are refunded as one trade, that of the first.
      Trade& first = *by_trade_no_.at({trade.channel, trade.trade_no}).front();
      if (!scheduler_.faults_stopped() && !first.is_external && first.external_refunds == 0) refund_externally(first);
    });
}

// Creates the paid trade of a capture.
Trade& Upstream::collect(const UpstreamHold& hold, const std::string& out_trade_no, MinorUnits amount,
                         bool is_external) {
  const bool shares = profile_of(hold.channel).capabilities.authorization.value().shares_trade_no;
  Trade& trade = open_trade({hold.channel, out_trade_no}, amount, hold.currency, shares ? hold.auth_no : "");
  trade.out_authorization_no = hold.out_trade_no;
  trade.is_external = is_external;
  trade.shares_trade_no = shares;
  pay(trade, amount);
  return trade;
}

// Refunds without a request: the whole refundable amount, a part, or the amount of an earlier requested refund. In the
// last case, the two refunds cannot be distinguished by amount.
void Upstream::refund_externally(Trade& trade) {
  const MinorUnits left = std::min(left_of(trade), trade.paid);
  if (left <= 0) return;
  MinorUnits amount = scheduler_.random().chance(500) ? left : scheduler_.random().between(1, left);
  if (trade.requested_refunds > 0 && trade.requested_refunds <= left && scheduler_.random().chance(300))
    amount = trade.requested_refunds;
  trade.external_refunds += amount;
  trade.external_refund_no = "C" + trade.trade_no;
  trade.externally_refunded_at = scheduler_.now();
  scheduler_.note("upstream.gave_back", trade.trade_no, amount);
  // Only the statement reports a refund in the channel's console, until an operator asks the channel about it.
  if (scheduler_.happens(Fault::refund_unannounced))
    scheduler_.after(kAnnouncedAfter, [this, &trade] { begin_notifying(trade); });
  else
    begin_notifying(trade);
  if (!scheduler_.happens(Fault::refund_returned)) return;
  scheduler_.after(scheduler_.random().spread(seconds(1), hours(30)), [this, &trade] {
    if (!scheduler_.faults_stopped()) return_external_refund(trade);
  });
}

// Returns all or a part of an external refund, as the payer's bank can do.
void Upstream::return_external_refund(Trade& trade) {
  trade.external_returned =
      scheduler_.random().chance(500) ? trade.external_refunds : scheduler_.random().between(1, trade.external_refunds);
  trade.external_returned_at = scheduler_.now();
  trade.returned += trade.external_returned;
  scheduler_.note("upstream.returned", trade.trade_no, trade.external_returned);
  begin_notifying(trade);
}

Evidence Upstream::true_result_of(const Trade* trade) const {
  Evidence evidence;
  evidence.kind = EvidenceKind::not_found;
  if (trade == nullptr) return evidence;
  constexpr EvidenceKind kinds[] = {EvidenceKind::waiting, EvidenceKind::paid, EvidenceKind::failed,
                                    EvidenceKind::closed};
  evidence.kind = kinds[static_cast<std::size_t>(trade->state)];
  evidence.channel_trade_no = trade->trade_no;
  evidence.currency = trade->currency;
  if (trade->paid == 0) return evidence;
  evidence.amount = trade->paid;
  evidence.paid_at = trade->paid_at;
  const MinorUnits back = refunded_of(*trade);
  const bool hides_sum = profile_of(trade->channel).hides_refunded_sum;
  evidence.is_refund_unknown = hides_sum && back > 0;
  if (!hides_sum) evidence.refunded = back;
  evidence.settlement = trade->settlement;
  return evidence;
}

// Returns the content of a notification: the result of the trade. If the channel does not report the refunded total, or
// if an external refund was returned, the notification also has identifier and amount of the external refund.
Evidence Upstream::notification_of(const Trade& trade) const {
  Evidence evidence = true_result_of(&trade);
  if (evidence.is_refund_unknown && trade.external_refunds > 0) {
    evidence.is_refund_unknown = false;
    evidence.refund = ReportedRefund{trade.external_refund_no, trade.external_refunds};
  }
  if (trade.external_returned > 0)
    evidence.refund = ReportedRefund{trade.external_refund_no, trade.external_refunds, RefundEvidenceKind::refunded,
                                     ReportedReturn{"B" + trade.external_refund_no, trade.external_returned}};
  return evidence;
}

// Returns a random false result other than `paid`: a payment that did not happen would be fraud by the channel, not a
// fault.
Evidence Upstream::false_result_of(const Trade& trade) {
  constexpr EvidenceKind kinds[] = {EvidenceKind::waiting, EvidenceKind::failed, EvidenceKind::closed,
                                    EvidenceKind::not_found, EvidenceKind::not_found};
  Evidence evidence;
  evidence.kind = kinds[scheduler_.random().below(std::size(kinds))];
  if (evidence.kind != EvidenceKind::not_found) evidence.channel_trade_no = trade.trade_no;
  evidence.currency = trade.currency;
  evidence.code = "lie";
  return evidence;
}

Evidence Upstream::record_result(const Number& number, Trade* trade, Evidence evidence) {
  reported_[number].insert(evidence.kind);
  scheduler_.note("upstream.says", number.second, static_cast<std::int64_t>(evidence.kind));
  const bool reports_unpaid = evidence.kind == EvidenceKind::failed || evidence.kind == EvidenceKind::closed ||
                              evidence.kind == EvidenceKind::not_found;
  if (reports_unpaid && trade != nullptr)
    for (Trade* sibling : by_out_trade_no_[number]) {
      sibling->reported_unpaid = true;
      if (sibling->paid > 0) begin_notifying(*sibling);
    }
  return evidence;
}

Evidence Upstream::send(const std::string& channel, const std::string& out_trade_no, MinorUnits amount,
                        Currency currency) {
  const Number number{channel, out_trade_no};
  Trade* trade = current(number);
  if (trade == nullptr) {
    trade = &open_trade(number, amount, currency);
    plan_outcome(*trade);
    if (trade->state == TradeState::waiting && scheduler_.happens(Fault::second_trade))
      plan_outcome(open_trade(number, amount, currency));
  }
  Evidence evidence = true_result_of(trade);
  if (evidence.kind == EvidenceKind::waiting) {
    evidence.action_type = ActionType::redirect;
    evidence.action_url = "https://pay.example/" + trade->trade_no;
  }
  return record_result(number, trade, std::move(evidence));
}

Evidence Upstream::query(const std::string& channel, const std::string& out_trade_no,
                         const std::optional<std::string>& trade_no) {
  const Number number{channel, out_trade_no};
  Trade* trade = trade_no ? by_trade_no_.at({channel, *trade_no}).front() : current(number);
  const bool is_capture = trade != nullptr && !trade->out_authorization_no.empty();
  const bool is_false =
      trade != nullptr && scheduler_.happens(is_capture ? Fault::capture_contradicted : Fault::answer_contradictory);
  return record_result(number, trade, is_false ? false_result_of(*trade) : true_result_of(trade));
}

Evidence Upstream::close(const std::string& channel, const std::string& out_trade_no) {
  const Number number{channel, out_trade_no};
  Trade* trade = current(number);
  if (trade != nullptr)
    for (Trade* sibling : by_out_trade_no_[number])
      if (sibling->state == TradeState::waiting) sibling->state = TradeState::closed;
  return record_result(number, trade, true_result_of(trade));
}

Evidence Upstream::capture(const CaptureOrder& order) {
  const Number number{order.channel, order.out_trade_no};
  Trade* trade = current(number);
  if (trade == nullptr) {
    if (const auto refused = holds_.capture(order)) return record_result(number, nullptr, *refused);
    trade = current(number);
  }
  Evidence evidence = true_result_of(trade);
  if (scheduler_.happens(Fault::capture_contradicted)) evidence = {.kind = EvidenceKind::failed, .code = "lie"};
  return record_result(number, trade, std::move(evidence));
}

void Upstream::begin_notifying(Trade& trade) {
  if (trade.notifying || trade.is_external) return;
  trade.notifying = true;
  scheduler_.after(scheduler_.random().spread(Duration(10), minutes(1)), [this, &trade] { notify(trade, 1); });
}

// Sends a notification, and repeats it until it is acknowledged. The number of attempts is limited if a query also
// returns the result.
void Upstream::notify(Trade& trade, int attempt) {
  const bool has_attempt_limit =
      !trade.reported_unpaid && !trade.sibling && trade.external_refunds == 0 && !trade.settlement;
  const auto pauses = profile_of(trade.channel).notice_pauses;
  const int attempts_max = pauses.empty() ? kNotificationsMax : static_cast<int>(pauses.size()) + 1;
  if (has_attempt_limit && attempt > attempts_max) {
    trade.notifying = false;
    return;
  }
  const auto again = [this, &trade, attempt, pauses] {
    const Duration pause = pauses.empty()
                               ? scheduler_.random().between(seconds(15), minutes(std::min(4 * attempt, 360)))
                               : pauses[std::min(static_cast<std::size_t>(attempt), pauses.size()) - 1];
    scheduler_.after(pause, [this, &trade, attempt] { notify(trade, attempt + 1); });
  };
  if (scheduler_.happens(Fault::notification_lost)) return again();
  if (scheduler_.happens(Fault::notification_doubled)) notify_(trade, notification_of(trade), [](bool) {});
  const Evidence evidence = record_result({trade.channel, trade.out_trade_no}, &trade, notification_of(trade));
  // A change after the notification was sent needs another one.
  const auto content = [&trade] {
    return std::tuple(trade.external_refunds, trade.external_returned, trade.settlement.has_value());
  };
  notify_(trade, evidence, [&trade, again, content, sent = content()](bool acknowledged) {
    if (!acknowledged || content() != sent) return again();
    trade.notifying = false;
  });
}

// Draws the final result of an accepted refund: blocked, refused or refunded.
void Upstream::settle_refund(UpstreamRefund& refund) {
  const bool may_strand = profile_of(refund.trade->channel).strands_refunds;
  if (may_strand && scheduler_.happens(Fault::refund_stranded)) return strand_refund(refund);
  if (scheduler_.happens(Fault::refund_refused)) return refuse_refund(refund);
  finish_refund(refund);
}

// Blocks the refund until a person at the merchant acts, which happens within kStrandedMax.
void Upstream::strand_refund(UpstreamRefund& refund) {
  refund.state = UpstreamRefundState::stranded;
  scheduler_.note("upstream.stranded", refund.out_refund_no, refund.amount);
  scheduler_.after(scheduler_.random().spread(hours(1), kStrandedMax), [this, &refund] { finish_refund(refund); });
}

void Upstream::finish_refund(UpstreamRefund& refund) {
  refund.state = UpstreamRefundState::done;
  refund.done_at = scheduler_.now();
  refund.trade->accepted_refunds -= refund.amount;
  refund.trade->requested_refunds += refund.amount;
  scheduler_.note("upstream.refunded", refund.out_refund_no, refund.amount);
  if (refund.trade->is_external) return;  // no notification could name the capture: no engine knows its number
  plan_settlement(refund);
  if (!scheduler_.happens(Fault::refund_returned)) return;
  scheduler_.after(scheduler_.random().spread(seconds(1), hours(30)), [this, &refund] {
    if (!scheduler_.faults_stopped()) return_refund(refund);
  });
}

// Returns all or a part of a refund: the payer's bank cannot credit it.
void Upstream::return_refund(UpstreamRefund& refund) {
  refund.returned = scheduler_.random().chance(500) ? refund.amount : scheduler_.random().between(1, refund.amount);
  refund.returned_at = scheduler_.now();
  refund.trade->returned += refund.returned;
  scheduler_.note("upstream.returned", refund.out_refund_no, refund.returned);
  notify_return(refund);
}

// Notifies a return, because no query reports it.
void Upstream::notify_return(UpstreamRefund& refund) {
  notify_refund(refund, {.kind = RefundEvidenceKind::refunded,
                         .returned = ReportedReturn{"B" + refund.out_refund_no, refund.returned}});
}

// Returns a settlement of `amount` whose amount no rate reproduces.
ReportedSettlement Upstream::make_settlement(MinorUnits amount, MinorUnits fee) {
  constexpr Currency kDollar{{'U', 'S', 'D'}};
  const MinorUnits settled = std::max<MinorUnits>(amount * scheduler_.random().between(1300, 1500) / 10'000, 1);
  return {.transaction_no = fmt::format("S{}", ++settlements_),
          .amount = settled,
          .currency = kDollar,
          .fee = fee,
          .exchange_rate = "0.14"};
}

// Assigns the trade's settlement some time after the payment and notifies it.
void Upstream::plan_settlement(Trade& trade) {
  if (!profile_of(trade.channel).settles_abroad) return;
  scheduler_.after(scheduler_.random().spread(seconds(1), hours(3)), [this, &trade] {
    trade.settlement = make_settlement(trade.paid, scheduler_.random().between(0, 5));
    scheduler_.note("upstream.settled", trade.trade_no, trade.settlement->amount);
    begin_notifying(trade);
  });
}

// Assigns the refund's settlement some time after the refund and notifies it. Half of the fees are returned.
void Upstream::plan_settlement(UpstreamRefund& refund) {
  if (!profile_of(refund.trade->channel).settles_abroad) return;
  scheduler_.after(scheduler_.random().spread(seconds(1), hours(3)), [this, &refund] {
    refund.settlement = make_settlement(refund.amount, scheduler_.random().chance(500) ? -2 : 0);
    scheduler_.note("upstream.settled", refund.out_refund_no, refund.settlement->amount);
    notify_refund(refund, {.kind = RefundEvidenceKind::refunded, .settlement = refund.settlement});
  });
}

// Sends a notification about a refund, and repeats it until it is acknowledged.
void Upstream::notify_refund(UpstreamRefund& refund, const RefundEvidence& evidence) {
  record_result({refund.trade->channel, refund.out_refund_no}, evidence);
  scheduler_.after(scheduler_.random().spread(seconds(1), minutes(30)), [this, &refund, evidence] {
    if (scheduler_.happens(Fault::notification_doubled))
      scheduler_.after(scheduler_.random().spread(Duration(0), minutes(30)),
                       [this, &refund, evidence] { notify_refund_(refund, evidence, [](bool) {}); });
    notify_refund_(refund, evidence, [this, &refund, evidence](bool acknowledged) {
      if (!acknowledged) notify_refund(refund, evidence);
    });
  });
}

// Refuses a refund that was accepted before, so that it has no effect.
void Upstream::refuse_refund(UpstreamRefund& refund) {
  refund.state = UpstreamRefundState::refused;
  refund.trade->accepted_refunds -= refund.amount;
  scheduler_.note("upstream.refused", refund.out_refund_no, refund.amount);
}

RefundEvidence Upstream::result_of(UpstreamRefund& refund) {
  constexpr RefundEvidenceKind kinds[] = {RefundEvidenceKind::accepted, RefundEvidenceKind::refunded,
                                          RefundEvidenceKind::refused, RefundEvidenceKind::try_again,
                                          RefundEvidenceKind::accepted};
  RefundEvidence evidence;
  evidence.kind = kinds[static_cast<std::size_t>(refund.state)];
  evidence.is_stranded = refund.state == UpstreamRefundState::stranded;
  evidence.settlement = refund.settlement;
  if (refund.state == UpstreamRefundState::done && scheduler_.happens(Fault::refund_contradicted)) {
    evidence.kind = scheduler_.random().chance(700) ? RefundEvidenceKind::refused : RefundEvidenceKind::try_again;
    refund.trade->denied_refunds += refund.amount;
    evidence.settlement.reset();
  }
  scheduler_.note("upstream.says_refund", refund.out_refund_no, static_cast<std::int64_t>(evidence.kind));
  return record_result({refund.trade->channel, refund.out_refund_no}, std::move(evidence));
}

RefundEvidence Upstream::record_result(const Number& number, RefundEvidence evidence) {
  reported_refunds_[number].insert(evidence.kind);
  return evidence;
}

RefundEvidence Upstream::refund(const std::string& channel, const std::string& trade_no,
                                const std::string& out_refund_no, MinorUnits amount) {
  const Number number{channel, out_refund_no};
  if (const auto at = refunds_.find(number); at != refunds_.end()) return result_of(at->second);
  const auto found = by_trade_no_.find({channel, trade_no});
  if (found == by_trade_no_.end())
    return record_result(number, {.kind = RefundEvidenceKind::refused, .code = "no_such_trade"});
  Trade& trade = *found->second.front();
  if (scheduler_.happens(Fault::refund_not_now))
    return record_result(number, {.kind = RefundEvidenceKind::not_now, .code = "not_enough"});
  UpstreamRefund& refund = refunds_[number] = {out_refund_no, &trade, amount};
  const MinorUnits left = left_of(trade);
  if (scheduler_.happens(Fault::refund_try_again)) {
    refund.state = UpstreamRefundState::number_invalid;
    return result_of(refund);
  }
  if (amount > left || scheduler_.happens(Fault::refund_refused)) {
    refund.state = UpstreamRefundState::refused;
    return result_of(refund);
  }
  trade.accepted_refunds += amount;
  if (scheduler_.random().chance(600))
    finish_refund(refund);
  else
    scheduler_.after(scheduler_.random().spread(seconds(1), hours(8)), [this, &refund] { settle_refund(refund); });
  return result_of(refund);
}

RefundEvidence Upstream::query_refund(const std::string& channel, const std::string& out_refund_no) {
  const auto at = refunds_.find({channel, out_refund_no});
  const bool is_found = at != refunds_.end() && !(at->second.state == UpstreamRefundState::refused &&
                                                  profile_of(channel).hides_refused_refunds);
  if (!is_found || scheduler_.happens(Fault::refund_contradicted)) return {.kind = RefundEvidenceKind::not_found};
  return result_of(at->second);
}

bool Upstream::has_reported(const std::string& channel, const std::string& out_trade_no, EvidenceKind kind) const {
  const auto at = reported_.find({channel, out_trade_no});
  return at != reported_.end() && at->second.contains(kind);
}

bool Upstream::has_reported(const std::string& channel, const std::string& out_refund_no,
                            RefundEvidenceKind kind) const {
  const auto at = reported_refunds_.find({channel, out_refund_no});
  return at != reported_refunds_.end() && at->second.contains(kind);
}

const Trade* Upstream::find_trade(const std::string& channel, const std::string& trade_no,
                                  std::string_view out_trade_no) const {
  const auto at = by_trade_no_.find({channel, trade_no});
  if (at == by_trade_no_.end()) return nullptr;
  if (out_trade_no.empty()) return at->second.front();
  const auto found = std::ranges::find(at->second, out_trade_no, &Trade::out_trade_no);
  return found == at->second.end() ? nullptr : *found;
}

void Upstream::record_cash_refund(const Trade& trade, MinorUnits amount) {
  const auto& same = by_trade_no_.at({trade.channel, trade.trade_no});
  (*std::ranges::find(same, &trade))->cash_refunds += amount;
}

}  // namespace finality::sim
