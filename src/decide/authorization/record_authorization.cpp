#include "decide/authorization/record_authorization.h"

#include <algorithm>

#include "decide/authorization/authorization_times.h"
#include "decide/authorization/book_reported_captures.h"
#include "decide/authorization/classify_authorization.h"
#include "decide/authorization/end_release.h"
#include "decide/authorization/held.h"
#include "decide/authorization/request_end.h"
#include "decide/channel/channel_operation.h"
#include "decide/channel/used_up_payer.h"
#include "decide/exception/open_case.h"
#include "decide/order/park_order.h"
#include "decide/order/settle_order.h"

namespace finality {
namespace {

using Kind = AuthorizationEvidenceKind;

constexpr CaseKind case_of(AuthorizationEvent event) {
  constexpr std::pair<AuthorizationEvent, CaseKind> rows[] = {
      {AuthorizationEvent::authorized_after_failure, CaseKind::paid_after_failure},
      {AuthorizationEvent::authorized_mismatch, CaseKind::amount_mismatch},
      {AuthorizationEvent::release_refused, CaseKind::release_blocked},
  };
  for (const auto& [known_event, kind] : rows)
    if (known_event == event) return kind;
  return CaseKind::conflicting_result;
}

const Authorization* find_authorization(const RecordAuthorization& command, const OrderAggregate* aggregate) {
  if (aggregate == nullptr) return nullptr;
  const auto at = std::ranges::find(aggregate->authorizations, command.out_trade_no, &Authorization::out_trade_no);
  if (at == aggregate->authorizations.end()) return nullptr;
  return at->merchant_id == command.merchant_id && at->channel == command.channel ? &*at : nullptr;
}

// ---- Facts

// Stores the amounts of the hold, which the channel reports as totals. They only grow, because evidence can be older
// than what is known. Only evidence that is newer than the end, and reports that a rest is held, replaces the released
// amount: it contradicts the end, which had added the rest to that amount. What such evidence lacks of the authorized
// amount is not held, so it counts as released. Old evidence about an ended authorization is not stored.
void note_amounts(Authorization& authorization, const AuthorizationEvidence& evidence, AuthorizationEvent event) {
  const bool is_final = authorization_machine.is_final(authorization.state);
  if (is_final && event != AuthorizationEvent::already_known) {
    authorization.authorized_amount = std::max(authorization.authorized_amount, evidence.authorized);
    authorization.released_amount = evidence.released + authorization.authorized_amount - evidence.authorized;
    return;
  }
  if (is_final && evidence.kind == Kind::authorized && !authorization.close_pending) return;
  authorization.authorized_amount = std::max(authorization.authorized_amount, evidence.authorized);
  authorization.released_amount = std::max(authorization.released_amount, evidence.released);
}

void note_hold(const Context& context, const Order& order, Authorization& authorization,
               const AuthorizationEvidence& evidence, AuthorizationEvent event) {
  note_amounts(authorization, evidence, event);
  if (!authorization.authorized_at) authorization.authorized_at = hold_began_at(authorization, evidence, context.now);
  if (!evidence.channel_payer.empty()) authorization.channel_payer = evidence.channel_payer;
  authorization.unfunded = authorization.unfunded || evidence.is_unfunded;
  if (evidence.capture_before) authorization.channel_capture_before = evidence.capture_before;
  if (authorization.state != AuthorizationState::authorized) return;
  const std::optional<Time> deadline = capture_deadline(context.policy, order, authorization);
  if (deadline && (!authorization.capture_before || *deadline < *authorization.capture_before))
    authorization.capture_before = deadline;
}

void note_failure(Authorization& authorization, const AuthorizationEvidence& evidence, AuthorizationEvent event) {
  if (authorization.state != AuthorizationState::failed || authorization.failure_code) return;
  if (event == AuthorizationEvent::failed) {
    authorization.failure_code = evidence.code.empty() ? "failed" : evidence.code;
    authorization.failure_message = evidence.message;
  }
  if (event == AuthorizationEvent::authorized_mismatch) {
    authorization.failure_code = "currency_mismatch";
    authorization.failure_message = "The held currency differs from that of the order.";
  }
}

// Updates since when a result is outstanding. That of a release is outstanding until the release ends.
void note_result(const OrderAggregate& aggregate, Authorization& authorization, AuthorizationEvent event, Time now) {
  if (event == AuthorizationEvent::unknown) {
    if (authorization.state == AuthorizationState::processing && !authorization.outstanding_since)
      authorization.outstanding_since = now;
    return;
  }
  // An authorization that is `created` is sent again.
  if (event != AuthorizationEvent::already_known && authorization.state != AuthorizationState::created &&
      !is_being_released(aggregate, authorization))
    authorization.outstanding_since.reset();
}

void note_facts(OrderWriter& writer, Authorization& authorization, const AuthorizationEvidence& evidence,
                AuthorizationEvent event) {
  const Context& context = writer.context();
  // The number of the hold is that of the first report that it is held: before, a channel can report another one.
  const bool is_first_hold = is_about_hold(evidence) && !authorization.authorized_at;
  if (evidence.channel_trade_no && (!authorization.channel_trade_no || is_first_hold))
    authorization.channel_trade_no = evidence.channel_trade_no;
  if (evidence.action_type != ActionType::none) {
    authorization.action_type = evidence.action_type;
    if (!evidence.action_url.empty()) authorization.action_url = evidence.action_url;
    if (!evidence.action_code.empty()) authorization.action_code = evidence.action_code;
  }
  if (is_about_hold(evidence) && evidence.currency == authorization.currency)
    note_hold(context, writer.order(), authorization, evidence, event);
  note_failure(authorization, evidence, event);
  note_result(writer.aggregate(), authorization, event, context.now);
  if (event == AuthorizationEvent::release_refused || event == AuthorizationEvent::release_again)
    authorization.release_amount = 0;  // the number is dead: the next release has another
  if (authorization_machine.is_final(authorization.state) && !authorization.final_evidence_at)
    authorization.final_evidence_at = context.now;
}

// ---- Ends

// Whether nothing can be held any more, so that no close is needed. Evidence of kind `not_found` is final only after
// the order's expiry and the send deadline, because until then the authorization can still be created.
bool is_final_upstream(const OrderAggregate& aggregate, const Authorization& authorization,
                       const AuthorizationEvidence& evidence) {
  if (evidence.kind == Kind::not_found)
    return evidence.asked_at > aggregate.order.expires_at &&
           (!authorization.send_deadline || evidence.asked_at > *authorization.send_deadline);
  return evidence.kind == Kind::closed || evidence.kind == Kind::failed || evidence.kind == Kind::released ||
         evidence.kind == Kind::expired;
}

// Whether the evidence ends the chase of an authorization in a final state. What is being released must be reported as
// released. Applies to repeated evidence too.
bool ends_chase(const OrderAggregate& aggregate, const Authorization& authorization,
                const AuthorizationEvidence& evidence) {
  if (!authorization_machine.is_final(authorization.state) || !authorization.close_pending) return false;
  if (authorization.is_total_waiting) return false;
  if (is_being_released(aggregate, authorization)) return is_hold_over(evidence);
  return is_hold_over(evidence) || is_final_upstream(aggregate, authorization, evidence);
}

bool is_open_hold(const Authorization& authorization) {
  return authorization.state == AuthorizationState::authorized || authorization.state == AuthorizationState::releasing;
}

// Whether the evidence shows that the hold is over. Applies to repeated evidence too, because the end waits for an open
// capture.
bool ends_hold(const OrderAggregate& aggregate, const Authorization& authorization,
               const AuthorizationEvidence& evidence) {
  if (!is_open_hold(authorization) || !is_about_hold(evidence) || evidence.currency != authorization.currency)
    return false;
  return is_hold_over(evidence) || held_of(aggregate, authorization) == 0;
}

// Returns why a hold has ended that we did not end.
EndReason reason_of(const Policy& policy, const OrderAggregate& aggregate, const Authorization& authorization,
                    const AuthorizationEvidence& evidence) {
  if (authorization.captured_amount > 0 && held_of(aggregate, authorization) == 0 && authorization.released_amount == 0)
    return EndReason::captured;
  const std::optional<Time> lapses_at = end_with_margin(policy, authorization);
  const bool has_lapsed = evidence.kind == Kind::expired || (lapses_at && evidence.asked_at >= *lapses_at);
  return has_lapsed ? EndReason::expired : EndReason::requested;
}

void end(OrderWriter& writer, Authorization& authorization) {
  settle_case(writer, CaseKind::release_blocked, authorization.id);
  end_release(writer, authorization, "hold_ended");
}

// Ends the hold if it is over. While a capture is open, or a captured total is to be queried again, the hold is queried
// again first.
void end_hold(OrderWriter& writer, Authorization& authorization, const AuthorizationEvidence& evidence) {
  const OrderAggregate& aggregate = writer.aggregate();
  const bool is_over = ends_hold(aggregate, authorization, evidence);
  if (open_capture_of(aggregate, authorization.id) != nullptr) {
    authorization.is_total_waiting = authorization.is_total_waiting || is_over;
    return;
  }
  if (!is_over || authorization.is_total_waiting) return;
  if (!authorization.end_reason)
    authorization.end_reason = reason_of(writer.context().policy, aggregate, authorization, evidence);
  end(writer, authorization);
}

// Whether the end of an authorization was requested, and no longer waits for a capture or a captured total.
bool must_end(const OrderAggregate& aggregate, const Authorization& authorization) {
  return authorization.state == AuthorizationState::authorized && authorization.end_reason &&
         !authorization.is_total_waiting && open_capture_of(aggregate, authorization.id) == nullptr;
}

// Ends the chase of an authorization in a final state. If the hold had ended before, the chase was only about a
// captured total, and the end of the hold is not notified again.
void end_chase(OrderWriter& writer, Authorization& authorization, const AuthorizationEvidence& evidence,
               bool was_being_released) {
  const bool had_ended = !was_being_released &&
                         (authorization.state == AuthorizationState::released || authorization.release_attempts > 0);
  if (is_hold_over(evidence) && !had_ended) return end(writer, authorization);
  authorization.close_pending = false;
  authorization.outstanding_since.reset();
}

// ---- Requests in response to evidence

// A request that evidence requires.
enum class Answer : std::uint8_t { none, close, send, release };

// Returns the amount to release. What is held in another currency is not booked, because no sum may contain it: then it
// is the reported amount, in that currency.
MinorUnits rest_of(const OrderAggregate& aggregate, const Authorization& authorization,
                   const AuthorizationEvidence& evidence) {
  const MinorUnits held = held_of(aggregate, authorization);
  if (held > 0 || evidence.currency == authorization.currency) return held;
  return std::max<MinorUnits>(evidence.authorized - evidence.captured - evidence.released, 0);
}

// Whether the release is requested again: a query reports that something is still held, and the last request cannot
// arrive any more, or its number is dead.
bool must_release(const OrderAggregate& aggregate, const Authorization& authorization,
                  const AuthorizationEvidence& evidence) {
  const bool is_chased = authorization_machine.is_final(authorization.state) && authorization.close_pending;
  const bool is_ending = authorization.state == AuthorizationState::releasing ||
                         (is_chased && rest_of(aggregate, authorization, evidence) > 0);
  const bool can_arrive = authorization.release_amount > 0 && authorization.send_deadline &&
                          evidence.asked_at <= *authorization.send_deadline;
  return is_ending && !can_arrive && evidence.kind == Kind::authorized && evidence.source == CauseKind::query &&
         open_capture_of(aggregate, authorization.id) == nullptr;
}

// Whether a close request is sent now: a query has reported that the channel waits for the payer.
bool must_close(const OrderAggregate& aggregate, const Authorization& authorization,
                const AuthorizationEvidence& evidence) {
  const bool can_be_closed = is_before_hold(authorization) || authorization_machine.is_final(authorization.state);
  return authorization.close_pending && can_be_closed && !is_being_released(aggregate, authorization) &&
         evidence.kind == Kind::waiting && evidence.source == CauseKind::query;
}

// Whether the authorization is sent again to obtain the payer's action, as for payments.
bool must_send_again(const Context& context, const Authorization& authorization, const AuthorizationEvidence& evidence,
                     AuthorizationEvent event) {
  const auto channel = context.policy.channels.find(authorization.channel);
  return channel != context.policy.channels.end() && channel->second.does_repeat_action(authorization.method) &&
         authorization.state == AuthorizationState::pending && authorization.action_type == ActionType::none &&
         !authorization.close_pending && !sends_used_up(context, authorization) &&
         event == AuthorizationEvent::waiting && evidence.source == CauseKind::query;
}

// Returns the request that the evidence requires. Nothing is closed or sent while a payment or authorization of the
// order is in progress.
Answer answer_to(const Context& context, const OrderAggregate& aggregate, const Authorization& authorization,
                 const AuthorizationEvidence& evidence, AuthorizationEvent event) {
  if (!authorization.due_at || aggregate.order.parked) return Answer::none;
  if (must_release(aggregate, authorization, evidence)) return Answer::release;
  if (is_order_soft(aggregate)) return Answer::none;
  if (must_close(aggregate, authorization, evidence)) return Answer::close;
  return must_send_again(context, authorization, evidence, event) ? Answer::send : Answer::none;
}

void claim_answer(OrderWriter& writer, Authorization& authorization, const AuthorizationEvidence& evidence,
                  Answer answer) {
  Context& context = writer.context();
  if (answer == Answer::close)
    call_channel(context, writer.aggregate(), authorization, AuthorizationCallKind::close_authorization);
  if (answer == Answer::send)
    call_channel(context, writer.aggregate(), authorization, AuthorizationCallKind::send_authorization);
  if (answer == Answer::release)
    claim_release(writer, authorization, false, rest_of(writer.aggregate(), authorization, evidence));
}

// ---- The decision

// Whether the evidence contains the payer's action and the authorization has none yet.
bool brings_action(const Authorization& authorization, const AuthorizationEvidence& evidence) {
  return authorization.action_type == ActionType::none && evidence.action_type != ActionType::none;
}

// Replaces the event `not_found` by `unknown` after Policy::sends_max sends, or if the payer's code is used up, as for
// payments.
AuthorizationEvent without_resend(const Context& context, const Order& order, const Authorization& authorization,
                                  AuthorizationEvent event) {
  const bool is_needed = !authorization.close_pending && !order.close_requested;
  const bool stays = event == AuthorizationEvent::not_found && is_needed &&
                     authorization.state == AuthorizationState::processing &&
                     (sends_used_up(context, authorization) || is_payer_used_up(context, authorization));
  return stays ? AuthorizationEvent::unknown : event;
}

AuthorizationEvent event_of(const Context& context, const OrderAggregate& aggregate, const Authorization& authorization,
                            const AuthorizationEvidence& evidence) {
  const auto channel = context.policy.channels.find(authorization.channel);
  const bool is_made_by_payer =
      channel != context.policy.channels.end() && channel->second.is_made_by_payer(authorization.method);
  return without_resend(context, aggregate.order, authorization,
                        classify({aggregate, authorization, evidence, is_made_by_payer}));
}

// A release that the channel does not have is absent as long as something is held.
Overdue overdue_of(const OrderAggregate& aggregate, const Authorization& authorization,
                   const AuthorizationEvidence& evidence) {
  const bool is_absent = evidence.kind == Kind::not_found ||
                         (is_being_released(aggregate, authorization) && evidence.kind == Kind::authorized);
  return {.absent_at = is_absent ? std::optional(evidence.asked_at) : std::nullopt};
}

// The number of the release request that the evidence is about; 0 for other evidence.
std::int64_t release_of(const Authorization& authorization, const AuthorizationEvidence& evidence) {
  const bool is_about_release = evidence.kind == Kind::release_refused || evidence.kind == Kind::release_again;
  return is_about_release ? authorization.release_attempts : 0;
}

// Handles repeated evidence: sets due_at and claims a close request, without a new version.
void plan_next_look(Context& context, OrderId order_id, AuthorizationId id, const AuthorizationEvidence& evidence,
                    AuthorizationEvent event) {
  OrderAggregate& aggregate = context.rows.orders.change(order_id);
  Authorization& authorization = *find_row(aggregate.authorizations, id);
  if (!authorization.due_at) return;
  schedule(context, aggregate.order, authorization);
  if (answer_to(context, aggregate, authorization, evidence, event) == Answer::close)
    call_channel(context, aggregate, authorization, AuthorizationCallKind::close_authorization);
}

// Begins the release that the cell of the event requires. Nothing is closed while a payment or authorization of the
// order is in progress: the chase closes it later.
void begin_release(OrderWriter& writer, Authorization& authorization, const AuthorizationEvidence& evidence) {
  const OrderAggregate& aggregate = writer.aggregate();
  const MinorUnits rest = rest_of(aggregate, authorization, evidence);
  if (rest > 0 || is_being_released(aggregate, authorization) || !is_order_soft(aggregate))
    claim_release(writer, authorization, true, rest);
}

// Books a hold that is over although its authorization has ended before: nothing of it is held.
void note_rest(const OrderAggregate& aggregate, Authorization& authorization, const AuthorizationEvidence& evidence) {
  const bool is_over = is_hold_over(evidence) && evidence.currency == authorization.currency;
  if (is_over && authorization_machine.is_final(authorization.state))
    authorization.released_amount += held_of(aggregate, authorization);
}

/// The amounts of an authorization before the evidence was applied.
struct KnownAmounts {
  MinorUnits authorized;
  MinorUnits captured;
  MinorUnits above;  // captured_above_hold()
};

KnownAmounts amounts_of(const Authorization& authorization) {
  return {authorization.authorized_amount, authorization.captured_amount, captured_above_hold(authorization)};
}

// Whether the evidence shows that more was captured than was held. A raise in the same report does not explain it: some
// channels report what they captured above the hold as authorized, too.
bool shows_excess(const KnownAmounts& known, const Authorization& authorization) {
  const bool is_above_known = known.authorized > 0 && authorization.captured_amount > known.captured &&
                              authorization.captured_amount + authorization.released_amount > known.authorized;
  return is_above_known || captured_above_hold(authorization) > known.above;
}

// Adds no evidence to an open case, because a capture above the hold has opened it with the same evidence.
void open_case_of_excess(OrderWriter& writer, const KnownAmounts& known, const Authorization& authorization) {
  const Case* open = find_open_case(writer.aggregate().cases, CaseKind::over_captured, authorization.id);
  if (open == nullptr && shows_excess(known, authorization))
    open_case(writer, CaseKind::over_captured, authorization.id);
}

// Opens the cases that the event and the lack of a result require.
void open_cases(OrderWriter& writer, const Authorization& authorization, const AuthorizationEvidence& evidence,
                AuthorizationEvent event, fsm::Actions actions) {
  if (has(actions, fsm::Actions::open_case)) open_case(writer, case_of(event), authorization.id);
  const Overdue overdue = overdue_of(writer.aggregate(), authorization, evidence);
  if (const auto kind = case_due(writer.context(), writer.aggregate(), authorization, overdue))
    open_case(writer, *kind, authorization.id);
  settle_overdue(writer, authorization);
}

void apply(OrderWriter& writer, Authorization& authorization, const AuthorizationEvidence& evidence,
           AuthorizationEvent event, bool record_keep) {
  Context& context = writer.context();
  OrderAggregate& aggregate = writer.aggregate();
  if (event == AuthorizationEvent::authorized_unexpectedly && is_before_hold(authorization))
    authorization.end_reason = EndReason::late;
  const bool was_being_released = is_being_released(aggregate, authorization);
  const KnownAmounts known = amounts_of(authorization);
  const auto cell = writer.step(authorization, event, record_keep);
  note_facts(writer, authorization, evidence, event);
  const bool has_arrived = cell.kind == fsm::CellKind::move && authorization.state != AuthorizationState::created &&
                           authorization.state != AuthorizationState::processing;
  if (has_arrived) {
    authorization.sends = 0;
    erase_used_up_payer(context, authorization);
  }

  if (is_about_hold(evidence)) book_reported_captures(writer, authorization.id, evidence);
  const bool must_begin =
      has(cell.actions, fsm::Actions::release) && evidence.kind == Kind::authorized && !was_being_released;
  // An ended authorization is chased while something is held, or a captured total is to be queried again.
  if (authorization_machine.is_final(authorization.state) && (must_begin || authorization.is_total_waiting))
    authorization.close_pending = true;
  note_rest(aggregate, authorization, evidence);
  if (is_open_hold(authorization)) end_hold(writer, authorization, evidence);
  if (ends_chase(aggregate, authorization, evidence)) end_chase(writer, authorization, evidence, was_being_released);
  open_cases(writer, authorization, evidence, event, cell.actions);
  open_case_of_excess(writer, known, authorization);

  schedule(context, aggregate.order, authorization);
  if (must_begin)
    begin_release(writer, authorization, evidence);
  else if (must_end(aggregate, authorization))
    request_end(writer, authorization, *authorization.end_reason);
  else
    claim_answer(writer, authorization, evidence, answer_to(context, aggregate, authorization, evidence, event));
  settle_order(writer);
  if (aggregate.order.parked) stop_work(aggregate);
}

// Records evidence about another hold under the authorization's number. It changes nothing, because requests about the
// authorization name its own hold. While the other one holds an amount, operators must release it at the channel. What
// is captured of it is not booked here: a statement reports the trade as an unknown receipt.
Decision record_another_hold(const RecordAuthorization& command, Context& context, const Authorization& known) {
  constexpr auto event = AuthorizationEvent::already_known;
  const AuthorizationId id = known.id;
  const CommandResult done{.object = id, .home = command.order_id};
  const std::int64_t digest = digest_of(command.evidence, command.merchant_id, name_of(event), 0);
  if (digest == known.last_evidence) {
    OrderAggregate& aggregate = context.rows.orders.change(command.order_id);
    Authorization& authorization = *find_row(aggregate.authorizations, id);
    if (authorization.due_at) schedule(context, aggregate.order, authorization);
    return done;
  }

  context.detail = AuthorizationReport{command.channel, command.evidence};
  OrderWriter writer(context, command.order_id);
  Authorization& authorization = *find_row(writer.aggregate().authorizations, id);
  authorization.last_evidence = digest;
  writer.step(authorization, event, true);
  const bool has_money = command.evidence.kind == Kind::authorized || command.evidence.captured > 0;
  if (has_money) open_case(writer, CaseKind::conflicting_result, id);
  if (authorization.due_at) schedule(context, writer.order(), authorization);
  return done;
}

}  // namespace

void add_reads(const RecordAuthorization& command, ReadSet& reads) {
  reads.orders.push_back(command.order_id);
  reads.merchants.push_back(command.merchant_id);
  if (is_about_hold(command.evidence))
    add_reads_of_reported_captures(command.merchant_id, command.channel, command.evidence, reads);
}

Decision decide(const RecordAuthorization& command, Context& context) {
  const AuthorizationEvidence& evidence = command.evidence;
  const OrderAggregate* aggregate = context.rows.orders.find(command.order_id);
  const Authorization* known = find_authorization(command, aggregate);
  if (known == nullptr) return refuse(RefusalCode::not_found, "The channel has no such authorization.");

  if (is_of_another_hold(*known, evidence)) return record_another_hold(command, context, *known);

  const AuthorizationId id = known->id;
  const CommandResult done{.object = id, .home = command.order_id};
  const AuthorizationEvent event = event_of(context, *aggregate, *known, evidence);
  const std::int64_t digest = digest_of(evidence, command.merchant_id, name_of(event), release_of(*known, evidence));
  // A repeated send or release changes send_deadline, so the order needs a new version although the evidence is
  // repeated.
  const Answer answer = answer_to(context, *aggregate, *known, evidence, event);
  const bool is_new = digest != known->last_evidence || brings_action(*known, evidence) ||
                      ends_chase(*aggregate, *known, evidence) || ends_hold(*aggregate, *known, evidence) ||
                      (is_about_hold(evidence) && brings_captures(context, *aggregate, *known, evidence)) ||
                      answer == Answer::send || answer == Answer::release;
  const bool is_kept = context.cell(authorization_machine, known->state, event).kind == fsm::CellKind::keep;
  if (is_kept && !is_new && !case_due(context, *aggregate, *known, overdue_of(*aggregate, *known, evidence))) {
    plan_next_look(context, command.order_id, id, evidence, event);
    return done;
  }

  context.detail = AuthorizationReport{command.channel, evidence};
  OrderWriter writer(context, command.order_id);
  Authorization& authorization = *find_row(writer.aggregate().authorizations, id);
  authorization.last_evidence = digest;
  apply(writer, authorization, evidence, event, is_new);
  return done;
}

}  // namespace finality
