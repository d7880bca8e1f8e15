#include "sim/auditors/authorization_auditor.h"

#include "model/out_trade_no.h"
#include "sim/auditors/captured.h"
#include "sim/auditors/notices.h"

namespace finality::sim {
namespace {

using State = AuthorizationState;

constexpr Duration kSkewMax = std::chrono::minutes(31);  // maximum error of an engine's clock

bool is_final(const Authorization& row) { return authorization_machine.is_final(row.state); }
bool is_final(const Capture& row) { return capture_machine.is_final(row.state); }

bool was_before_hold(const Authorization& row) {
  return row.state == State::created || row.state == State::processing || row.state == State::pending;
}

bool holds_for_order(const Authorization& row) {
  return row.state == State::authorized || (row.state == State::releasing && row.end_reason != EndReason::late);
}

const Authorization* find_before(const OrderAggregate* before, AuthorizationId id) {
  return before == nullptr ? nullptr : find_row(before->authorizations, id);
}

// Whether the channel holds an amount in another currency than that of the authorization. Nothing of it is booked.
bool is_in_wrong_currency(const UpstreamHold* hold, const Authorization& row) {
  return hold != nullptr && hold->authorized > 0 && hold->currency != row.currency;
}

bool has_open_case(const OrderAggregate& aggregate, ObjectRef object) {
  return std::ranges::any_of(
      aggregate.cases, [&](const Case& row) { return object_of(row) == object && !case_machine.is_final(row.state); });
}

// The times of the commit's events of the object, by the clock of the engine.
template <class Visit>
void each_time(const WorkingSet& rows, std::int64_t object, Visit visit) {
  for (const Event& event : rows.events)
    if (event.object_id == object) visit(event.at);
}

}  // namespace

void AuthorizationAuditor::look_at(const WorkingSet& rows, Time at) {
  rows.holds.each([&](const HoldId&, const auto&, const auto& now) {
    if (now && now->source == kWallet) wallet_holds_.insert_or_assign(now->reference, *now);
  });
  rows.orders.each([&](const OrderId&, const auto& base, const auto& now) {
    if (!now || (base && base->order.version == now->order.version)) return;
    check_order(base ? &*base : nullptr, *now, rows, at);
  });
  check_once(rows);
  check_released_once(rows);
  for (const Entry& entry : rows.entries)
    findings_.require(entry.document_type != ObjectType::authorization, "7 postings of authorizations",
                      "{} of {} was posted; an authorization itself has no entries", name_of(entry.type),
                      to_text(AuthorizationId{entry.document_id}));
}

void AuthorizationAuditor::check_order(const OrderAggregate* before, const OrderAggregate& now, const WorkingSet& rows,
                                       Time at) {
  const Order& order = now.order;
  const bool is_manual = order.capture_method == CaptureMethod::manual;
  findings_.require(is_manual ? now.payments.empty() : now.authorizations.empty() && now.captures.empty(),
                    "2 capture method", "{} is {}, but has {} payments, {} authorizations and {} captures",
                    to_text(order.id), name_of(order.capture_method), now.payments.size(), now.authorizations.size(),
                    now.captures.size());
  if (!is_manual) return;
  check_holder(before, now);
  for (const Authorization& row : now.authorizations) {
    const Authorization* known = find_before(before, row.id);
    check_amounts(now, row);
    check_rest(now, row);
    check_rest_in_wrong_currency(now, row);
    check_local_close(before, now, row);
    check_due(now, row, at);
    check_start(row);
    check_deadline(order, row);
    check_end_reason(now, known, row, rows);
    if (is_final(row) && (known == nullptr || known->state != row.state)) check_end(now, row);
  }
  check_wallet(now);
  check_notifications(before, now, rows);
}

// Checks the state of the order against its authorizations: at most one holds or has collected the amount, and an order
// that ended unpaid has neither. A hold that the order does not need is released.
void AuthorizationAuditor::check_holder(const OrderAggregate* before, const OrderAggregate& now) {
  const Order& order = now.order;
  const std::string id = to_text(order.id);
  const auto holders = std::ranges::count_if(now.authorizations, holds_for_order);
  const auto captured = std::ranges::count(now.authorizations, State::captured, &Authorization::state);
  findings_.require(holders + captured <= 1, "2 one hold",
                    "{} has {} holds and {} captured authorizations, at most one", id, holders, captured);
  findings_.require((order.state == OrderState::succeeded) == (captured == 1), "2 captured orders",
                    "{} is {} with {} captured authorizations", id, name_of(order.state), captured);
  findings_.require((order.state == OrderState::authorized) == (holders == 1), "2 authorized orders",
                    "{} is {} with {} holds", id, name_of(order.state), holders);
  const bool ended_unpaid = order.state == OrderState::closed || order.state == OrderState::failed;
  for (const Authorization& row : now.authorizations) {
    findings_.require(!ended_unpaid || is_final(row), "2 ended orders", "{} is {}, but {} is {}", id,
                      name_of(order.state), to_text(row.id), name_of(row.state));
    const bool is_closed_locally = order.close_requested && order.close_policy == ClosePolicy::local;
    const bool is_before_hold = was_before_hold(row);
    findings_.require(!is_closed_locally || !is_before_hold, "2 ended orders",
                      "{} was closed locally, but {} is {}, expected closed", id, to_text(row.id), name_of(row.state));
    const Authorization* known = find_before(before, row.id);
    const bool is_new_hold = row.state == State::authorized && (known == nullptr || was_before_hold(*known));
    if (!is_new_hold || before == nullptr) continue;
    findings_.require(!before->order.close_requested && !order_machine.is_final(before->order.state), "2 late holds",
                      "{} is authorized for {}, which was {} and closing, expected a release with the reason late",
                      to_text(row.id), id, name_of(before->order.state));
  }
  findings_.require(!ended_unpaid || order.paid_amount == 0, "2 ended orders",
                    "{} is {} with the paid amount {}, not 0", id, name_of(order.state), order.paid_amount);
}

// Checks the amounts of the authorization against its receipts and against the records of the channel.
void AuthorizationAuditor::check_amounts(const OrderAggregate& aggregate, const Authorization& row) {
  const std::string id = to_text(row.id);
  const Captured captured = captured_of(aggregate, row);
  findings_.require(row.captured_amount == captured.accepted, "3 captured amounts",
                    "{} shows {} as captured, its accepted receipts sum to {}", id, row.captured_amount,
                    captured.accepted);
  findings_.require(row.released_amount >= 0, "5 released amounts", "{} has the released amount {}", id,
                    row.released_amount);
  const bool is_over = captured.accepted > 0 && captured.accepted + row.released_amount > row.authorized_amount;
  findings_.require(!is_over || has_case(aggregate, CaseKind::over_captured, row.id), "5 over-captured",
                    "{} captured {} of {}, of which {} were released, without a case over_captured", id,
                    captured.accepted, row.authorized_amount, row.released_amount);
  if (row.channel == kWallet) return;
  const UpstreamHold* hold = upstream_.holds().find(row.channel, row.out_trade_no);
  const MinorUnits authorized = hold == nullptr || is_in_wrong_currency(hold, row) ? 0 : hold->authorized;
  findings_.require(row.authorized_amount <= authorized, "12 invented holds", "{} shows {} as authorized, {} holds {}",
                    id, row.authorized_amount, row.channel, authorized);
  findings_.require(captured.all <= (hold == nullptr ? 0 : hold->captured), "12 invented captures",
                    "the receipts of {} sum to {}, {} captured {}", id, captured.all, row.channel,
                    hold == nullptr ? 0 : hold->captured);
}

// Checks that an ended authorization holds nothing, except what is being released or operators look at.
void AuthorizationAuditor::check_rest(const OrderAggregate& aggregate, const Authorization& row) {
  if (!is_final(row)) return;
  const MinorUnits held = rest_of(aggregate, row);
  const bool is_chased = row.close_pending && row.due_at;
  findings_.require(held == 0 || is_chased || aggregate.order.parked || has_open_case(aggregate, row.id),
                    "5 nothing held after the end", "{} is {} and holds {}, but nothing releases it", to_text(row.id),
                    name_of(row.state), held);
}

// Checks that a hold in another currency is released, once it is reported, until the channel holds nothing, or
// operators look at the release.
void AuthorizationAuditor::check_rest_in_wrong_currency(const OrderAggregate& aggregate, const Authorization& row) {
  const UpstreamHold* hold = upstream_.holds().find(row.channel, row.out_trade_no);
  if (!is_in_wrong_currency(hold, row) || !has_case(aggregate, CaseKind::amount_mismatch, row.id)) return;
  findings_.require(is_final(row), "5 nothing held after the end", "{} is {}, but {} holds another currency",
                    to_text(row.id), name_of(row.state), row.channel);
  const bool is_chased = row.close_pending && row.due_at;
  const bool by_operators = has_case(aggregate, CaseKind::release_blocked, row.id) ||
                            has_case(aggregate, CaseKind::result_overdue, row.id) ||
                            has_case(aggregate, CaseKind::not_accepted, row.id);
  findings_.require(hold->held() == 0 || is_chased || aggregate.order.parked || by_operators,
                    "5 nothing held after the end",
                    "{} is {}, and {} holds {} in another currency, but nothing releases it", to_text(row.id),
                    name_of(row.state), row.channel, hold->held());
}

// Checks that the local close of an order ends an authorization at once if nothing was ever captured from it. What is
// held is released afterwards.
void AuthorizationAuditor::check_local_close(const OrderAggregate* before, const OrderAggregate& now,
                                             const Authorization& row) {
  const bool is_new_close = now.order.close_requested && (before == nullptr || !before->order.close_requested);
  const bool has_captures = std::ranges::count(now.captures, row.id, &Capture::authorization_id) > 0;
  if (!is_new_close || now.order.close_policy != ClosePolicy::local || has_captures) return;
  findings_.require(is_final(row), "2 ended orders", "{} was closed locally, but {} is {}, expected a final state",
                    to_text(now.order.id), to_text(row.id), name_of(row.state));
}

// Checks that open authorizations are due, and an authorized one not later than at its deadline.
void AuthorizationAuditor::check_due(const OrderAggregate& aggregate, const Authorization& row, Time at) {
  if (aggregate.order.parked || is_final(row)) return;
  findings_.require(row.due_at.has_value(), "16 open authorizations are due", "{} is {}, but not due", to_text(row.id),
                    name_of(row.state));
  if (row.state != State::authorized) return;
  findings_.require(row.capture_before.has_value(), "16 open authorizations are due", "{} has no deadline of captures",
                    to_text(row.id));
  const bool waits = row.is_total_waiting || captured_of(aggregate, row).has_open;
  if (waits || !row.due_at || !row.capture_before || *row.capture_before <= at + kSkewMax) return;
  findings_.require(*row.due_at <= *row.capture_before, "16 deadlines of captures",
                    "{} is due at {}, after its deadline {}", to_text(row.id), to_rfc3339(*row.due_at),
                    to_rfc3339(*row.capture_before));
}

// Checks the start of a hold whose channel reports its times: that of the channel, however late the report arrives.
void AuthorizationAuditor::check_start(const Authorization& row) {
  const UpstreamHold* hold = upstream_.holds().find(row.channel, row.out_trade_no);
  if (!row.authorized_at || !row.channel_capture_before || hold == nullptr) return;
  const Duration error = do_clocks_differ_ ? kSkewMax : Duration{0};
  const bool is_near = hold->began_at - error <= *row.authorized_at && *row.authorized_at <= hold->began_at + error;
  findings_.require(is_near, "16 starts of holds", "{} is authorized since {}, but {} holds its amount since {}",
                    to_text(row.id), to_rfc3339(*row.authorized_at), row.channel, to_rfc3339(hold->began_at));
}

// Checks the deadline of captures: at most `capture_within` after the hold, and before its end at the channel by at
// most an eighth of its duration.
void AuthorizationAuditor::check_deadline(const Order& order, const Authorization& row) {
  const AuthorizationTerms* terms = policy_.terms_of(row.channel);
  if (!row.capture_before || !row.authorized_at || terms == nullptr) return;
  const Time latest = row.channel_capture_before.value_or(*row.authorized_at + terms->capture_within_max);
  const Duration life = std::max(latest - *row.authorized_at, Duration{0});
  Time earliest = latest - life / 8;
  Time end = latest;
  if (order.capture_within) {
    const Time wanted = *row.authorized_at + std::chrono::seconds(*order.capture_within);
    earliest = std::min(earliest, wanted);
    end = std::min(end, wanted);
  }
  findings_.require(earliest <= *row.capture_before && *row.capture_before <= end, "16 times of deadlines",
                    "{} can be captured until {}, expected a time from {} to {}", to_text(row.id),
                    to_rfc3339(*row.capture_before), to_rfc3339(earliest), to_rfc3339(end));
}

// Checks invariant 10: an authorization ends only because of a result of the channel, a policy or an operator.
void AuthorizationAuditor::check_end(const OrderAggregate& aggregate, const Authorization& row) {
  const std::string id = to_text(row.id);
  const Captured captured = captured_of(aggregate, row);
  if (row.state == State::captured || row.state == State::released)
    findings_.require((captured.accepted > 0) == (row.state == State::captured), "3 ended holds",
                      "{} is {} with accepted receipts of {}", id, name_of(row.state), captured.accepted);
  findings_.require(!captured.has_open, "10 releases beside captures", "{} is {} with an open capture", id,
                    name_of(row.state));
  if (row.channel == kWallet) return;
  const auto reported = [&](AuthorizationEvidenceKind kind) {
    return upstream_.holds().has_reported(row.channel, row.out_trade_no, kind);
  };
  const bool by_operators = std::ranges::any_of(aggregate.cases, [&](const Case& one) {
    return object_of(one) == ObjectRef(row.id) &&
           (one.kind == CaseKind::result_overdue || one.kind == CaseKind::not_accepted ||
            one.kind == CaseKind::release_blocked);
  });
  const bool is_closing = aggregate.order.close_requested;
  const UpstreamHold* hold = upstream_.holds().find(row.channel, row.out_trade_no);
  if (row.state == State::failed)
    findings_.require(reported(AuthorizationEvidenceKind::failed) || is_in_wrong_currency(hold, row),
                      "10 unknown is not failed", "{} failed, but the channel never reported that", id);
  if (row.state == State::closed)
    findings_.require(reported(AuthorizationEvidenceKind::closed) || reported(AuthorizationEvidenceKind::not_found) ||
                          by_operators ||
                          (is_closing && (row.close_pending || reported(AuthorizationEvidenceKind::failed))),
                      "10 unknown is not failed", "{} was closed without a reason", id);
  if (row.state != State::captured && row.state != State::released) return;
  // What is still held is either chased, or was added by another system and is not reported yet.
  const bool is_over = hold != nullptr && (hold->held() == 0 || hold->authorized > row.authorized_amount);
  findings_.require(is_over || row.close_pending || by_operators, "10 ended holds", "{} is {}, but {} still holds {}",
                    id, name_of(row.state), row.channel, hold == nullptr ? 0 : hold->held());
}

// Checks that an authorization expires only at its deadline or when its hold is over, and as the order demands.
void AuthorizationAuditor::check_end_reason(const OrderAggregate& aggregate, const Authorization* before,
                                            const Authorization& row, const WorkingSet& rows) {
  const bool was_set = before != nullptr && before->end_reason.has_value();
  if (was_set && is_final(*before))
    findings_.require(before->end_reason == row.end_reason, "1 final states", "the end_reason of {} changed",
                      to_text(row.id));
  if (was_set || row.end_reason != EndReason::expired) return;
  const UpstreamHold* hold = upstream_.holds().find(row.channel, row.out_trade_no);
  if (hold != nullptr && hold->held() == 0) return;  // the channel has ended the hold
  const bool has_tried = std::ranges::any_of(aggregate.captures, [&](const Capture& capture) {
    return capture.authorization_id == row.id && capture.origin == CaptureOrigin::deadline;
  });
  bool is_in_time = has_tried;  // CaptureAuditor checks its time
  each_time(rows, row.id.value, [&](Time at) { is_in_time |= row.capture_before && *row.capture_before <= at; });
  findings_.require(is_in_time, "16 deadlines of captures", "{} expired before its deadline {}", to_text(row.id),
                    row.capture_before ? to_rfc3339(*row.capture_before) : "none");
  const bool captures = aggregate.order.on_capture_deadline == CaptureDeadlineAction::capture;
  findings_.require(!captures || has_tried || rest_of(aggregate, row) == 0, "16 deadline policies",
                    "{} is released at its deadline, expected a capture", to_text(row.id));
}

// Checks that the hold of a wallet authorization agrees with its state.
void AuthorizationAuditor::check_wallet(const OrderAggregate& aggregate) {
  for (const Authorization& row : aggregate.authorizations) {
    const bool was_held = row.state != State::failed && row.authorized_amount > 0;
    if (row.channel != kWallet || !was_held) continue;
    const auto at = wallet_holds_.find(out_hold_reference(row.merchant_id, row.order_id));
    findings_.require(at != wallet_holds_.end(), "6 wallet holds", "{} is {} without a hold", to_text(row.id),
                      name_of(row.state));
    if (at == wallet_holds_.end()) return;
    const Hold& hold = at->second;
    const HoldState expected = !is_final(row)                 ? HoldState::held
                               : row.state == State::captured ? HoldState::posted
                                                              : HoldState::voided;
    const MinorUnits posted = row.state == State::captured ? row.captured_amount : 0;
    const bool is_chased = is_final(row) && row.close_pending;  // closed locally: the hold is voided afterwards
    findings_.require(hold.state == expected || (is_chased && hold.state == HoldState::held), "6 wallet holds",
                      "{} is {}, its hold is {}, expected {}", to_text(row.id), name_of(row.state), name_of(hold.state),
                      name_of(expected));
    findings_.require(hold.amount == row.authorized_amount && hold.posted_amount == posted && !hold.due_at,
                      "6 wallet holds", "{} authorized {} and captured {}, its hold is over {} and posted {}",
                      to_text(row.id), row.authorized_amount, posted, hold.amount, hold.posted_amount);
  }
}

// Checks that the commit that releases an authorization or ends a capture also creates its notifications.
void AuthorizationAuditor::check_notifications(const OrderAggregate* before, const OrderAggregate& now,
                                               const WorkingSet& rows) {
  std::map<std::string, std::int64_t> expected;
  for (const Authorization& row : now.authorizations) {
    const Authorization* known = find_before(before, row.id);
    if (row.state == State::released && (known == nullptr || known->state != row.state))
      expected["authorization.released"] += !row.close_pending;  // after a local close once nothing is held
  }
  for (const Capture& row : now.captures) {
    const Capture* known = before == nullptr ? nullptr : find_row(before->captures, row.id);
    if (is_final(row) && (known == nullptr || known->state != row.state))
      expected["capture." + std::string(name_of(row.state))] += 1;
  }
  for (const auto& [type, count] : expected) {
    const std::int64_t notified = new_deliveries_of(now.order, type, rows);
    findings_.require(notified >= count * addresses_of(now.order, rows), "11 notified in the same commit",
                      "{}: {} deliveries of {}, expected {} to each of {} addresses", to_text(now.order.id), notified,
                      type, count, addresses_of(now.order, rows));
  }
}

// Checks that the authorization and the end of an order are notified once.
void AuthorizationAuditor::check_once(const WorkingSet& rows) {
  rows.deliveries.each([&](const DeliveryId&, const auto& base, const auto& now) {
    if (base || !now || !now->delivery.type.starts_with("order.")) return;
    const Delivery& delivery = now->delivery;
    const std::int64_t endpoint = delivery.endpoint_id.value_or(WebhookEndpointId{}).value;
    findings_.require(notified_.insert({delivery.order_id, delivery.type, endpoint}).second, "11 notified once",
                      "{} of {} is notified twice to {}", delivery.type, to_text(delivery.order_id), delivery.url);
  });
}

// Checks that the release of a hold that has ended is notified once. A report that the hold still exists is older than
// its end then. Engines whose clocks differ cannot know that.
void AuthorizationAuditor::check_released_once(const WorkingSet& rows) {
  rows.deliveries.each([&](const DeliveryId&, const auto& base, const auto& now) {
    if (base || !now || now->delivery.type != "authorization.released") return;
    const Delivery& delivery = now->delivery;
    const OrderAggregate* order = rows.orders.find(delivery.order_id);
    if (order == nullptr) return;
    for (const Authorization& row : order->authorizations) {
      const UpstreamHold* hold = upstream_.holds().find(row.channel, row.out_trade_no);
      const bool has_ended = hold != nullptr && hold->state == UpstreamHoldState::ended;
      if (!has_ended || !delivery.body.contains(to_text(row.id))) continue;
      const auto [at, is_first] = released_.try_emplace(row.id, order->order.version);
      findings_.require(is_first || at->second == order->order.version || do_clocks_differ_, "11 notified once",
                        "authorization.released of {} is notified twice to {}", to_text(row.id), delivery.url);
    }
  });
}

void AuthorizationAuditor::look_at(const AuthorizationCall& call, const OrderAggregate& committed) {
  if (call.kind != AuthorizationCallKind::release_authorization) return;
  const Authorization& row = call.authorization;
  const std::string id = to_text(row.id);
  const std::string number = out_release_no(row.out_trade_no, row.release_attempts);
  const auto [at, is_new] = releases_.try_emplace(number, row.release_amount);
  findings_.require(is_new || at->second == row.release_amount, "10 release requests",
                    "{} releases {} as {}, before {}", id, row.release_amount, number, at->second);
  // The call may have been decided before the commit that notified the release.
  const auto released = released_.find(row.id);
  findings_.require(released == released_.end() || call.order.version <= released->second || do_clocks_differ_,
                    "10 release requests", "{} is released again, although its hold has ended and that is recorded",
                    id);
  // An amount in another currency is not booked.
  const UpstreamHold* hold = upstream_.holds().find(row.channel, row.out_trade_no);
  const MinorUnits authorized = is_in_wrong_currency(hold, row) ? hold->authorized : row.authorized_amount;
  // Receipts in suspense are not part of captured_amount, so this is an upper limit of what was held.
  const MinorUnits limit = authorized - std::min(row.captured_amount, authorized);
  findings_.require(row.release_amount > 0 && row.release_amount <= limit - std::min(row.released_amount, limit),
                    "10 release requests", "{} releases {}, but holds {}", id, row.release_amount,
                    limit - std::min(row.released_amount, limit));
  findings_.require(!captured_of(committed, row).has_open, "10 releases beside captures",
                    "{} is released while the result of a capture is outstanding", id);
}

}  // namespace finality::sim
