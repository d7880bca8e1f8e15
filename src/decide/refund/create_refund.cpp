#include "decide/refund/create_refund.h"

#include "decide/add_row.h"
#include "decide/authorization/held.h"
#include "decide/channel/channel_operation.h"
#include "decide/payment/find_payment.h"
#include "decide/payment/pay_from_account.h"
#include "decide/payment/trade.h"
#include "decide/post.h"
#include "decide/refund/external_refund.h"
#include "model/natural_key.h"

namespace finality {
namespace {

/// The object that a request names, and the collector of the receipt that is refunded.
struct Refunded {
  const OrderAggregate* aggregate = nullptr;  // null: the object does not exist
  std::string_view param;                     // request field that names the object
  std::string state;                          // of the object
  std::optional<Collector> collector{};       // empty: nothing was collected
  const Authorization* authorization = nullptr;
};

Refunded find_refunded_payment(const CreateRefund& command, const Context& context) {
  const auto [aggregate, payment] = find_payment(context.rows, PaymentId{command.collected.value});
  if (payment == nullptr) return {};
  return {aggregate, "payment", std::string(name_of(payment->state)), collector_of(*payment)};
}

// Returns the collector of the first accepted receipt of the authorization's captures: that receipt represents the
// trade of all captures where the channel refunds the authorization.
std::optional<Collector> first_collector_of(const OrderAggregate& aggregate, const Authorization& authorization) {
  for (const Receipt& receipt : aggregate.receipts) {
    const Collector collector = collector_of(aggregate, receipt);
    if (collector.authorization_id == authorization.id && receipt.state == ReceiptState::accepted) return collector;
  }
  return std::nullopt;
}

Refunded find_refunded(const CreateRefund& command, const Context& context) {
  const auto [type, id] = command.collected;
  if (type == ObjectType::payment) return find_refunded_payment(command, context);
  const OrderAggregate* aggregate = context.rows.orders.find(command.order_id);
  if (aggregate == nullptr) return {};
  const Capture* capture = type == ObjectType::capture ? find_row(aggregate->captures, CaptureId{id}) : nullptr;
  const Authorization* authorization =
      find_row(aggregate->authorizations, capture != nullptr ? capture->authorization_id : AuthorizationId{id});
  if (authorization == nullptr) return {};
  if (capture != nullptr)
    return {aggregate, "capture", std::string(name_of(capture->state)), collector_of(*authorization, *capture),
            authorization};
  return {aggregate, "authorization", std::string(name_of(authorization->state)),
          first_collector_of(*aggregate, *authorization), authorization};
}

std::unexpected<Refusal> no_such_object(const CreateRefund& command) {
  const std::string_view param = name_of(command.collected.type);
  return refuse(
      RefusalCode::not_found,
      fmt::format("The {} does not exist. If its order was archived, name the order in the field order.", param),
      std::string(param));
}

std::unexpected<Refusal> refuse_refund(const Refunded& refunded, std::string detail) {
  return refuse(RefusalCode::payment_not_refundable, std::move(detail), std::string(refunded.param), refunded.state);
}

// Refuses a request that names a capture of a channel that refunds authorizations, or the reverse.
std::expected<void, Refusal> check_refund_by(const Policy& policy, const Refunded& refunded) {
  if (refunded.authorization == nullptr) return {};
  const AuthorizationTerms* terms = policy.terms_of(refunded.authorization->channel);
  if (terms == nullptr || name_of(terms->refund_by) == refunded.param) return {};
  return refuse_refund(refunded,
                       fmt::format("{} refunds by {}. Name the {} in the field {}.", refunded.authorization->channel,
                                   name_of(terms->refund_by), name_of(terms->refund_by), name_of(terms->refund_by)));
}

// Whether the collector is a capture that the channel has only included in a total, and whose trade has a number of its
// own, so that it cannot be named.
bool is_unnamed(const Policy& policy, const OrderAggregate& aggregate, const Collector& collector) {
  const AuthorizationTerms* terms = collector.authorization_id ? policy.terms_of(collector.channel) : nullptr;
  if (terms != nullptr && terms->refund_by == RefundBy::authorization) return false;
  const Capture* capture =
      collector.id.type == ObjectType::capture ? find_row(aggregate.captures, CaptureId{collector.id.value}) : nullptr;
  return capture != nullptr && is_unnumbered(*capture);
}

// Returns why a capture that is_unnamed() cannot be refunded.
std::string unnamed_detail(const OrderAggregate& aggregate, const Collector& collector) {
  if (unexplained_of(aggregate, *collector.authorization_id) == 0)
    return "This amount consists of several trades, of captures that the channel had refused. Only the channel can "
           "refund them; see the cases conflicting_result.";
  return "The channel captured this amount without a request and has not reported the number of its trade. Refunds are "
         "possible once it is known; see the case external_capture.";
}

// Refuses while no amount of the object can be refunded, whatever the requested amount.
std::expected<void, Refusal> check_refundable(const Context& context, const Refunded& refunded) {
  const OrderAggregate& aggregate = *refunded.aggregate;
  if (!refunded.collector || accepted_receipt_of(aggregate, refunded.collector->id) == nullptr ||
      aggregate.order.parked)
    return refuse_refund(
        refunded, fmt::format("Only {} of an order that is not parked can be refunded.",
                              refunded.param == "authorization" ? "an authorization with a succeeded capture"
                                                                : fmt::format("a succeeded {}", refunded.param)));
  if (const auto channel = context.policy.channels.find(refunded.collector->channel);
      channel != context.policy.channels.end() && !channel->second.refunds)
    return refuse_refund(refunded,
                         fmt::format("The channel {} does not support refunds.", refunded.collector->channel));
  if (is_unnamed(context.policy, aggregate, *refunded.collector))
    return refuse_refund(refunded, unnamed_detail(aggregate, *refunded.collector));
  return check_refund_by(context.policy, refunded);
}

// Whether the request refunds the object of the existing refund. A refund of a capture names its authorization, too.
bool is_of_same(const CreateRefund& command, const Refund& refund) {
  const auto [type, id] = command.collected;
  if (type == ObjectType::authorization) return refund.authorization_id == AuthorizationId{id} && !refund.capture_id;
  return is_collected_by(refund, command.collected);
}

// Returns the existing refund for a repeated request, or the refusal `merchant_refund_no_conflict`. `same`: the order's
// refund with that merchant_refund_no; null if a refund of another order has that merchant_refund_no.
Decision answer_again(const CreateRefund& command, const Refund* same) {
  const bool equal = same != nullptr && is_of_same(command, *same) &&
                     (!command.amount || *command.amount == same->amount) && same->reason == command.reason;
  if (equal) return CommandResult{.object = same->id, .home = same->order_id};
  return refuse(RefusalCode::merchant_refund_no_conflict,
                "This merchant_refund_no belongs to a refund with other fields. Use a new merchant_refund_no.",
                "merchant_refund_no");
}

}  // namespace

void add_reads(const CreateRefund& command, ReadSet& reads) {
  if (command.collected.type == ObjectType::payment)
    reads.payments.push_back(PaymentId{command.collected.value});
  else
    reads.orders.push_back(command.order_id);
  reads.merchants.push_back(command.merchant_id);
  reads.keys.push_back({key_of_refund_no(command.merchant_id, command.merchant_refund_no)});
  ledger::add_reads(EntryType::refund_accepted, command.merchant_id, command.channel, command.currency, reads);
  if (!command.account_id) return;
  reads.accounts.push_back(*command.account_id);
  for (const EntryType type : {EntryType::wallet_refunded, EntryType::refund_succeeded, EntryType::fee_returned})
    ledger::add_reads(type, command.merchant_id, command.channel, command.currency, reads);
}

Decision decide(const CreateRefund& command, Context& context) {
  const Refunded refunded = find_refunded(command, context);
  const OrderAggregate* aggregate = refunded.aggregate;
  if (aggregate == nullptr || aggregate->order.merchant_id != command.merchant_id) return no_such_object(command);
  const Hash16 key = key_of_refund_no(command.merchant_id, command.merchant_refund_no);
  // The order can contain the refund although its key was not loaded: another server can create the refund after the
  // keys are read and before the order is locked.
  const auto same = std::ranges::find(aggregate->refunds, command.merchant_refund_no, &Refund::merchant_refund_no);
  if (same != aggregate->refunds.end()) return answer_again(command, &*same);
  if (context.rows.keys.find(key) != nullptr) return answer_again(command, nullptr);

  if (auto may = check_refundable(context, refunded); !may) return std::unexpected(std::move(may.error()));
  const Collector& collector = *refunded.collector;
  const OrderId order_id = collector.order_id;
  // The caller looked up the object before it was created, so the command has no channel and loaded no accounts of it.
  if (command.channel != collector.channel || command.currency != collector.currency ||
      command.account_id != collector.account_id)
    return refuse(RefusalCode::busy, fmt::format("The {} has just been created. Repeat the request.", refunded.param));
  const auto count = std::ranges::count(aggregate->refunds, RefundOrigin::merchant, &Refund::origin);
  if (std::cmp_greater_equal(count, limits::kRefundsMax))
    return refuse_refund(refunded, fmt::format("The order has {} refunds, which is the maximum.", count));
  const Receipt* receipt = accepted_receipt_of(*aggregate, collector.id);
  FINALITY_CHECK(receipt != nullptr, "check_refundable() has found the accepted receipt");
  if (first_of_trade(*aggregate, *receipt).is_refund_unknown)
    return refuse_refund(
        refunded,
        fmt::format("The channel has refunded a part of the {} without a request and has not reported the amount. "
                    "Refunds are possible once the amount is known; see the case external_refund.",
                    refunded.param));
  // The channel may have refunded more than the paid amount: limits do not apply to external refunds (ADR 0030).
  const MinorUnits left =
      std::max<MinorUnits>(accepted_of_trade(*aggregate, *receipt) - refunded_of(*aggregate, *receipt, false), 0);
  const MinorUnits amount = command.amount.value_or(left);
  if (amount > left || left == 0)
    return refuse(RefusalCode::refund_exceeds_paid,
                  fmt::format("The refundable amount is {}.", format_money(left, receipt->currency)), "amount");

  OrderWriter writer(context, order_id);
  Refund refund;
  refund.id = context.next_id<RefundId>();
  refund.order_id = order_id;
  name_refunded(context.policy, collector, refund);
  if (refund.authorization_id) refund.receipt_id = receipt->id;  // of a payment, receipt_of() finds the accepted one
  refund.merchant_id = command.merchant_id;
  refund.channel_account_id = receipt->channel_account_id;
  refund.merchant_refund_no = command.merchant_refund_no;
  refund.amount = amount;
  refund.currency = receipt->currency;
  refund.reason = command.reason;
  refund.created_at = context.now;
  context.rows.keys.insert(key, {key, command.merchant_id, refund.id.value});
  const auto journal =
      post(context, posting_for(collector, EntryType::refund_accepted, refund.id, refund.currency, amount));
  writer.created(refund.id, name_of(refund.state)).journal_id = journal;
  Refund& added = add_row(writer.aggregate().refunds, std::move(refund));
  const RefundId id = added.id;
  if (command.account_id)  // checked to be the collector's
    refund_to_account(writer, added);
  else
    claim_send(writer, added);
  return CommandResult{.object = id, .created = true, .home = order_id};
}

}  // namespace finality
