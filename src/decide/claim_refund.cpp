#include "decide/claim_refund.h"

#include "decide/external_refund.h"
#include "model/out_trade_no.h"

namespace finality {
namespace {

std::string reason_of(const Refund& refund) { return refund.reason.value_or(""); }
std::string reason_of(const Reversal&) { return {}; }

// What the channel's own record of it says.
MinorUnits amount_of(const Refund& refund) { return is_external(refund) ? refund.reported_amount : refund.amount; }
MinorUnits amount_of(const Reversal& reversal) { return reversal.amount; }

template <class Row>
void ask_worker(Context& context, const OrderAggregate& aggregate, const Row& row, RefundCallKind kind, Time deadline) {
  const Receipt* receipt = receipt_of(aggregate, row);
  const Payment* payment = find_row(aggregate.payments, row.payment_id);
  FINALITY_CHECK(receipt != nullptr && payment != nullptr, "money goes back to a trade that is not there");
  RefundCall call;
  call.kind = kind;
  call.row = row.id;
  call.merchant_id = row.merchant_id;
  call.order_id = row.order_id;
  call.channel = receipt->channel;
  call.channel_account_id = row.channel_account_id;
  call.channel_trade_no = receipt->channel_trade_no;
  call.out_refund_no = row.out_refund_no;
  call.amount = amount_of(row);
  call.trade_amount = receipt->amount;
  call.currency = row.currency;
  call.scenario = payment->scenario;
  call.reason = reason_of(row);
  call.deadline = deadline;
  context.effects.emplace_back(std::move(call));
}

// Unknown keeps its number; only a new attempt after a refusal takes a new one.
template <class Row, class SendEvent>
void send(OrderWriter& writer, Row& row, SendEvent event) {
  Context& context = writer.context();
  if (row.out_refund_no.empty()) {
    row.attempts += 1;
    row.out_refund_no = out_refund_number(row.merchant_id, row.id.value, row.attempts);
  }
  writer.step(row, event);
  const Time deadline = context.now + context.policy.channel_timeout;
  row.send_deadline = deadline;
  row.due_at = deadline + limits::kEffectMargin;
  ask_worker(context, writer.aggregate(), row, RefundCallKind::send_refund, deadline);
}

template <class Machine, class Rows>
void claim(Context& context, const ClaimRefund& command, const Machine& machine, Rows OrderAggregate::* rows) {
  using Row = typename Rows::value_type;
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  const auto id = decltype(Row::id){command.row.value};
  const Row* due = found != nullptr ? find_row(found->*rows, id) : nullptr;
  if (due == nullptr || due->due_at != command.due_at || found->order.parked) return;

  if (machine.due_effect(due->state) == RefundEffect::send) {
    OrderWriter writer(context, command.order_id);
    claim_send(writer, *find_row(writer.aggregate().*rows, id));
    return;
  }
  OrderAggregate& aggregate = context.rows.orders.change(command.order_id);
  Row& row = *find_row(aggregate.*rows, id);
  const Time deadline = context.now + context.policy.channel_timeout;
  row.due_at = deadline + limits::kEffectMargin;
  ask_worker(context, aggregate, row, RefundCallKind::query_refund, deadline);
}

}  // namespace

void claim_send(OrderWriter& writer, Refund& refund) { send(writer, refund, RefundEvent::send); }
void claim_send(OrderWriter& writer, Reversal& reversal) { send(writer, reversal, ReversalEvent::send); }

void add_needs(const ClaimRefund& command, Needs& needs) {
  needs.orders.push_back(command.order_id);
  needs.merchants.push_back(command.merchant_id);
}

Decision decide(const ClaimRefund& command, Context& context) {
  if (command.row.type == ObjectType::refund)
    claim(context, command, refund_machine, &OrderAggregate::refunds);
  else
    claim(context, command, reversal_machine, &OrderAggregate::reversals);
  return Done{command.row};
}

}  // namespace finality
