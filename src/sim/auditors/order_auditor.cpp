#include "sim/auditors/order_auditor.h"

#include "model/out_trade_no.h"
#include "sim/auditors/collected.h"
#include "sim/auditors/notices.h"

namespace finality::sim {
namespace {

bool has_open_case(const OrderAggregate& aggregate, std::int64_t object) {
  return std::ranges::any_of(aggregate.cases, [object](const Case& row) {
    return row.object_id == object && !case_machine.is_final(row.state);
  });
}

// Whether the payment has a case about its amount: one that is open, or one in which operators accepted the amount.
bool has_mismatch_case(const OrderAggregate& aggregate, PaymentId payment, bool is_accepted) {
  return std::ranges::any_of(aggregate.cases, [&](const Case& row) {
    const bool is_over = row.state == CaseState::resolved;
    return row.kind == CaseKind::amount_mismatch && row.object_id == payment.value && is_over == is_accepted &&
           (!is_accepted || (row.resolution == "accept" && row.approved_by));
  });
}

}  // namespace

void OrderAuditor::look_at(const WorkingSet& rows, Time at) {
  for (const Event& event : rows.events)
    if (event.event == "send" && (event.object_type == ObjectType::refund || event.object_type == ObjectType::reversal))
      claimed_sends_.insert(event.object_id);
  for (const Event& event : rows.events) {
    const bool is_attempt = event.object_type == ObjectType::payment || event.object_type == ObjectType::authorization;
    const bool waits = event.to_state == "processing" || event.to_state == "under_review";
    if (is_attempt && waits && event.from_state != event.to_state)
      outstanding_since_[event.object_id] = event.root_version;
  }
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
  const bool is_manual = order.capture_method == CaptureMethod::manual;  // see AuthorizationAuditor
  findings_.require(is_manual || (order.state == OrderState::succeeded) == (winners == 1), "2 one succeeded payment",
                    "{} is {} with {} succeeded payments", id, name_of(order.state), winners);
  check_sums(now);
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
      findings_.require(
          receipts_.insert({receipt.merchant_id, receipt.channel, receipt.channel_trade_no, receipt.ordinal}).second,
          "3 receipts", "{} {} was booked twice with the ordinal {}", receipt.channel, receipt.channel_trade_no,
          receipt.ordinal);
  }
  check_refunds(now);
  for (const Refund& refund : now.refunds) check_external(now, refund);
  for (const Return& row : now.returns)
    findings_.require(find_row(now.refunds, row.refund_id) != nullptr, "3 returns",
                      "{} returns {}, which {} does not have", to_text(row.id), to_text(row.refund_id), id);
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
  const bool is_notified = order_machine.is_final(order.state) || order.state == OrderState::authorized;
  if (is_notified && (before == nullptr || before->order.state != order.state)) check_notifications(order, rows);
}

// Checks that the paid amount is the sum of the accepted receipts.
void OrderAuditor::check_sums(const OrderAggregate& aggregate) {
  MinorUnits accepted = 0;
  for (const Receipt& receipt : aggregate.receipts)
    if (receipt.state == ReceiptState::accepted) accepted += receipt.amount;
  findings_.require(aggregate.order.paid_amount == accepted, "3 receipts",
                    "{} shows {} as paid, its accepted receipts sum to {}", to_text(aggregate.order.id),
                    aggregate.order.paid_amount, accepted);
}

// Receipts, refunds and reversals use the channel account of what collected their money. A payment or authorization
// stores the funds of its account.
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
  const auto check_funds = [&](const auto& rows) {
    for (const auto& row : rows)
      findings_.require(row.funds == policy_.funds_of(row.channel), "8 channel account",
                        "{} has funds {}, its channel account has {}", to_text(row.id), name_of(row.funds),
                        name_of(policy_.funds_of(row.channel)));
  };
  check_funds(aggregate.payments);
  check_funds(aggregate.authorizations);
}

// Checks that a requested close is never withdrawn, and that an order does not expire before its `expires_at`.
void OrderAuditor::check_close(const OrderAggregate& before, const OrderAggregate& now, Time at) {
  const std::string id = to_text(now.order.id);
  if (before.order.close_requested) {
    findings_.require(now.order.close_requested, "2 one outcome", "{}: its requested close was withdrawn", id);
    findings_.require(
        now.payments.size() == before.payments.size() && now.authorizations.size() == before.authorizations.size(),
        "2 one outcome", "{} is closing, but has a new payment or authorization", id);
    return;
  }
  if (!now.order.close_requested || now.order.close_reason != ClosedReason::expired) return;
  const bool has_lapsed = std::ranges::count(now.authorizations, EndReason::expired, &Authorization::end_reason) > 0;
  if (has_lapsed) return;  // the deadline of captures has closed the order
  findings_.require(at >= before.order.expires_at, "2 one outcome", "{} expires at {}, but was closed at {}", id,
                    to_rfc3339(before.order.expires_at), to_rfc3339(at));
}

