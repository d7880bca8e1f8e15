#include "decide/channel/channel_operation.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "decide/exception/open_case.h"
#include "decide/payment/collector.h"
#include "decide/payment/trade.h"
#include "decide/refund/external_refund.h"
#include "model/natural_key.h"
#include "model/out_trade_no.h"
#include "model/payer_link.h"

namespace finality {
namespace {

// ---- Overloads per row type

// Builds the request for a payment. Its return URL is the server's return page: that page queries the channel and then
// redirects the payer to the order's return_url.
ChannelCall call_of(const Context& context, const OrderAggregate& aggregate, const Payment& payment,
                    ChannelCallKind kind, Time deadline) {
  const Order& order = aggregate.order;
  ChannelCall call{kind, order, payment, deadline, {}};
  const Merchant* merchant = context.rows.merchants.find(order.merchant_id);
  if (kind == ChannelCallKind::send_payment && order.return_url && merchant != nullptr)
    call.return_url = return_url(context.policy.public_url, *merchant, payment.id);
  return call;
}

// As for a payment.
AuthorizationCall call_of(const Context& context, const OrderAggregate& aggregate, const Authorization& authorization,
                          AuthorizationCallKind kind, Time deadline) {
  const Order& order = aggregate.order;
  AuthorizationCall call{kind, order, authorization, deadline, {}};
  const Merchant* merchant = context.rows.merchants.find(order.merchant_id);
  if (kind == AuthorizationCallKind::send_authorization && order.return_url && merchant != nullptr)
    call.return_url = return_url(context.policy.public_url, *merchant, authorization.id);
  return call;
}

CaptureCall call_of(const Context&, const OrderAggregate& aggregate, const Capture& capture, CaptureCallKind kind,
                    Time deadline) {
  const Authorization* authorization = find_row(aggregate.authorizations, capture.authorization_id);
  FINALITY_CHECK(authorization != nullptr, "a capture has an authorization");
  return {kind, aggregate.order, *authorization, capture, deadline};
}

// Whether the request asks the channel to do something once, so that it has a send deadline.
constexpr bool is_send(ChannelCallKind kind) { return kind == ChannelCallKind::send_payment; }
constexpr bool is_send(RefundCallKind kind) { return kind == RefundCallKind::send_refund; }
constexpr bool is_send(CaptureCallKind kind) { return kind == CaptureCallKind::send_capture; }
constexpr bool is_send(AuthorizationCallKind kind) {
  return kind == AuthorizationCallKind::send_authorization || kind == AuthorizationCallKind::release_authorization;
}

std::string reason_of(const Refund& refund) { return refund.reason.value_or(""); }
std::string reason_of(const Reversal&) { return {}; }

// The amount of the refund as the channel has recorded it.
MinorUnits amount_of(const Refund& refund) { return is_external(refund) ? refund.reported_amount : refund.amount; }
MinorUnits amount_of(const Reversal& reversal) { return reversal.amount; }

/// A row that is sent in attempts with different out_refund_no: a refund or a reversal.
template <class Row>
concept RefundRow = requires(Row row) { row.out_refund_no; };

template <RefundRow Row>
RefundCall call_of(const Context&, const OrderAggregate& aggregate, const Row& row, RefundCallKind kind,
                   Time deadline) {
  const Receipt* receipt = receipt_of(aggregate, row);
  FINALITY_CHECK(receipt != nullptr, "a refund or reversal has a receipt");
  RefundCall call;
  call.kind = kind;
  call.row = row.id;
  call.merchant_id = row.merchant_id;
  call.order_id = row.order_id;
  call.channel = receipt->channel;
  call.channel_account_id = row.channel_account_id;
  call.channel_trade_no = trade_no_of(aggregate, *receipt);
  call.out_refund_no = row.out_refund_no;
  call.amount = amount_of(row);
  call.trade_amount = collected_of_trade(aggregate, *receipt);
  call.currency = row.currency;
  call.scenario = collector_of(aggregate, row).scenario;
  call.reason = reason_of(row);
  call.deadline = deadline;
  return call;
}

/// A row that stores since when its result is outstanding: a payment or an authorization.
template <class Row>
concept AttemptRow = requires(Row row) { row.outstanding_since; };

// Prepares the row for a send. A payment, authorization or capture keeps its out_trade_no. A refund or reversal whose
// out_refund_no is empty, because a refusal invalidated the last one, gets a new out_refund_no.
template <AttemptRow Row>
void begin_attempt(const Context& context, Row& row) {
  if (!row.outstanding_since) row.outstanding_since = context.now;  // a resend does not change it
}
// The refusal of an earlier request does not count for the new one.
void begin_attempt(const Context&, Capture& capture) {
  capture.failure_code.reset();
  capture.failure_message.reset();
}
template <RefundRow Row>
void begin_attempt(const Context&, Row& row) {
  if (!row.out_refund_no.empty()) return;
  row.attempts += 1;
  row.sends = 0;
  row.out_refund_no = out_refund_number(row.merchant_id, row.id.value, row.attempts);
}

template <AttemptRow Row>
Time outstanding_since(const Row& row) {
  return row.outstanding_since.value_or(row.created_at);
}
template <class Row>
Time outstanding_since(const Row& row) {
  return row.created_at;
}

// Whether the row's result is outstanding at the channel.
template <AttemptRow Row>
bool is_outstanding(const Row& row) {
  return row.outstanding_since.has_value();
}
bool is_outstanding(const Capture& capture) { return !capture_machine.is_final(capture.state); }
template <RefundRow Row>
bool is_outstanding(const Row& row) {
  return !machine_of(row.state).is_final(row.state) && (row.attempts > 0 || !row.out_refund_no.empty());
}

// Whether the result of a row with another id is outstanding.
template <class Row>
bool is_another_outstanding(const std::vector<Row>& rows, ObjectRef than) {
  return std::ranges::any_of(rows, [&](const Row& other) {
    const auto due = machine_of(other.state).due_effect(other.state);
    return ObjectRef(other.id) != than && due == decltype(due)::query;
  });
}

// Returns the time until which the payment or authorization is not sent, because the result of another one of the order
// is outstanding or under review and both could be paid. Empty when it can be sent.
template <AttemptRow Row>
std::optional<Time> wait_until(const Context& context, const OrderAggregate& aggregate, const Row& row) {
  if (!is_another_outstanding(aggregate.payments, row.id) &&
      !is_another_outstanding(aggregate.authorizations, row.id) &&
      std::ranges::none_of(aggregate.payments, is_under_review))
    return std::nullopt;
  return context.now + context.policy.query_pause(context.now - row.created_at);
}

// A capture waits for no other row: an authorization has at most one open capture.
std::optional<Time> wait_until(const Context&, const OrderAggregate&, const Capture&) { return std::nullopt; }

std::optional<Time> sent_at(const Context& context, const auto& row) {
  return row.send_deadline ? std::optional(*row.send_deadline - context.policy.channel_timeout) : std::nullopt;
}

// Returns the end of the channel's minimum pause between two refunds of one trade; empty when it has passed.
template <RefundRow Row>
std::optional<Time> wait_until(const Context& context, const OrderAggregate& aggregate, const Row& row) {
  const Receipt* receipt = receipt_of(aggregate, row);
  const auto channel = context.policy.channels.find(receipt == nullptr ? std::string_view() : receipt->channel);
  if (channel == context.policy.channels.end()) return std::nullopt;
  const Duration pause = context.policy.scaled(channel->second.refund_pause);
  Time earliest = context.now;
  const auto look_at = [&](const auto& other) {
    const Receipt* of = receipt_of(aggregate, other);
    const bool is_of_trade = of != nullptr && is_same_trade(aggregate, *of, *receipt);
    const auto sent = is_of_trade ? sent_at(context, other) : std::nullopt;
    if (sent && pause > Duration{0}) earliest = std::max(earliest, *sent + pause);
  };
  std::ranges::for_each(aggregate.refunds, look_at);
  std::ranges::for_each(aggregate.reversals, look_at);
  return earliest > context.now ? std::optional(earliest) : std::nullopt;
}

// The pause before the row is sent again after the channel reported that it has no such trade or refund.
template <class Row>
Duration resend_pause(const Context& context, const Row&, Duration age) {
  return context.policy.resend_pause(age);
}
template <RefundRow Row>
Duration resend_pause(const Context& context, const Row& row, Duration age) {
  const Policy& policy = context.policy;
  return sends_used_up(context, row) ? policy.scaled(policy.resend_pause_exhausted) : policy.resend_pause(age);
}

// Whether the row is a reversal in state `blocked`: the channel refused it permanently. Policy::reversal_blocked_pause
// is the interval of its retries.
template <class Row>
bool is_blocked(const Row&) {
  return false;
}
bool is_blocked(const Reversal& reversal) { return reversal.state == ReversalState::blocked; }

// Whether the event is a temporary refusal by the channel: `not_now`, after which the number of the request stays
// valid, or `try_again`, which proves that it does not. Payments and authorizations have no such event.
template <class Event>
constexpr bool is_temporary_refusal(Event event) {
  bool is_one = false;
  if constexpr (requires { Event::not_now; }) is_one = event == Event::not_now;
  if constexpr (requires { Event::try_again; }) is_one = is_one || event == Event::try_again;
  return is_one;
}

// Whether the channel has ended the last attempt, and no further one has begun, although the result is not overdue.
template <class Row>
bool is_between_attempts(const Context&, const Row&) {
  return false;
}
template <RefundRow Row>
bool is_between_attempts(const Context& context, const Row& row) {
  const Time day_ago = context.now - context.policy.result_overdue_after;
  return row.out_refund_no.empty() && (is_blocked(row) || outstanding_since(row) >= day_ago);
}

// ---- Functions for all row types

// Empty when the row needs no case of that kind. Otherwise, a resolved case created at or after the returned time still
// covers the problem; an older resolved case does not.
template <class Row>
std::optional<Time> overdue_since(const Context& context, const Row& row, CaseKind kind, Overdue overdue) {
  const Time sent = sent_at(context, row).value_or(row.created_at);
  const Time day_ago = context.now - context.policy.result_overdue_after;  // a new case after each further period
  // A "not found" reported before the send deadline is ignored, because the request may still arrive at the channel.
  const bool is_absent = overdue.absent_at && (!row.send_deadline || *overdue.absent_at > *row.send_deadline);
  if (kind == CaseKind::not_accepted)
    return is_absent && sends_used_up(context, row) ? std::optional(std::max(sent, day_ago)) : std::nullopt;
  if (overdue.is_stranded) return sent;
  return outstanding_since(row) < day_ago ? std::optional(day_ago) : std::nullopt;
}

// Whether the case `existing` makes a new case of that kind unnecessary. An open case `reversal_blocked` or
// `release_blocked` also covers `result_overdue`, unless the channel needs an operator to complete the refund
// (Overdue::is_stranded).
template <class Row>
bool covers(const Case& existing, const Row& row, CaseKind kind, Time since, Overdue overdue) {
  if (object_of(existing) != ObjectRef(row.id)) return false;
  const bool is_open = !case_machine.is_final(existing.state);
  if (existing.kind == CaseKind::reversal_blocked || existing.kind == CaseKind::release_blocked)
    return is_open && kind == CaseKind::result_overdue && !overdue.is_stranded;
  return existing.kind == kind && (is_open || existing.created_at >= since);
}

std::int64_t digest(MerchantId merchant, std::string_view kind, std::initializer_list<std::string_view> parts) {
  const Hash16 hash = hash_of_parts(merchant, kind, parts);
  std::int64_t digest;
  std::memcpy(&digest, hash.data(), sizeof digest);
  return digest;
}

}  // namespace

template <ChannelOperationRow Row>
void call_channel(Context& context, const OrderAggregate& aggregate, Row& row,
                  typename ChannelOperation<Row>::CallKind kind) {
  const Time deadline = context.now + context.policy.channel_timeout;
  // A final row has no due_at. A query requested over the API does not set one.
  if (row.due_at) row.due_at = deadline + limits::kEffectMargin;
  if (is_send(kind)) {
    row.send_deadline = deadline;  // the request may arrive until then: an earlier "not found" is ignored
    row.sends += 1;
  }
  context.effects.emplace_back(call_of(context, aggregate, row, kind, deadline));
}

template <ChannelOperationRow Row>
void claim_send(OrderWriter& writer, Row& row) {
  Context& context = writer.context();
  row.due_at = wait_until(context, writer.aggregate(), row);
  if (row.due_at) return;
  begin_attempt(context, row);
  writer.step(row, MachineOf<Row>::Event::send);
  row.due_at = context.now;
  call_channel(context, writer.aggregate(), row, ChannelOperation<Row>::send);
}

template <ChannelOperationRow Row>
std::optional<Time> next_look(const Context& context, const Row& row, typename MachineOf<Row>::Event event) {
  if (machine_of(row.state).due_effect(row.state) == MachineOf<Row>::Effect::none) return std::nullopt;
  const Policy& policy = context.policy;
  const Duration age = context.now - outstanding_since(row);
  if (is_blocked(row)) return context.now + policy.scaled(policy.reversal_blocked_pause);
  if (!is_to_be_sent(row)) return context.now + policy.query_pause(age);
  return context.now + (is_temporary_refusal(event) ? policy.not_now_pause(age) : resend_pause(context, row, age));
}

template <ChannelOperationRow Row>
bool sends_used_up(const Context& context, const Row& row) {
  return row.sends >= context.policy.sends_max;
}

template <ChannelOperationRow Row>
std::optional<CaseKind> case_due(const Context& context, const OrderAggregate& aggregate, const Row& row,
                                 Overdue overdue) {
  if (!is_outstanding(row)) return std::nullopt;
  for (const CaseKind kind : {CaseKind::not_accepted, CaseKind::result_overdue}) {
    const auto since = overdue_since(context, row, kind, overdue);
    if (since && std::ranges::none_of(aggregate.cases, [&](const Case& existing) {
          return covers(existing, row, kind, *since, overdue);
        }))
      return kind;
  }
  return std::nullopt;
}

template <ChannelOperationRow Row>
void settle_overdue(OrderWriter& writer, const Row& row) {
  const bool is_over = !is_outstanding(row);
  if (is_over || row.sends == 0) settle_case(writer, CaseKind::not_accepted, row.id);
  if (is_over || is_between_attempts(writer.context(), row)) settle_case(writer, CaseKind::result_overdue, row.id);
}

// Returns the parts of a reported settlement that distinguish it from others. Empty if none is reported, so that the
// digest of evidence without a settlement equals that of earlier releases.
std::string text_of(const std::optional<ReportedSettlement>& settlement) {
  if (!settlement) return {};
  return fmt::format(" {} {} {} {}", settlement->transaction_no, settlement->amount, settlement->currency.text(),
                     settlement->fee);
}

// Includes the currency only when the amount is not 0, because evidence without an amount may omit the currency.
std::int64_t digest_of(const Evidence& evidence, MerchantId merchant, std::string_view event) {
  const ReportedRefund refund = evidence.refund.value_or(ReportedRefund{});
  const ReportedReturn returned = refund.returned.value_or(ReportedReturn{});
  return digest(
      merchant, "payment",
      {name_of(evidence.kind), event, evidence.channel_trade_no.value_or(""), std::to_string(evidence.amount),
       evidence.amount != 0 ? evidence.currency.text() : std::string_view{},
       evidence.is_refund_unknown ? "unknown" : std::to_string(evidence.refunded), evidence.code, refund.number,
       std::to_string(refund.amount), evidence.refund ? name_of(refund.kind) : std::string_view{}, returned.number,
       std::to_string(returned.amount) + text_of(evidence.settlement) + text_of(refund.settlement)});
}

// Includes the out_refund_no, so that equal evidence about another attempt has another digest.
std::int64_t digest_of(const RefundEvidence& evidence, MerchantId merchant, std::string_view event,
                       std::string_view out_refund_no) {
  const ReportedReturn returned = evidence.returned.value_or(ReportedReturn{});
  return digest(merchant, "refund",
                {name_of(evidence.kind), evidence.code, evidence.is_stranded ? "stranded" : "", out_refund_no, event,
                 returned.number, std::to_string(returned.amount) + text_of(evidence.settlement)});
}

// Includes the currency only with an amount, as for payments.
std::int64_t digest_of(const AuthorizationEvidence& evidence, MerchantId merchant, std::string_view event,
                       std::int64_t release) {
  const bool has_amount = evidence.authorized != 0 || evidence.captured != 0 || evidence.released != 0;
  std::string captures;
  for (const ReportedCapture& one : evidence.captures)
    captures += fmt::format("{} {} {} {} ", one.out_trade_no, one.channel_trade_no, one.amount, one.currency.text());
  return digest(merchant, "authorization",
                {name_of(evidence.kind), event, evidence.channel_trade_no.value_or(""),
                 fmt::format("{} {} {}", evidence.authorized, evidence.captured, evidence.released),
                 has_amount ? evidence.currency.text() : std::string_view{},
                 evidence.capture_before ? std::to_string(evidence.capture_before->ms) : std::string{},
                 evidence.is_unfunded ? "unfunded" : "", captures, evidence.code, std::to_string(release)});
}

#define FINALITY_CHANNEL_OPERATION(Row)                                                                  \
  template void call_channel(Context&, const OrderAggregate&, Row&, ChannelOperation<Row>::CallKind);    \
  template void claim_send(OrderWriter&, Row&);                                                          \
  template std::optional<Time> next_look(const Context&, const Row&, MachineOf<Row>::Event);             \
  template bool sends_used_up(const Context&, const Row&);                                               \
  template std::optional<CaseKind> case_due(const Context&, const OrderAggregate&, const Row&, Overdue); \
  template void settle_overdue(OrderWriter&, const Row&)
FINALITY_CHANNEL_OPERATION(Payment);
FINALITY_CHANNEL_OPERATION(Authorization);
FINALITY_CHANNEL_OPERATION(Capture);
FINALITY_CHANNEL_OPERATION(Refund);
FINALITY_CHANNEL_OPERATION(Reversal);

}  // namespace finality
