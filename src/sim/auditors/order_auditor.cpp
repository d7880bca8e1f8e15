#include "sim/auditors/order_auditor.h"

#include "sim/auditors/collected.h"

namespace finality::sim {
namespace {

bool has_open_case(const OrderAggregate& aggregate, std::int64_t object) {
  return std::ranges::any_of(aggregate.cases, [object](const Case& row) {
    return row.object_id == object && !case_machine.is_final(row.state);
  });
}

}  // namespace

void OrderAuditor::look_at(const WorkingSet& rows, Time at) {
  for (const Event& event : rows.events)
    if (event.event == "send" && (event.object_type == ObjectType::refund || event.object_type == ObjectType::reversal))
      claimed_sends_.insert(event.object_id);
  for (const Event& event : rows.events)
    if (event.object_type == ObjectType::payment && event.to_state == name_of(PaymentState::processing) &&
        event.from_state != event.to_state)
      outstanding_since_[PaymentId{event.object_id}] = event.root_version;
  for (const Event& event : rows.events)
    if (event.object_type == ObjectType::webhook_endpoint && (event.event == "deleted" || event.event == "disabled"))
      removed_endpoints_.insert(event.object_id);
  check_still(rows);
  rows.orders.each([&](const OrderId& id, const auto& base, const auto& now) {
    if (!now || (base && base->order.version == now->order.version)) return;
    const auto known = orders_.find(id);
    check_order(known == orders_.end() ? nullptr : &known->second, *now, rows, at);
    for (const Payment& payment : now->payments) order_of_[payment.id] = id;
    orders_.insert_or_assign(id, *now);
  });
  // Ignores rows that the commit has read but not changed: another commit may have changed them since.
  rows.deliveries.each([&](const DeliveryId& id, const auto& base, const auto& now) {
    if (now && (!base || base->delivery.version != now->delivery.version))
      deliveries_.insert_or_assign(id, now->delivery);
  });
}

void OrderAuditor::check_order(const OrderAggregate* before, const OrderAggregate& now, const WorkingSet& rows,
                               Time at) {
  const Order& order = now.order;
  const std::string id = to_text(order.id);
  if (before == nullptr)
    findings_.require(order_numbers_.insert({order.merchant_id, order.merchant_order_no}).second,
                      "9 one order per merchant_order_no", "{} has the merchant_order_no of another order", id);
  findings_.require(order.children == presence_of(now), "1 presence bits", "{} declares {}, but has {}", id,
                    order.children, presence_of(now));
  if (before != nullptr) check_close(*before, now, at);
  check_soft(now);
  const auto winners = std::ranges::count(now.payments, PaymentState::succeeded, &Payment::state);
  findings_.require(winners <= 1, "2 one succeeded payment", "{} has {} succeeded payments", id, winners);
  findings_.require((order.state == OrderState::succeeded) == (winners == 1), "2 one succeeded payment",
                    "{} is {} with {} succeeded payments", id, name_of(order.state), winners);
  findings_.require(!order.parked, "0 parked orders", "{}: a decision on it violated an invariant", id);
  for (const Payment& payment : now.payments) {
    check_payment(now, payment);
    const Payment* known = before != nullptr ? find_row(before->payments, payment.id) : nullptr;
    if (known != nullptr && known->state == payment.state) continue;
    check_ending(now, payment);
  }
  check_channel_accounts(now);
  for (const Receipt& receipt : now.receipts) {
    check_receipt(now, receipt);
    if (before == nullptr || find_row(before->receipts, receipt.id) == nullptr)
      findings_.require(receipts_.insert({receipt.merchant_id, receipt.channel, receipt.channel_trade_no}).second,
                        "3 receipts", "{} {} was booked twice", receipt.channel, receipt.channel_trade_no);
  }
  check_refunds(now);
  for (const Refund& refund : now.refunds) check_external(now, refund);
  for (const Refund& refund : now.refunds)
    if (refund.origin == RefundOrigin::merchant)
      if (before == nullptr || find_row(before->refunds, refund.id) == nullptr)
        findings_.require(refund_numbers_.insert({refund.merchant_id, refund.merchant_refund_no}).second,
                          "9 one refund per merchant_refund_no", "{} has the merchant_refund_no of another refund",
                          to_text(refund.id));
  for (const Reversal& reversal : now.reversals) {
    const Receipt* receipt = find_row(now.receipts, reversal.receipt_id);
    findings_.require(
        receipt != nullptr && reversal.amount <= receipt->amount && reversal.currency == receipt->currency,
        "3 reversals", "{} exceeds its receipt", to_text(reversal.id));
    findings_.require(std::ranges::count(now.reversals, reversal.receipt_id, &Reversal::receipt_id) == 1, "3 reversals",
                      "{} is not the only reversal of its receipt", to_text(reversal.id));
  }
  const bool ends = order_machine.is_final(order.state) && (before == nullptr || before->order.state != order.state);
  if (ends) check_notifications(order, rows);
}

// Receipts, refunds and reversals use the channel account of what collected their money. A payment stores the funds of
// its account.
void OrderAuditor::check_channel_accounts(const OrderAggregate& aggregate) {
  const auto check = [&](const auto& rows) {
    for (const auto& row : rows) {
      const std::optional<CollectedBy> of = collected_by(aggregate, row);
      findings_.require(of && row.channel_account_id == of->channel_account_id, "8 channel account",
                        "{} uses another channel account than what collected it", to_text(row.id));
    }
  };
  check(aggregate.receipts);
  check(aggregate.refunds);
  check(aggregate.reversals);
  for (const Payment& payment : aggregate.payments)
    findings_.require(payment.funds == policy_.funds_of(payment.channel), "8 channel account",
                      "{} has funds {}, its channel account has {}", to_text(payment.id), name_of(payment.funds),
                      name_of(policy_.funds_of(payment.channel)));
}

// Checks that a requested close is never withdrawn, and that an order does not expire before its `expires_at`.
void OrderAuditor::check_close(const OrderAggregate& before, const OrderAggregate& now, Time at) {
  const std::string id = to_text(now.order.id);
  if (before.order.close_requested) {
    findings_.require(now.order.close_requested, "2 one outcome", "{}: its requested close was withdrawn", id);
    findings_.require(now.payments.size() == before.payments.size(), "2 one outcome",
                      "{} is closing, but has a new payment", id);
    return;
  }
  if (!now.order.close_requested || now.order.close_reason != ClosedReason::expired) return;
  findings_.require(at >= before.order.expires_at, "2 one outcome", "{} expires at {}, but was closed at {}", id,
                    to_rfc3339(before.order.expires_at), to_rfc3339(at));
}

// Checks that rows with an unchanged version are unchanged: payments have no new evidence, deliveries no new attempts.
void OrderAuditor::check_still(const WorkingSet& rows) {
  rows.orders.each([&](const OrderId&, const auto& base, const auto& now) {
    if (!now || !base || base->order.version != now->order.version) return;
    for (const Payment& payment : now->payments)
      findings_.require(find_row(base->payments, payment.id)->last_evidence == payment.last_evidence, "1 versions",
                        "{} has new evidence without a step", to_text(payment.id));
  });
  rows.deliveries.each([&](const DeliveryId& id, const auto& base, const auto& now) {
    findings_.require(!now || !base || base->delivery.version != now->delivery.version ||
                          base->delivery.attempts == now->delivery.attempts,
                      "1 versions", "{} was attempted without a step", to_text(id));
  });
}

// Checks that an order is `processing` if and only if a result is outstanding, and that an order closed by the policy
// `local` has no open payments.
void OrderAuditor::check_soft(const OrderAggregate& aggregate) {
  const Order& order = aggregate.order;
  const bool soft = std::ranges::any_of(aggregate.payments, [](const Payment& payment) {
    return payment.state == PaymentState::created || payment.state == PaymentState::processing;
  });
  findings_.require(order_machine.is_final(order.state) || (order.state == OrderState::processing) == soft,
                    "10 unknown results", "{} is {}, but a result is {}outstanding", to_text(order.id),
                    name_of(order.state), soft ? "" : "not ");
  if (!order.close_requested || order.close_policy != ClosePolicy::local) return;
  for (const Payment& payment : aggregate.payments)
    findings_.require(payment_machine.is_final(payment.state), "2 one outcome", "{} was closed locally, but {} is {}",
                      to_text(order.id), to_text(payment.id), name_of(payment.state));
}

const OrderAggregate* OrderAuditor::order_of(PaymentId payment) const {
  const auto at = order_of_.find(payment);
  return at == order_of_.end() ? nullptr : &orders_.at(at->second);
}

bool OrderAuditor::is_to_removed_endpoint(DeliveryId id) const {
  const auto at = deliveries_.find(id);
  return at != deliveries_.end() && at->second.endpoint_id &&
         removed_endpoints_.contains(at->second.endpoint_id->value);
}

void OrderAuditor::check_payment(const OrderAggregate& aggregate, const Payment& payment) {
  const std::string id = to_text(payment.id);
  std::int64_t accepted = 0;
  for (const Receipt& receipt : aggregate.receipts) {
    if (receipt.payment_id != payment.id || receipt.state != ReceiptState::accepted) continue;
    ++accepted;
    findings_.require(receipt.amount == aggregate.order.amount && receipt.currency == aggregate.order.currency,
                      "3 receipts", "{} accepted {} for an order of {}", id, receipt.amount, aggregate.order.amount);
    const Trade* trade = upstream_.find_trade(receipt.channel, receipt.channel_trade_no);
    findings_.require(receipt.channel == kWallet || (trade != nullptr && trade->paid == receipt.amount), "3 receipts",
                      "{} accepted money that no payer paid", id);
  }
  const bool won = payment.state == PaymentState::succeeded;
  findings_.require(accepted == (won ? 1 : 0), "3 receipts", "{} is {} with {} accepted receipts", id,
                    name_of(payment.state), accepted);
}

// Checks that the refunds which the merchant requested have an accepted receipt and do not exceed it.
void OrderAuditor::check_refunds(const OrderAggregate& aggregate) {
  std::map<ReceiptId, MinorUnits> requested;
  for (const Refund& refund : aggregate.refunds) {
    if (refund.origin != RefundOrigin::merchant || refund.state == RefundState::failed) continue;
    const Receipt* receipt = refunded_receipt(aggregate, refund);
    const bool is_accepted = receipt != nullptr && receipt->state == ReceiptState::accepted;
    findings_.require(is_accepted, "5 refunds", "{} returns no accepted receipt", to_text(refund.id));
    if (is_accepted) requested[receipt->id] += refund.amount - refund.returned_amount;
  }
  for (const auto& [id, sum] : requested) {
    const MinorUnits amount = find_row(aggregate.receipts, id)->amount;
    findings_.require(sum <= amount, "5 refunds", "{} of {} is refunded {}", to_text(id), amount, sum);
  }
}

// Checks that the payer has paid the trade of the receipt, and that a receipt in suspense has a reversal or an open
// exception case.
void OrderAuditor::check_receipt(const OrderAggregate& aggregate, const Receipt& receipt) {
  const Trade* trade = upstream_.find_trade(receipt.channel, receipt.channel_trade_no);
  findings_.require(receipt.channel == kWallet || (trade != nullptr && trade->paid > 0), "12 forged notifications",
                    "{} is of an unpaid trade", to_text(receipt.id));
  if (receipt.state != ReceiptState::suspense) return;
  const bool is_reversed =
      std::ranges::any_of(aggregate.reversals, [&](const Reversal& row) { return row.receipt_id == receipt.id; });
  const std::optional<CollectedBy> of = collected_by(aggregate, receipt);
  findings_.require(is_reversed || (of && has_open_case(aggregate, of->id.value)), "3 receipts",
                    "{} is in suspense without a reversal or a case", to_text(receipt.id));
}

// Checks that an external refund, made by the channel without a request, is never sent to the channel and has an
// exception case.
void OrderAuditor::check_external(const OrderAggregate& aggregate, const Refund& refund) {
  if (refund.origin == RefundOrigin::merchant) return;
  findings_.require(refund.state != RefundState::pending, "5 refunds", "{} was made by the channel, but would be sent",
                    to_text(refund.id));
  if (refund.state != RefundState::succeeded) return;
  const bool known = std::ranges::any_of(aggregate.cases, [&](const Case& row) {
    return row.object_id == refund.id.value &&
           (row.kind == CaseKind::external_refund || row.kind == CaseKind::refunded_twice);
  });
  findings_.require(known, "3 exception queue", "{} was refunded by the channel, but no case was opened",
                    to_text(refund.id));
}

// Checks invariant 10: a payment ends unpaid only because of a channel's result, a policy or an operator.
void OrderAuditor::check_ending(const OrderAggregate& aggregate, const Payment& payment) {
  const auto reported = [&](EvidenceKind kind) {
    return upstream_.has_reported(payment.channel, payment.out_trade_no, kind);
  };
  const bool has_receipt =
      std::ranges::any_of(aggregate.receipts, [&](const Receipt& receipt) { return receipt.payment_id == payment.id; });
  if (payment.state == PaymentState::failed)
    findings_.require(payment.channel == kWallet || has_receipt || reported(EvidenceKind::failed),
                      "10 unknown is not failed", "{} failed, but the channel never reported that",
                      to_text(payment.id));
  if (payment.state != PaymentState::closed) return;
  const bool by_policy = aggregate.order.close_requested && aggregate.order.close_policy == ClosePolicy::local;
  const bool by_operators = std::ranges::any_of(aggregate.cases, [&](const Case& row) {
    return (row.kind == CaseKind::result_overdue || row.kind == CaseKind::not_accepted) &&
           row.object_id == payment.id.value;
  });
  findings_.require(
      has_receipt || by_policy || by_operators || reported(EvidenceKind::closed) || reported(EvidenceKind::not_found),
      "10 unknown is not failed", "{} was closed without a reason", to_text(payment.id));
}

// Checks invariant 11: the commit that ends an order also creates the notifications of its end.
void OrderAuditor::check_notifications(const Order& order, const WorkingSet& rows) {
  const std::string type = "order." + std::string(name_of(order.state));
  std::int64_t expected = order.notify_url ? 1 : 0;
  if (rows.endpoints.loaded(order.merchant_id))
    for (const WebhookEndpoint& endpoint : *rows.endpoints.find(order.merchant_id))
      expected += endpoint.state == EndpointState::enabled && endpoint.types.empty();
  std::int64_t notified = 0;
  rows.deliveries.each([&](const auto&, const auto& base, const auto& now) {
    notified += !base && now && now->delivery.order_id == order.id && now->delivery.type == type;
  });
  // If an endpoint is disabled later in the same batch, there are more deliveries than enabled endpoints.
  findings_.require(notified >= expected, "11 notified in the same commit", "{} is {}: {} of {} addresses are notified",
                    to_text(order.id), name_of(order.state), notified, expected);
}

void OrderAuditor::look_at(const Effect& effect) {
  if (const auto* deliver = std::get_if<DeliveryAttempt>(&effect)) {
    const auto known = deliveries_.find(deliver->delivery.id);
    findings_.require(known != deliveries_.end() && known->second.body == deliver->delivery.body,
                      "11 effects after their commit", "{} is sent, but differs from the commit",
                      to_text(deliver->delivery.id));
    return;
  }
  if (const auto* refund = std::get_if<RefundCall>(&effect)) return check_call(*refund);
  const auto* call = std::get_if<ChannelCall>(&effect);
  if (call == nullptr || call->kind == ChannelCallKind::query_payment) return;
  const auto known = orders_.find(call->order.id);
  findings_.require(known != orders_.end(), "11 effects after their commit", "{} was not committed",
                    to_text(call->order.id));
  if (known == orders_.end()) return;
  // Ignores results that became outstanding after the version from which the call was decided: a later command of the
  // same batch may have caused this.
  const bool sends = call->kind == ChannelCallKind::send_payment;
  for (const Payment& other : known->second.payments) {
    const bool is_outstanding =
        other.state == PaymentState::processing && outstanding_since_[other.id] <= call->order.version;
    findings_.require(!is_outstanding || (sends && other.id == call->payment.id), "10 one outstanding result",
                      "{} {} of {}, while the result of {} is outstanding", name_of(call->kind),
                      to_text(call->payment.id), to_text(call->order.id), to_text(other.id));
  }
}

// Checks that a refund is sent with the trade_no of its receipt and with the committed out_refund_no and amount.
void OrderAuditor::check_call(const RefundCall& call) {
  const auto at = orders_.find(call.order_id);
  if (at == orders_.end() || call.kind != RefundCallKind::send_refund) return;
  const OrderAggregate& order = at->second;
  // An earlier attempt may have succeeded in the same commit. The engine then queries the refund as an external refund.
  const bool is_followed = std::ranges::any_of(order.refunds, [&](const Refund& refund) {
    return refund.origin == RefundOrigin::channel && refund.out_refund_no == call.out_refund_no &&
           refund.reported_amount == call.amount;
  });
  if (is_followed) return;
  const auto require = [&](bool claimed, const std::string& number, MinorUnits amount, const Receipt* receipt) {
    findings_.require(claimed && number == call.out_refund_no && amount == call.amount && receipt != nullptr &&
                          receipt->channel_trade_no == call.channel_trade_no,
                      "11 effects after their commit", "{} is sent, but differs from the commit", to_text(call.row));
  };
  // The result can be recorded between the commit of the claim and the effect.
  const bool is_claimed = claimed_sends_.erase(call.row.value) > 0;
  if (const Reversal* reversal = find_row(order.reversals, ReversalId{call.row.value}))
    require(reversal->state == ReversalState::processing || is_claimed, reversal->out_refund_no, reversal->amount,
            find_row(order.receipts, reversal->receipt_id));
  if (const Refund* refund = find_row(order.refunds, RefundId{call.row.value}))
    require(refund->state == RefundState::processing || is_claimed, refund->out_refund_no, refund->amount,
            refunded_receipt(order, *refund));
}

}  // namespace finality::sim
