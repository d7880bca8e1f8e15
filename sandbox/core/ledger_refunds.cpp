// Refunds of the ledger: requested by the merchant or made by the channel, and their returns.
#include <utility>

#include "sandbox/core/china_time.h"
#include "sandbox/core/ledger.h"
#include "sandbox/core/ledger_rows.h"
#include "sandbox/core/scenario.h"

namespace finality::sandbox {
namespace {

constexpr Duration kRefundSequelAfter{300};                // delay from a refund to its follow-up event
constexpr Duration kLateFailure = std::chrono::hours(12);  // from midnight to the failure of the day before's refund

bool same_content(const Refund& first, const Refund& second) {
  return first.trade_no == second.trade_no && first.amount == second.amount && first.currency == second.currency;
}

}  // namespace

std::expected<Refund, RefundRefusal> Ledger::refund(Refund request, std::string_view number_prefix) {
  const bool is_instant = request.settles_after == Duration{0};
  std::optional<Trade> trade = find_refundable(request.channel, request.trade_no);
  if (trade) request.trade_no = trade->trade_no;
  const std::optional<Refund> existing = find_refund(request.channel, request.out_refund_no);
  if (existing && !same_content(*existing, request)) return std::unexpected(RefundRefusal::context_inconsistent);
  const bool is_refused = existing && is_instant && existing->state == "closed";  // is requested again
  if (is_refused && !request.keeps_number) return std::unexpected(RefundRefusal::refund_refused_for_now);
  if (existing && !is_refused) return *existing;
  if (!trade) return std::unexpected(RefundRefusal::trade_not_exist);
  if (trade->state != TradeState::paid) return std::unexpected(RefundRefusal::trade_not_paid);
  if (trade->currency != request.currency) return std::unexpected(RefundRefusal::context_inconsistent);
  if (request.amount > refundable(*trade)) return std::unexpected(RefundRefusal::refund_exceeds_paid);
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
    const bool is_recorded = !request.keeps_number || reaction.abandoned_pays;
    if (is_instant && is_recorded && !existing) insert_refund(request, number_prefix);
    if (is_instant) return std::unexpected(RefundRefusal::refund_refused_for_now);
  }

  plan_outcome(*trade, request);
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
    if (reaction.abandoned_pays) plan(*trade, Act::pay_abandoned, now_ + kRefundSequelAfter);
    if (reaction.returns && request.may_return) plan(*trade, Act::return_refund, now_ + kRefundSequelAfter);
  }
  save(*trade);
  plan_settlement(*trade);
  notify_refund(*trade, request);
  return request;
}

// Returns the trade of the channel whose refunds name this number. Of several captures with the number, it is the
// first.
std::optional<Trade> Ledger::find_refundable(std::string_view channel, std::string_view number) {
  std::optional<Trade> trade = find_trade(number);
  if (!trade) trade = first_trade(trade_by_reported_no_.rows(number));
  return trade && trade->channel == channel ? trade : std::nullopt;
}

MinorUnits Ledger::refundable(const Trade& trade) {
  if (trade.reported_no.empty()) return trade.refundable();
  MinorUnits sum = 0;
  for (const Trade& capture : captures_of(hold_of(trade.hold_no))) sum += capture.refundable();
  return sum;
}

// Sets how the accepted refund ends, if not by success at settles_after: stranded, or failed on the next day.
void Ledger::plan_outcome(Trade& trade, Refund& request) const {
  const RefundReaction& reaction = scenario_of(trade).refund;
  const bool is_processed = request.settles_after > Duration{0};
  if (reaction.stranded_for > Duration{0} && is_processed) {
    request.stranded_at = now_ + request.settles_after;
    request.settles_after += reaction.stranded_for;
  }
  if (trade.refund_refusals >= reaction.fails_late) return;
  const Time failure = china_day_of(now_).end + kLateFailure;
  if (is_processed) {
    request.state = "closed";
    request.is_debited = true;
    request.settles_after = failure - now_;
  } else if (request.may_return) {
    plan(trade, Act::return_refund, failure);
  }
  trade.refund_refusals += 1;
}

void Ledger::plan(Trade& trade, Act act, Time at) const {
  trade.act = act;
  trade.act_at = at;
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
  refund->returned_at = now_;
  save(*refund);
  trade.returned += refund->amount;
  save(trade);
  notify(trade, "refund.returned", &*refund);
}

void Ledger::insert_refund(Refund& refund, std::string_view number_prefix) {
  refund.refund_no = numbers_.make(number_prefix, now_);
  refund.created_at = now_;
  refund.settles_at = now_ + refund.settles_after;
  insert_refund_.run(refund.refund_no, refund.channel, refund.out_refund_no, refund.trade_no, refund.amount,
                     refund.currency, refund.state, refund.created_at, refund.details, refund.settles_at,
                     refund.stranded_at, refund.return_no, refund.settlement, refund.returned_at,
                     std::int64_t{refund.is_debited});
}

void Ledger::save(const Refund& refund) {
  update_refund_.run(refund.state, refund.settles_at, refund.return_no, refund.settlement, refund.returned_at,
                     refund.refund_no);
}

std::optional<Refund> Ledger::last_refund(const Trade& trade, std::string_view state) {
  Rows rows = last_refund_.rows(trade.trade_no, state);
  return rows.next() ? std::optional(read_refund(rows)) : std::nullopt;
}

std::optional<Refund> Ledger::find_refund(std::string_view channel, std::string_view out_refund_no) {
  Rows rows = refund_by_out_refund_no_.rows(channel, out_refund_no);
  return rows.next() ? std::optional(read_refund(rows)) : std::nullopt;
}

}  // namespace finality::sandbox
