#include "sim/auditors/reply_auditor.h"

#include "base/limits.h"

namespace finality::sim {
namespace {

using States = std::initializer_list<std::string_view>;

constexpr Duration kSkewMax = std::chrono::minutes(31);  // maximum error of an engine's clock

/// A reply and the data to verify it.
struct Told {
  const Reply& reply;
  const StateHistory& history;
  const OrderAuditor& orders;
  const MoneyAuditor& money;
  const CaseAuditor& operators;
  Time asked;
  Time heard;

  bool done() const { return reply.status < 400; }
  bool refused(RefusalCode code) const { return reply.refusal && reply.refusal->code == code; }
  bool was_in(std::int64_t object, States states) const { return history.was_in(object, states, asked, heard); }
  /// True if a success occurred in one of `states` and a refusal with `code` in one of `others`.
  bool holds(std::int64_t object, States states, RefusalCode code, States others) const {
    if (done()) return was_in(object, states);
    return !refused(code) || was_in(object, others);
  }
};

template <class C>
bool is_true(const C&, const Told&) {
  return true;
}

bool is_true(const ChangeAccount& command, const Told& told) {
  constexpr RefusalCode code = RefusalCode::account_closed;
  const std::int64_t account = command.account_id.value;
  if (command.event == AccountEvent::freeze) return told.holds(account, {"frozen"}, code, {"closed"});
  if (command.event == AccountEvent::unfreeze) return told.holds(account, {"open"}, code, {"closed"});
  return told.holds(account, {"closed"}, code, {});
}

bool is_true(const LockAccount& command, const Told& told) {
  return told.holds(command.account_id.value, {"open", "frozen"}, RefusalCode::account_closed, {"closed"});
}

bool is_true(const PostHold& command, const Told& told) {
  return told.holds(command.hold_id.value, {"posted"}, RefusalCode::hold_not_open, {"posted", "voided", "expired"});
}

bool is_true(const VoidHold& command, const Told& told) {
  return told.holds(command.hold_id.value, {"voided"}, RefusalCode::hold_not_open, {"posted", "voided", "expired"});
}

bool is_true(const ReverseTransfer&, const Told& told) {
  return !told.done() || !told.reply.object || told.was_in(told.reply.object->value, {"reversed", "refused"});
}

// An open account does not reject a hold because of its state.
bool is_true(const CreateHold&, const Told& told) { return !told.refused(RefusalCode::illegal_transition); }

bool is_true(const PostTransfer& command, const Told& told) {
  if (told.refused(RefusalCode::illegal_transition)) return false;
  if (!told.refused(RefusalCode::already_reversed)) return true;
  const TransferId transfer = told.money.transfer(command.merchant_id, command.source, command.reference);
  return told.was_in(transfer.value, {"reversed"});
}

bool is_true(const CloseOrder& command, const Told& told) {
  return told.holds(command.order_id.value, {"pending", "processing", "failed", "closed"}, RefusalCode::order_succeeded,
                    {"succeeded"});
}

// Conditions that prevent payment are permanent, so they still hold when the reply is received.
bool takes_no_payment(const OrderAggregate& aggregate, const Told& told) {
  const Order& order = aggregate.order;
  const auto count = static_cast<std::int64_t>(aggregate.payments.size());
  return order_machine.is_final(order.state) || order.close_requested || order.expires_at <= told.heard + kSkewMax ||
         count >= order.attempts.value_or(limits::kAttemptsMax);
}

bool is_true(const StartPayment& command, const Told& told) {
  if (told.refused(RefusalCode::payment_in_progress)) return told.was_in(command.order_id.value, {"processing"});
  const auto order = told.orders.orders().find(command.order_id);
  return !told.refused(RefusalCode::order_not_payable) || order == told.orders.orders().end() ||
         takes_no_payment(order->second, told);
}

bool is_true(const ResendDelivery& command, const Told& told) {
  const std::int64_t delivery = command.delivery_id.value;
  if (told.done()) return told.was_in(delivery, {"pending", "delivered"});
  return !told.refused(RefusalCode::illegal_transition) || told.was_in(delivery, {"given_up"}) ||
         told.orders.is_unwanted(command.delivery_id);
}

bool is_true(const ProposeResolution& command, const Told& told) {
  return told.holds(command.case_id.value, {"proposed"}, RefusalCode::illegal_transition, {"resolved"});
}

bool is_true(const ApproveResolution& command, const Told& told) {
  if (told.done()) return told.was_in(command.case_id.value, {"resolved"});
  // If another resolution is proposed by now, the approver acted on outdated data.
  const bool others_word = told.was_in(command.case_id.value, {"proposed"}) &&
                           told.operators.proposed_otherwise(command.case_id, command.resolution, told.asked);
  return !told.refused(RefusalCode::illegal_transition) || others_word ||
         told.was_in(command.case_id.value, {"open"}) ||
         told.operators.had_gone_on(command.case_id, told.history, told.asked, told.heard);
}

// The object of the command, for the finding's text.
std::string subject_of(const Command& command) {
  return std::visit(
      [](const auto& one) -> std::string {
        if constexpr (requires { one.case_id; })
          return to_text(one.case_id);
        else if constexpr (requires { one.hold_id; })
          return to_text(one.hold_id);
        else if constexpr (requires { one.delivery_id; })
          return to_text(one.delivery_id);
        else if constexpr (requires { one.account_id.value; })
          return to_text(one.account_id);
        else if constexpr (requires { one.order_id; })
          return to_text(one.order_id);
        else if constexpr (requires { one.reference; })
          return one.reference;
        else
          return "a request";
      },
      command);
}

}  // namespace

void ReplyAuditor::hear(const Command& command, const Reply& reply, Time asked, Time heard) {
  const Told told{reply, states_, orders_, money_, operators_, asked, heard};
  const bool holds = std::visit([&](const auto& one) { return is_true(one, told); }, command);
  findings_.require(holds, "9 truthful replies",
                    "{} got the reply {} {}, which was not true at any time between {} and {}", subject_of(command),
                    reply.status, reply.refusal ? name_of(reply.refusal->code) : "", to_rfc3339(asked),
                    to_rfc3339(heard));
}

}  // namespace finality::sim
