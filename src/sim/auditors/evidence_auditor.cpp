#include "sim/auditors/evidence_auditor.h"

#include "model/out_trade_no.h"
#include "sim/auditors/captured.h"
#include "sim/auditors/collected.h"

namespace finality::sim {
namespace {

using States = std::initializer_list<std::string_view>;

// Valid states of a payment, authorization or capture for which the channel has no record.
constexpr States kNotThere = {"created",  "pending",   "under_review", "authorized", "releasing", "captured",
                              "released", "succeeded", "failed",       "closed",     "blocked",   "settled_offline"};
// States of an authorization that the channel has held, or that has ended.
constexpr States kHeldOrEnded = {"authorized", "releasing", "captured", "released", "failed", "closed"};

// Returns the order that a report about a trade names.
const OrderAggregate* order_of(const OrderAuditor& orders, const RecordEvidence& command) {
  return orders.order_of(command.payment_id);
}
const OrderAggregate* order_of(const OrderAuditor& orders, const RecordCapture& command) {
  const auto at = orders.orders().find(command.order_id);
  return at == orders.orders().end() ? nullptr : &at->second;
}

bool is_denial(AuthorizationEvidenceKind kind) {
  using enum AuthorizationEvidenceKind;
  return kind == failed || kind == closed || kind == not_found;
}

}  // namespace

void EvidenceAuditor::recorded(const Command& command, Time from, Time to) {
  if (const auto* evidence = std::get_if<RecordEvidence>(&command)) check(*evidence, from, to);
  if (const auto* evidence = std::get_if<RecordAuthorization>(&command)) check(*evidence, from, to);
  if (const auto* evidence = std::get_if<RecordCapture>(&command)) check(*evidence, from, to);
  if (const auto* refund = std::get_if<RecordRefund>(&command)) check(*refund, from, to);
  if (const auto* notice = std::get_if<RecordRefundNotice>(&command)) check(*notice, from, to);
}

void EvidenceAuditor::refused(const Command& command, const Refusal& refusal) {
  const auto require_legal = [&](std::string_view object) {
    findings_.require(refusal.code != RefusalCode::illegal_transition, "1 steps",
                      "the channel's result of {} was rejected: {}", object, refusal.detail);
  };
  if (const auto* evidence = std::get_if<RecordEvidence>(&command)) require_legal(evidence->out_trade_no);
  if (const auto* evidence = std::get_if<RecordAuthorization>(&command)) require_legal(evidence->out_trade_no);
  if (const auto* evidence = std::get_if<RecordCapture>(&command)) require_legal(evidence->out_trade_no);
  if (const auto* wallet = std::get_if<SettleWalletHold>(&command)) require_legal(to_text(wallet->row));
  if (const auto* refund = std::get_if<RecordRefund>(&command)) require_legal(to_text(refund->row));
  if (const auto* notice = std::get_if<RecordRefundNotice>(&command)) require_legal(notice->out_refund_no);
}

// Returns true if the object was in one of the states one millisecond before `from`. Transitions at `from` are
// excluded, because the order of events with equal timestamps is unknown.
bool EvidenceAuditor::was_in_before(std::int64_t object, std::initializer_list<std::string_view> states,
                                    Time from) const {
  const Time before = from - Duration{1};
  return states_.was_in(object, states, before, before);
}

void EvidenceAuditor::require_case(const OrderAggregate& order, ObjectRef object, std::string_view reported) {
  const bool is_explained = std::ranges::any_of(order.cases, [&](const Case& row) {
    return row.kind == CaseKind::conflicting_result && row.object_id == object.value;
  });
  findings_.require(is_explained, "3 conflicting results",
                    "{} has ended, the channel reports {}, and no case was opened", to_text(object), reported);
}

void EvidenceAuditor::check(const RecordEvidence& command, Time from, Time to) {
  const OrderAggregate* order = orders_.order_of(command.payment_id);
  const Payment* payment = order != nullptr ? find_row(order->payments, command.payment_id) : nullptr;
  if (payment == nullptr) return;
  const Evidence& evidence = command.evidence;
  const std::int64_t id = payment->id.value;
  const bool early = payment->send_deadline && evidence.asked_at <= *payment->send_deadline;
  const auto became = [&](States states) {
    findings_.require(states_.was_in(id, states, from, to), "10 unknown results",
                      "the channel reports for {} {}, without effect", to_text(payment->id), name_of(evidence.kind));
  };
  if (evidence.kind == EvidenceKind::unknown)
    became({"processing", "under_review", "succeeded", "failed", "closed"});
  else if (evidence.kind == EvidenceKind::waiting)
    became({"pending", "under_review", "succeeded", "failed", "closed"});
  else if (evidence.kind != EvidenceKind::not_found)
    became({"under_review", "succeeded", "failed", "closed"});
  else if (!early && !is_sent_no_more(*order, *payment, from, to))
    became(kNotThere);
  if (evidence.kind == EvidenceKind::paid) {
    require_settlement(*order, evidence.settlement);
    require_total(*order, command.channel, evidence);
  }
  const bool stale = payment->final_evidence_at && evidence.asked_at < *payment->final_evidence_at;
  const auto channel = policy_.channels.find(payment->channel);
  const bool made_by_payer = channel != policy_.channels.end() && channel->second.is_made_by_payer(payment->method);
  const bool denies = evidence.kind == EvidenceKind::failed || evidence.kind == EvidenceKind::closed ||
                      (evidence.kind == EvidenceKind::not_found && !made_by_payer);
  if (denies && !stale && was_in_before(id, {"succeeded", "under_review"}, from))
    require_case(*order, payment->id, name_of(evidence.kind));
}

void EvidenceAuditor::check(const RecordAuthorization& command, Time from, Time to) {
  using enum AuthorizationEvidenceKind;
  const auto at = orders_.orders().find(command.order_id);
  if (at == orders_.orders().end()) return;
  const OrderAggregate& order = at->second;
  const auto row = std::ranges::find(order.authorizations, command.out_trade_no, &Authorization::out_trade_no);
  if (row == order.authorizations.end()) return;
  const AuthorizationEvidence& evidence = command.evidence;
  const std::int64_t id = row->id.value;
  const auto became = [&](States states) {
    findings_.require(states_.was_in(id, states, from, to), "10 unknown results",
                      "the channel reports for {} {} (held {}, captured {}, released {}), without effect",
                      to_text(row->id), name_of(evidence.kind), evidence.authorized, evidence.captured,
                      evidence.released);
  };
  const bool has_open_capture = std::ranges::any_of(order.captures, [&](const Capture& capture) {
    return capture.authorization_id == row->id && states_.was_in(capture.id.value, {"pending", "processing"}, from, to);
  });
  const bool early = row->send_deadline && evidence.asked_at <= *row->send_deadline;
  const bool is_over = evidence.kind == released || evidence.kind == expired;
  const bool is_in_wrong_currency = evidence.authorized > 0 && evidence.currency != row->currency;
  if (evidence.kind == unknown)
    became({"processing", "authorized", "releasing", "captured", "released", "failed", "closed"});
  else if (evidence.kind == waiting)
    became({"pending", "authorized", "releasing", "captured", "released", "failed", "closed"});
  else if (is_in_wrong_currency || (is_over && !has_open_capture && !row->is_total_waiting))
    became({"captured", "released", "failed", "closed"});
  else if (evidence.kind == authorized || is_over || evidence.kind == failed || evidence.kind == closed)
    became(kHeldOrEnded);
  else if (evidence.kind == not_found && !early && !is_sent_no_more(order, *row, from, to))
    became(kNotThere);
  if (is_in_wrong_currency)
    findings_.require(has_case(order, CaseKind::amount_mismatch, row->id), "3 conflicting results",
                      "the channel holds another currency for {}, and no case was opened", to_text(row->id));
  const bool stale = row->final_evidence_at && evidence.asked_at < *row->final_evidence_at;
  const auto channel = policy_.channels.find(row->channel);
  const bool made_by_payer = channel != policy_.channels.end() && channel->second.is_made_by_payer(row->method);
  const bool denies = is_denial(evidence.kind) && (evidence.kind != not_found || !made_by_payer);
  if (denies && !stale && was_in_before(id, {"authorized", "captured"}, from))
    require_case(order, row->id, name_of(evidence.kind));
}

void EvidenceAuditor::check(const RecordCapture& command, Time from, Time to) {
  const OrderAggregate* order = order_of(orders_, command);
  if (order == nullptr) return;
  const auto row = std::ranges::find(order->captures, command.out_trade_no, &Capture::out_trade_no);
  if (row == order->captures.end()) return;
  const Evidence& evidence = command.evidence;
  const std::int64_t id = row->id.value;
  const auto became = [&](States states) {
    findings_.require(states_.was_in(id, states, from, to), "10 unknown results",
                      "the channel reports for {} {}, without effect", to_text(row->id), name_of(evidence.kind));
  };
  const bool early = row->send_deadline && evidence.asked_at <= *row->send_deadline;
  // The refusal of a repeated request is confirmed by a query. Other evidence may have reset the number of sends.
  const bool is_repeated = evidence.source == CauseKind::channel_reply && row->sends != 1;
  const bool is_unconfirmed =
      is_repeated && (evidence.kind == EvidenceKind::failed || evidence.kind == EvidenceKind::closed);
  if (evidence.kind == EvidenceKind::unknown && evidence.is_not_now)
    became({"pending", "succeeded", "failed"});
  else if (evidence.kind == EvidenceKind::unknown || evidence.kind == EvidenceKind::waiting || is_unconfirmed)
    became({"processing", "succeeded", "failed"});
  else if (evidence.kind != EvidenceKind::not_found)
    became({"succeeded", "failed"});
  else if (!early && !is_sent_no_more(*order, *row, from, to))
    became({"pending", "succeeded", "failed"});
  if (evidence.kind == EvidenceKind::paid) {
    require_settlement(*order, evidence.settlement);
    require_total(*order, command.channel, evidence);
  }
  const Authorization* authorization = find_row(order->authorizations, row->authorization_id);
  const bool stale = authorization != nullptr && authorization->capture_ended_at &&
                     evidence.asked_at < *authorization->capture_ended_at;
  const bool denies = evidence.kind == EvidenceKind::failed || evidence.kind == EvidenceKind::closed ||
                      (evidence.kind == EvidenceKind::not_found && !early);
  if (denies && !stale && was_in_before(id, {"succeeded"}, from)) require_case(*order, row->id, name_of(evidence.kind));
}

void EvidenceAuditor::check(const RecordRefund& command, Time from, Time to) {
  const auto at = orders_.orders().find(command.order_id);
  if (at == orders_.orders().end()) return;
  if (const Refund* refund = find_row(at->second.refunds, RefundId{command.row.value}))
    check(command, at->second, *refund, from, to);
  if (const Reversal* reversal = find_row(at->second.reversals, ReversalId{command.row.value}))
    check(command, at->second, *reversal, from, to);
}

void EvidenceAuditor::check(const RecordRefundNotice& command, Time from, Time to) {
  const OrderAggregate* order = std::visit([&](const auto& trade) { return order_of(orders_, trade); }, command.trade);
  const std::string& channel =
      std::visit([](const auto& trade) -> const std::string& { return trade.channel; }, command.trade);
  const auto number = parse_out_refund_no(command.out_refund_no);
  FINALITY_CHECK(order != nullptr && number, "a notification about an unknown refund was recorded");
  const auto check_row = [&](const auto* row) {
    if (row == nullptr) return false;
    check(RecordRefund{row->merchant_id, row->order_id, row->id, command.out_refund_no, channel, row->currency,
                       row->amount, command.evidence},
          *order, *row, from, to);
    return true;
  };
  const bool is_known = check_row(find_row(order->refunds, RefundId{number->object})) ||
                        check_row(find_row(order->reversals, ReversalId{number->object}));
  findings_.require(is_known, "1 steps", "a notification about {} was recorded, which the order does not have",
                    command.out_refund_no);
}

// Checks that the object has an exception case of this kind, because operators must act at the channel. No case is
// needed if the object has ended between `from` and `to`.
template <class Row>
void EvidenceAuditor::require_open_case(const OrderAggregate& order, const Row& row, CaseKind kind, Time from,
                                        Time to) {
  const bool is_explained = std::ranges::any_of(
      order.cases, [&](const Case& record) { return record.kind == kind && record.object_id == row.id.value; });
  findings_.require(
      is_explained || states_.was_in(row.id.value, {"succeeded", "failed", "closed", "settled_offline"}, from, to),
      "16 final or in the exception queue", "{} waits for a person, and no case was opened", to_text(row.id));
}

// Returns true if the payment, authorization or capture was sent the maximum number of times without a record at the
// channel, and has not ended. Checks that such a row has an exception case.
template <class Row>
bool EvidenceAuditor::is_sent_no_more(const OrderAggregate& order, const Row& row, Time from, Time to) {
  if (row.sends < policy_.sends_max || order.order.parked || states_.was_in(row.id.value, kNotThere, from, to))
    return false;
  require_open_case(order, row, CaseKind::not_accepted, from, to);
  return true;
}

// Checks that the history of an object in progress contains the reported result, even if the result had no effect.
template <class Row>
void EvidenceAuditor::require_note(const OrderAggregate& order, const Row& row, RefundEvidenceKind reported, Time from,
                                   Time to) {
  using enum RefundEvidenceKind;
  if (order.order.parked || states_.was_in(row.id.value, {"succeeded", "failed", "settled_offline"}, from, to)) return;
  // The history has `refused` instead of `try_again` for an external refund, whose number is its only one, and
  // `unknown` instead of `not_found` for a query that the channel may have received before the refund request.
  bool has_one_number = false;
  if constexpr (std::is_same_v<Row, Refund>) has_one_number = row.origin == RefundOrigin::channel;
  const std::string_view otherwise = reported == try_again && has_one_number ? "refused"
                                     : reported == not_found                 ? "unknown"
                                                                             : name_of(reported);
  const bool noted = states_.has_recorded(row.id.value, {name_of(reported), otherwise}, row.out_refund_no);
  findings_.require(noted, "1 steps", "no entry in the history of {} for the result {}", to_text(row.id),
                    name_of(reported));
}

// Checks that a refund is booked although its object had already ended as not refunded: a receipt lists the
// out_refund_no.
template <class Row>
void EvidenceAuditor::require_booked(const OrderAggregate& order, const Row& row, const RecordRefund& command) {
  const bool is_explained = std::ranges::any_of(
      order.receipts, [&](const Receipt& receipt) { return listed(receipt.refund_numbers, command.out_refund_no); });
  findings_.require(is_explained, "3 conflicting results", "{} was paid out after it had ended, but that is not booked",
                    to_text(row.id));
}

// Checks that a reported return is booked. The return of a reversal, or of more than the refunded amount, requires an
// exception case instead.
template <class Row>
void EvidenceAuditor::require_return(const OrderAggregate& order, const Row& row, const ReportedReturn& reported) {
  MinorUnits booked = 0;  // several rows if the return covers several external refunds
  for (const Return& booked_return : order.returns)
    if (booked_return.channel_no == reported.number) booked += booked_return.amount;
  const bool is_explained = std::ranges::count(order.cases, CaseKind::conflicting_result, &Case::kind) > 0;
  findings_.require(booked == reported.amount || is_explained, "3 conflicting results",
                    "{} of {} was returned, but that is not booked", reported.amount, to_text(row.id));
}

// Checks that a reported settlement is booked with its amounts, or explained by an exception case.
void EvidenceAuditor::require_settlement(const OrderAggregate& order,
                                         const std::optional<ReportedSettlement>& reported) {
  if (!reported) return;
  const bool is_booked = std::ranges::any_of(order.channel_settlements, [&](const ChannelSettlement& row) {
    return row.transaction_no == reported->transaction_no && row.settled_amount == reported->amount &&
           row.settled_currency == reported->currency && row.fee == reported->fee;
  });
  const bool is_explained = std::ranges::count(order.cases, CaseKind::report_mismatch, &Case::kind) > 0;
  findings_.require(is_booked || is_explained, "3 conflicting results", "{}: the settlement {} over {} is not booked",
                    to_text(order.order.id), reported->transaction_no, reported->amount);
}

// Checks that a reported refunded total is booked, or kept until it can be booked: while a refund of the trade has no
// result, the total may contain it or not.
void EvidenceAuditor::require_total(const OrderAggregate& order, const std::string& channel, const Evidence& evidence) {
  const auto receipt = std::ranges::find_if(order.receipts, [&](const Receipt& row) {
    return row.channel == channel && row.currency == evidence.currency &&
           trade_number(order, row) == evidence.channel_trade_no;
  });
  if (evidence.refunded == 0 || receipt == order.receipts.end()) return;
  MinorUnits booked = 0;
  for (const Refund& refund : order.refunds) {
    const Receipt* of = refunded_receipt(order, refund);
    const bool is_of_trade = of != nullptr && is_one_trade(order, *of, *receipt);
    const bool is_booked = refund.origin == RefundOrigin::channel ? refund.state != RefundState::failed
                                                                  : refund.state == RefundState::succeeded;
    if (is_of_trade && is_booked) booked += refund.amount;
  }
  bool is_kept = false;
  for (const Receipt& one : order.receipts) {
    if (!is_one_trade(order, one, *receipt)) continue;
    is_kept = is_kept || one.is_total_queried || one.reported_refunded >= evidence.refunded;
    for (const Reversal& reversal : order.reversals)
      if (reversal.receipt_id == one.id && reversal.state == ReversalState::succeeded) booked += reversal.amount;
  }
  findings_.require(booked >= evidence.refunded || is_kept, "3 refunded totals",
                    "the channel has refunded {} of {}, {} are booked, and the total is not kept", evidence.refunded,
                    to_text(receipt->id), booked);
}

template <class Row>
void EvidenceAuditor::check(const RecordRefund& command, const OrderAggregate& order, const Row& row, Time from,
                            Time to) {
  using enum RefundEvidenceKind;
  const RefundEvidenceKind reported = command.evidence.kind;
  const auto became = [&](States states) {
    findings_.require(states_.was_in(row.id.value, states, from, to), "10 unknown results",
                      "the channel reports for {} {}, without effect", to_text(row.id), name_of(reported));
  };
  if (reported == refunded) {
    became({"succeeded", "failed", "settled_offline"});
    if (command.evidence.returned) require_return(order, row, *command.evidence.returned);
    require_settlement(order, command.evidence.settlement);
    if (!was_in_before(row.id.value, {"failed", "settled_offline"}, from)) return;
    require_booked(order, row, command);
    // The payout of a replaced attempt can be recorded for the external refund that follows the attempt.
    const auto has_recorded = [&](std::int64_t id) {
      return states_.has_recorded(id, {name_of(reported)}, command.out_refund_no);
    };
    const bool noted =
        has_recorded(row.id.value) || std::ranges::any_of(order.refunds, [&](const Refund& refund) {
          return refund.send_deadline && refund.out_refund_no == command.out_refund_no && has_recorded(refund.id.value);
        });
    // The payout of a refund can be booked for an external refund of a running total. Its return, its settlement and
    // its line in a statement are then not recorded for this row; the functions above check them.
    const bool is_checked = std::is_same_v<Row, Refund> && (command.evidence.returned || command.evidence.settlement ||
                                                            command.evidence.source == CauseKind::statement);
    findings_.require(noted || order.order.parked || is_checked, "1 steps",
                      "no entry in the history of {} for the result {}", to_text(row.id), name_of(reported));
    return;
  }
  if (row.out_refund_no != command.out_refund_no) return;  // result of an earlier refund attempt
  require_note(order, row, reported, from, to);
  const bool was_done = was_in_before(row.id.value, {"succeeded"}, from);
  const bool early = row.send_deadline && command.evidence.asked_at <= *row.send_deadline;
  if (was_done && (reported == refused || (reported == not_found && !early)))
    return require_case(order, row.id, name_of(reported));
  // After more sends than the maximum, a refund without a record at the channel requires an exception case.
  if (reported == not_found && row.sends > policy_.sends_max && !order.order.parked)
    require_open_case(order, row, CaseKind::not_accepted, from, to);
  if (command.evidence.is_stranded) require_open_case(order, row, CaseKind::result_overdue, from, to);
  if (reported == accepted || reported == unknown)
    became({"processing", "succeeded", "failed", "blocked", "settled_offline"});
  else if (reported == refused)
    became({"succeeded", "failed", "blocked", "settled_offline"});
  else if (reported == try_again || reported == not_now || (reported == not_found && !early))
    became({"pending", "succeeded", "failed", "blocked", "settled_offline"});
}

}  // namespace finality::sim
