#include "sim/auditors/reply_auditor.h"

#include "base/limits.h"

namespace finality::sim {
namespace {

using States = std::initializer_list<std::string_view>;

constexpr Duration kSkewMax = std::chrono::minutes(31);  // maximum error of an engine's clock

/// A reply and the recorded history to check it against.
struct ReceivedReply {
  const Reply& reply;
  const StateHistory& history;
  const OrderAuditor& orders;
  const MoneyAuditor& money;
  const CaseAuditor& operators;
  Time sent_at;
  Time received_at;

  bool done() const { return reply.status < 400; }
  bool refused(RefusalCode code) const { return reply.refusal && reply.refusal->code == code; }
  bool was_in(std::int64_t object, States states) const { return history.was_in(object, states, sent_at, received_at); }
  /// Returns true if the object was in one of `states` for a success, or in one of `others` for a refusal with `code`.
  bool holds(std::int64_t object, States states, RefusalCode code, States others) const {
    if (done()) return was_in(object, states);
    return !refused(code) || was_in(object, others);
  }
};

template <class C>
bool is_true(const C&, const ReceivedReply&) {
  return true;
}

bool is_true(const ChangeAccount& command, const ReceivedReply& received) {
  constexpr RefusalCode code = RefusalCode::account_closed;
  const std::int64_t account = command.account_id.value;
  if (command.event == AccountEvent::freeze) return received.holds(account, {"frozen"}, code, {"closed"});
  if (command.event == AccountEvent::unfreeze) return received.holds(account, {"open"}, code, {"closed"});
  return received.holds(account, {"closed"}, code, {});
}

bool is_true(const LockAccount& command, const ReceivedReply& received) {
  return received.holds(command.account_id.value, {"open", "frozen"}, RefusalCode::account_closed, {"closed"});
}

bool is_true(const PostHold& command, const ReceivedReply& received) {
  return received.holds(command.hold_id.value, {"posted"}, RefusalCode::hold_not_open, {"posted", "voided", "expired"});
}

bool is_true(const VoidHold& command, const ReceivedReply& received) {
  return received.holds(command.hold_id.value, {"voided"}, RefusalCode::hold_not_open, {"posted", "voided", "expired"});
}

bool is_true(const ReverseTransfer&, const ReceivedReply& received) {
  return !received.done() || !received.reply.object ||
         received.was_in(received.reply.object->value, {"reversed", "refused"});
}

// A hold on an account must not be refused with `illegal_transition`: other refusal codes report the account's state.
bool is_true(const CreateHold&, const ReceivedReply& received) {
  return !received.refused(RefusalCode::illegal_transition);
}

bool is_true(const PostTransfer& command, const ReceivedReply& received) {
  if (received.refused(RefusalCode::illegal_transition)) return false;
  if (!received.refused(RefusalCode::already_reversed)) return true;
  const TransferId transfer = received.money.transfer(command.merchant_id, command.source, command.reference);
  return received.was_in(transfer.value, {"reversed"});
}

bool is_true(const CloseOrder& command, const ReceivedReply& received) {
  return received.holds(command.order_id.value, {"pending", "processing", "authorized", "failed", "closed"},
                        RefusalCode::order_succeeded, {"succeeded"});
}

// Returns true if the order accepts no payment and no authorization. The conditions are permanent, so they can be
// checked when the reply is received.
bool takes_no_payment(const OrderAggregate& aggregate, const ReceivedReply& received) {
  const Order& order = aggregate.order;
  const auto count = static_cast<std::int64_t>(aggregate.payments.size() + aggregate.authorizations.size());
  return order_machine.is_final(order.state) || order.close_requested ||
         order.expires_at <= received.received_at + kSkewMax || count >= order.attempts.value_or(limits::kAttemptsMax);
}

// Checks the reply to the start of a payment or an authorization.
bool is_start_true(OrderId id, CaptureMethod method, const ReceivedReply& received) {
  if (received.refused(RefusalCode::payment_in_progress)) return received.was_in(id.value, {"processing"});
  const auto at = received.orders.orders().find(id);
  if (at == received.orders.orders().end()) return true;
  const OrderAggregate& order = at->second;
  if (received.refused(RefusalCode::capture_method_mismatch)) return order.order.capture_method != method;
  if (received.done()) return order.order.capture_method == method;
  return !received.refused(RefusalCode::order_not_payable) || takes_no_payment(order, received) ||
         received.was_in(id.value, {"authorized"});
}

bool is_true(const StartPayment& command, const ReceivedReply& received) {
  return is_start_true(command.order_id, CaptureMethod::automatic, received);
}

bool is_true(const StartAuthorization& command, const ReceivedReply& received) {
  return is_start_true(command.order_id, CaptureMethod::manual, received);
}

// Returns true if the result of a capture of the authorization was outstanding during the request.
bool was_capturing(const OrderAggregate& order, AuthorizationId authorization, const ReceivedReply& received) {
  return std::ranges::any_of(order.captures, [&](const Capture& capture) {
    return capture.authorization_id == authorization && received.was_in(capture.id.value, {"pending", "processing"});
  });
}

// Returns true if nothing can be captured from the authorization: it was in another state than `authorized` during the
// request, or for a permanent reason.
bool takes_no_capture(const OrderAggregate& order, const Authorization& authorization, const ReceivedReply& received) {
  const bool has_ended = received.was_in(authorization.id.value, {"created", "processing", "pending", "releasing",
                                                                  "captured", "released", "failed", "closed"});
  return has_ended || authorization.end_reason || order.order.close_requested ||
         (authorization.capture_before && *authorization.capture_before <= received.received_at + kSkewMax) ||
         std::cmp_greater_equal(order.captures.size(), limits::kCapturesMax);
}

bool is_true(const CreateCapture& command, const ReceivedReply& received) {
  const auto at = received.orders.orders().find(command.order_id);
  if (at == received.orders.orders().end()) return true;
  const OrderAggregate& order = at->second;
  const Authorization* authorization = find_row(order.authorizations, command.authorization_id);
  if (authorization == nullptr) return !received.done();
  if (received.refused(RefusalCode::capture_in_progress)) return was_capturing(order, authorization->id, received);
  if (received.refused(RefusalCode::authorization_not_capturable))
    return takes_no_capture(order, *authorization, received);
  if (!received.done() || !received.reply.object) return true;
  const Capture* capture = find_row(order.captures, CaptureId{received.reply.object->value});
  return capture != nullptr && capture->authorization_id == command.authorization_id &&
         capture->merchant_capture_no == command.merchant_capture_no && capture->is_final == command.is_final &&
         command.amount.value_or(capture->amount) == capture->amount;
}

bool is_true(const ReleaseAuthorization& command, const ReceivedReply& received) {
  const std::int64_t authorization = command.authorization_id.value;
  const auto at = received.orders.orders().find(command.order_id);
  if (at == received.orders.orders().end()) return true;
  if (received.refused(RefusalCode::capture_in_progress))
    return was_capturing(at->second, command.authorization_id, received);
  // While a capture is open, an end that was requested before is only stored.
  const Authorization* row = find_row(at->second.authorizations, command.authorization_id);
  const bool is_ending = row != nullptr && row->end_reason.has_value();
  return received.holds(authorization, {"releasing", "captured", "released", "failed", "closed"},
                        RefusalCode::illegal_transition, {"created", "processing", "pending"}) ||
         (received.done() && is_ending);
}

// Checks that the refund returns what the request names.
bool is_true(const CreateRefund& command, const ReceivedReply& received) {
  if (!received.done() || !received.reply.object) return true;
  const OrderAggregate* order = command.collected.type == ObjectType::payment
                                    ? received.orders.order_of(PaymentId{command.collected.value})
                                    : nullptr;
  if (const auto at = received.orders.orders().find(command.order_id); at != received.orders.orders().end())
    order = &at->second;
  if (order == nullptr) return false;
  const Refund* refund = find_row(order->refunds, RefundId{received.reply.object->value});
  if (refund == nullptr) return false;
  const auto is_named = [&](const auto& id) { return id && ObjectRef(*id) == command.collected; };
  return ObjectRef(refund->payment_id) == command.collected || is_named(refund->capture_id) ||
         is_named(refund->authorization_id);
}

bool is_true(const ResendDelivery& command, const ReceivedReply& received) {
  const std::int64_t delivery = command.delivery_id.value;
  if (received.done()) return received.was_in(delivery, {"pending", "delivered"});
  return !received.refused(RefusalCode::illegal_transition) || received.was_in(delivery, {"given_up"}) ||
         received.orders.is_to_removed_endpoint(command.delivery_id);
}

bool is_true(const ProposeResolution& command, const ReceivedReply& received) {
  return received.holds(command.case_id.value, {"proposed"}, RefusalCode::illegal_transition, {"resolved"});
}

bool is_true(const ApproveResolution& command, const ReceivedReply& received) {
  if (received.done())
    return received.was_in(command.case_id.value, {"resolved"}) && received.operators.approved_as_reviewed(command);
  if (received.refused(RefusalCode::preview_changed)) return received.operators.has_changed(command);
  // A refusal is also correct if the operator approved a resolution that was replaced by another proposal.
  const bool is_outdated = received.was_in(command.case_id.value, {"proposed"}) &&
                           received.operators.proposed_otherwise(command, received.sent_at);
  return !received.refused(RefusalCode::illegal_transition) || is_outdated ||
         received.was_in(command.case_id.value, {"open"}) ||
         received.operators.may_have_left_decidable_states(command.case_id, received.history, received.sent_at,
                                                           received.received_at);
}

bool is_true(const DecideAdjustment& command, const ReceivedReply& received) {
  const std::int64_t adjustment = command.adjustment_id.value;
  if (command.event == AdjustmentEvent::approve)
    return received.holds(adjustment, {"posted"}, RefusalCode::illegal_transition, {"rejected"});
  return received.holds(adjustment, {"rejected"}, RefusalCode::illegal_transition, {"posted"});
}

// Returns the id or reference of the command's object, for the text of a finding.
std::string subject_of(const Command& command) {
  return std::visit(
      [](const auto& value) -> std::string {
        if constexpr (requires { value.case_id; })
          return to_text(value.case_id);
        else if constexpr (requires { value.adjustment_id; })
          return to_text(value.adjustment_id);
        else if constexpr (requires { value.hold_id; })
          return to_text(value.hold_id);
        else if constexpr (requires { value.delivery_id; })
          return to_text(value.delivery_id);
        else if constexpr (requires { value.authorization_id; })
          return to_text(value.authorization_id);
        else if constexpr (requires { value.account_id.value; })
          return to_text(value.account_id);
        else if constexpr (requires { value.order_id; })
          return to_text(value.order_id);
        else if constexpr (requires { value.reference; })
          return value.reference;
        else
          return "a request";
      },
      command);
}

}  // namespace

void ReplyAuditor::check(const Command& command, const Reply& reply, Time sent_at, Time received_at) {
  const ReceivedReply received{reply, states_, orders_, money_, operators_, sent_at, received_at};
  const bool holds = std::visit([&](const auto& value) { return is_true(value, received); }, command);
  findings_.require(holds, "9 truthful replies",
                    "{} got the reply {} {}, which was not true at any time between {} and {}", subject_of(command),
                    reply.status, reply.refusal ? name_of(reply.refusal->code) : "", to_rfc3339(sent_at),
                    to_rfc3339(received_at));
}

}  // namespace finality::sim