// Checks that rows with an unchanged version are unchanged: payments, authorizations and captures have no new evidence,
// deliveries no new attempts.
void OrderAuditor::check_still(const WorkingSet& rows) {
  rows.orders.each([&](const OrderId&, const auto& base, const auto& now) {
    if (!now || !base || base->order.version != now->order.version) return;
    const auto check = [&](const auto& before, const auto& after) {
      for (const auto& row : after) {
        const auto* known = find_row(before, row.id);
        findings_.require(known != nullptr && known->last_evidence == row.last_evidence, "1 versions",
                          "{} has new evidence without a step", to_text(row.id));
      }
    };
    check(base->payments, now->payments);
    check(base->authorizations, now->authorizations);
    check(base->captures, now->captures);
  });
  rows.deliveries.each([&](const DeliveryId& id, const auto& base, const auto& now) {
    findings_.require(!now || !base || base->delivery.version != now->delivery.version ||
                          base->delivery.attempts == now->delivery.attempts,
                      "1 versions", "{} was attempted without a step", to_text(id));
  });
}

// Checks that an order without a hold is `processing` if and only if a result is outstanding, and that an order closed
// by the policy `local` has no open payments.
void OrderAuditor::check_soft(const OrderAggregate& aggregate) {
  const Order& order = aggregate.order;
  const auto is_soft = [](const auto& row) {
    using State = decltype(row.state);
    return row.state == State::created || row.state == State::processing;
  };
  const bool soft = std::ranges::count(aggregate.payments, PaymentState::under_review, &Payment::state) > 0 ||
                    std::ranges::any_of(aggregate.payments, is_soft) ||
                    std::ranges::any_of(aggregate.authorizations, is_soft);
  const bool is_over = order_machine.is_final(order.state) || order.state == OrderState::authorized;
  findings_.require(is_over || (order.state == OrderState::processing) == soft, "10 unknown results",
                    "{} is {}, but a result is {}outstanding", to_text(order.id), name_of(order.state),
                    soft ? "" : "not ");
  if (!order.close_requested || order.close_policy != ClosePolicy::local) return;
  for (const Payment& payment : aggregate.payments)
    findings_.require(payment_machine.is_final(payment.state), "2 one outcome", "{} was closed locally, but {} is {}",
                      to_text(order.id), to_text(payment.id), name_of(payment.state));
}

const OrderAggregate* OrderAuditor::order_of(PaymentId payment) const {
  const auto at = order_of_.find(payment);
  return at == order_of_.end() ? nullptr : &orders_.at(at->second);
}

const OrderAggregate* OrderAuditor::order_named(std::string_view out_trade_no) const {
  if (const auto payment = parse_out_trade_no(out_trade_no)) return order_of(payment->payment_id);
  const auto number = parse_ordinal_no(out_trade_no);
  const auto at = number ? orders_.find(number->order_id) : orders_.end();
  return at == orders_.end() ? nullptr : &at->second;
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
    const MinorUnits difference = receipt.amount - aggregate.order.amount;
    findings_.require(receipt.currency == aggregate.order.currency && receipt.accepted_difference == difference &&
                          (difference == 0 || has_mismatch_case(aggregate, payment.id, true)),
                      "3 receipts", "{} accepted {} for an order of {}", id, receipt.amount, aggregate.order.amount);
    const Trade* trade = upstream_.find_trade(receipt.channel, receipt.channel_trade_no);
    findings_.require(receipt.channel == kWallet || (trade != nullptr && trade->paid == receipt.amount), "3 receipts",
                      "{} accepted money that no payer paid", id);
  }
  const bool is_reviewed = payment.state == PaymentState::under_review;
  findings_.require(!is_reviewed || (has_mismatch_case(aggregate, payment.id, false) &&
                                     !order_machine.is_final(aggregate.order.state)),
                    "3 receipts", "{} is under review without an open case or order", id);
  const bool won = payment.state == PaymentState::succeeded;
  findings_.require(accepted == (won ? 1 : 0), "3 receipts", "{} is {} with {} accepted receipts", id,
                    name_of(payment.state), accepted);
}

// Checks that the refunds which the merchant requested have an accepted receipt, and do not exceed the accepted
// receipts of its trade.
void OrderAuditor::check_refunds(const OrderAggregate& aggregate) {
  const auto is_requested = [](const Refund& refund) {
    return refund.origin == RefundOrigin::merchant && refund.state != RefundState::failed;
  };
  for (const Refund& refund : aggregate.refunds) {
    const Receipt* receipt = refunded_receipt(aggregate, refund);
    const bool is_accepted = receipt != nullptr && receipt->state == ReceiptState::accepted;
    findings_.require(is_accepted || !is_requested(refund), "5 refunds", "{} returns no accepted receipt",
                      to_text(refund.id));
  }
  for (const Receipt& receipt : aggregate.receipts) {
    if (receipt.state != ReceiptState::accepted) continue;
    MinorUnits amount = 0;
    for (const Receipt& other : aggregate.receipts)
      if (other.state == ReceiptState::accepted && is_one_trade(aggregate, other, receipt)) amount += other.amount;
    const MinorUnits sum = refunds_of_trade(aggregate, receipt, is_requested);
    findings_.require(sum <= amount, "5 refunds", "{} of {} is refunded {}", to_text(receipt.id), amount, sum);
  }
}

// Checks that the payer has paid the trade of the receipt, and that a receipt in suspense has a reversal or an open
// exception case.
void OrderAuditor::check_receipt(const OrderAggregate& aggregate, const Receipt& receipt) {
  const Trade* trade = trade_of(upstream_, aggregate, receipt);
  const Capture* capture = receipt.capture_id ? find_row(aggregate.captures, *receipt.capture_id) : nullptr;
  const bool is_of_total = capture != nullptr && capture->out_trade_no.empty();  // see AuthorizationAuditor
  findings_.require(receipt.channel == kWallet || is_of_total || (trade != nullptr && trade->paid > 0),
                    "12 forged notifications", "{} is of an unpaid trade", to_text(receipt.id));
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

// Checks invariant 11: the commit that authorizes or ends an order also creates its notifications.
void OrderAuditor::check_notifications(const Order& order, const WorkingSet& rows) {
  const std::string type = "order." + std::string(name_of(order.state));
  const std::int64_t expected = addresses_of(order, rows);
  const std::int64_t notified = new_deliveries_of(order, type, rows);
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
  const auto check = [&](const auto& call, const auto& row, bool sends) {
    const auto known = orders_.find(call.order.id);
    findings_.require(known != orders_.end(), "11 effects after their commit", "{} was not committed",
                      to_text(call.order.id));
    if (known != orders_.end()) check_outstanding(known->second, call.order, row, name_of(call.kind), sends);
  };
  if (const auto* call = std::get_if<ChannelCall>(&effect); call != nullptr && !is_query(*call))
    check(*call, call->payment, call->kind == ChannelCallKind::send_payment);
  const auto* of_hold = std::get_if<AuthorizationCall>(&effect);
  const bool releases = of_hold != nullptr && of_hold->kind == AuthorizationCallKind::release_authorization;
  if (of_hold != nullptr && !is_query(*of_hold) && !releases)
    check(*of_hold, of_hold->authorization, of_hold->kind == AuthorizationCallKind::send_authorization);
}

// Checks that nothing is sent or closed while the result of another payment or authorization of the order is
// outstanding, or operators decide about another payment. Ignores results that became outstanding after the version
// from which the call was decided: a later command of the same batch may have caused this.
template <class Row>
void OrderAuditor::check_outstanding(const OrderAggregate& known, const Order& decided, const Row& row,
                                     std::string_view kind, bool sends) {
  const auto check = [&](const auto& others) {
    for (const auto& other : others) {
      const std::string_view state = name_of(other.state);
      const bool is_outstanding =
          (state == "processing" || state == "under_review") && outstanding_since_[other.id.value] <= decided.version;
      const bool is_same = ObjectRef(other.id) == ObjectRef(row.id);
      findings_.require(!is_outstanding || (sends && is_same), "10 one outstanding result",
                        "{} {} of {}, while the result of {} is outstanding", kind, to_text(row.id),
                        to_text(decided.id), to_text(other.id));
    }
  };
  check(known.payments);
  check(known.authorizations);
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
                          trade_number(order, *receipt) == call.channel_trade_no,
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
