#include "decide/exception/resolve_case.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <expected>
#include <utility>

#include "decide/channel/channel_operation.h"
#include "decide/delivery/claim_delivery.h"
#include "decide/delivery/delivery_writer.h"
#include "decide/order/park_order.h"
#include "decide/order/settle_order.h"
#include "decide/payment/book_receipt.h"
#include "decide/post.h"
#include "decide/refund/book_return.h"
#include "decide/refund/external_refund.h"
#include "decide/refund/record_refund.h"

namespace finality {
namespace {

// What a resolution needs to do its work.
struct CaseContext {
  OrderWriter& writer;
  const Case& row;
  const ApproveResolution& command;
};

using Carried = std::expected<void, Refusal>;

Carried nothing_moves(const CaseContext&) { return {}; }

// What the proposal was about has gone on meanwhile. Approved all the same it would do nothing, and people would act on
// it: the case stays proposed.
std::unexpected<Refusal> gone_on(std::string_view what, std::string_view state) {
  return refuse(RefusalCode::illegal_transition,
                fmt::format("The {} is {} now: nothing was approved. Look at it again.", what, state), {},
                std::string(state));
}

// The accounts at hand are those of the receipt that was there when the command was made.
std::expected<void, Refusal> check_money_at_hand(const CaseContext& on, std::string_view channel, Currency currency) {
  if (on.command.channel == channel && on.command.currency == currency) return {};
  return refuse(RefusalCode::busy, "What the case is about has changed just now. Send it again.");
}

// Of a receipt in suspense nobody knows how much is left to send back, until the channel reports what it has refunded
// of it: without the case nothing would send it back.
Carried accept_external(const CaseContext& on) {
  for (const Receipt& receipt : on.writer.aggregate().receipts)
    if (receipt.payment_id.value == on.row.object_id && receipt.is_refund_unknown &&
        receipt.state == ReceiptState::suspense)
      return gone_on("receipt", "refunded in part, and nobody has said how much");
  return {};
}

// Every receipt of the payment that lies in suspense goes back where it came from.
Carried refund_mismatch(const CaseContext& on) {
  OrderAggregate& aggregate = on.writer.aggregate();
  const std::vector<Receipt> receipts = aggregate.receipts;
  for (const Receipt& receipt : receipts)
    if (receipt.payment_id.value == on.row.object_id && receipt.is_refund_unknown)
      return gone_on("receipt", "refunded in part, and nobody has said how much");
  for (const Receipt& receipt : receipts) {
    const bool on_its_way = std::ranges::any_of(
        aggregate.reversals, [&](const Reversal& reversal) { return reversal.receipt_id == receipt.id; });
    if (receipt.payment_id.value == on.row.object_id && receipt.state == ReceiptState::suspense && !on_its_way)
      start_reversal(on.writer, receipt);
  }
  return {};
}

// The channel took back its word and will not pay us: what it owes for the payment is lost. The merchant keeps its
// money, and what was refunded or is being refunded is not owed by the channel any more.
Carried write_off(const CaseContext& on) {
  Context& context = on.writer.context();
  OrderAggregate& aggregate = on.writer.aggregate();
  const auto receipt = std::ranges::find_if(aggregate.receipts, [&](const Receipt& one) {
    return one.payment_id.value == on.row.object_id && one.state == ReceiptState::accepted;
  });
  if (receipt == aggregate.receipts.end() || receipt->written_off != 0) return {};
  const MinorUnits owed = receipt->amount - refunded_of(aggregate, *receipt, false);
  if (owed <= 0) return {};
  if (auto fine = check_money_at_hand(on, receipt->channel, receipt->currency); !fine) return fine;
  const auto journal = post(context, {EntryType::receipt_written_off, receipt->merchant_id, receipt->channel,
                                      receipt->currency, owed, receipt->id, receipt->order_id.value});
  if (!journal) return {};
  receipt->written_off = owed;
  on.writer.noted("written_off", *journal);
  return {};
}

Carried retry_reversal(const CaseContext& on) {
  Reversal* reversal = find_row(on.writer.aggregate().reversals, ReversalId{on.row.object_id});
  if (reversal == nullptr) return {};
  if (reversal->state != ReversalState::blocked) return gone_on("reversal", name_of(reversal->state));
  on.writer.step(*reversal, ReversalEvent::retry);
  reversal->due_at = on.writer.context().now;
  return {};
}

// The payer got the money another way (a transfer, cash): it is owed no more, and the bank has paid it.
Carried settled_offline(const CaseContext& on) {
  Context& context = on.writer.context();
  Reversal* reversal = find_row(on.writer.aggregate().reversals, ReversalId{on.row.object_id});
  if (reversal == nullptr) return {};
  if (reversal->state != ReversalState::blocked) return gone_on("reversal", name_of(reversal->state));
  const Receipt* receipt = find_row(on.writer.aggregate().receipts, reversal->receipt_id);
  if (receipt == nullptr) return {};
  if (auto fine = check_money_at_hand(on, receipt->channel, reversal->currency); !fine) return fine;
  const auto journal = post(context, {EntryType::reversal_settled_offline, reversal->merchant_id, on.command.channel,
                                      reversal->currency, reversal->amount, reversal->id, reversal->order_id.value});
  if (!journal) return {};
  on.writer.step(*reversal, ReversalEvent::settled_offline, false, *journal);
  reversal->due_at.reset();
  end_reversal(on.writer, *reversal);
  return {};
}

// The operator has seen at the channel that nothing was paid.
Carried confirm_unpaid(const CaseContext& on) {
  Context& context = on.writer.context();
  Payment* payment = find_row(on.writer.aggregate().payments, PaymentId{on.row.object_id});
  if (payment == nullptr) return {};
  if (payment_machine.is_final(payment->state)) return gone_on("payment", name_of(payment->state));
  on.writer.step(*payment, PaymentEvent::closed);
  payment->final_evidence_at = context.now;
  payment->outstanding_since.reset();
  settle_overdue(on.writer, *payment);
  schedule(context, on.writer.order(), *payment);
  settle_order(on.writer);
  return {};
}

// The channel has been looked at, or put right: as many sendings again.
Carried send_again(const CaseContext& on) {
  Carried carried;
  visit_channel_operation(on.row.object_type, [&]<class Row>(std::type_identity<Row>) {
    Row* row = find_row(children_in<Row>(on.writer.aggregate()), decltype(Row::id){on.row.object_id});
    if (row == nullptr) return;
    if (machine_of(row->state).is_final(row->state)) {
      carried = gone_on(name_of(on.row.object_type), name_of(row->state));
      return;
    }
    row->sends = 0;
    row->due_at = on.writer.context().now;
    on.writer.noted(*row, "send_again");
  });
  return carried;
}

// Whatever the order owes is due again at once. Channels are asked about payments that are due no more, too: nobody
// knows what was missed while a person looked at it.
Carried release(const CaseContext& on) {
  Context& context = on.writer.context();
  OrderAggregate& aggregate = on.writer.aggregate();
  Order& order = on.writer.order();
  order.parked = false;
  if (!order_machine.is_final(order.state) && !order.close_requested) order.due_at = order.expires_at;
  for (Payment& payment : aggregate.payments) {
    const bool has_spoken = std::exchange(payment.last_evidence, 0) != 0;
    schedule(context, order, payment);
    if (has_spoken && !payment.due_at && !payment.account_id)
      ask_channel(context, aggregate, payment, ChannelCallKind::query_payment);
  }
  for (Refund& refund : aggregate.refunds)
    if (!refund_machine.is_final(refund.state)) refund.due_at = context.now;
  for (Reversal& reversal : aggregate.reversals)
    if (!reversal_machine.is_final(reversal.state)) reversal.due_at = context.now;
  settle_order(on.writer);
  return {};
}

// The platform bears what the channel refunded by itself: the merchant gets it back, once.
Carried charge_platform(const CaseContext& on) {
  Context& context = on.writer.context();
  OrderAggregate& aggregate = on.writer.aggregate();
  Refund* refund = find_row(aggregate.refunds, RefundId{on.row.object_id});
  const Receipt* receipt = refund != nullptr ? receipt_of(aggregate, *refund) : nullptr;
  if (receipt == nullptr) return {};
  const MinorUnits charged = borne_by_platform(aggregate, *receipt);
  const MinorUnits external = external_outside_suspense(aggregate, *receipt);
  const MinorUnits bearable =
      on.row.kind == CaseKind::over_refunded ? std::min(over_refunded(aggregate, *receipt), external) : external;
  const MinorUnits amount =
      std::min(refund->amount - refund->from_suspense - refund->returned_amount, bearable - charged);
  if (refund->amount == refund->from_suspense)
    return refuse(RefusalCode::illegal_transition,
                  "The refund was paid out of suspense: the merchant bore nothing of it. Accept it instead.", {},
                  std::string(name_of(refund->state)));
  if (refund->charged == 0 && refund->returned_amount > 0 && amount <= 0)
    return gone_on("refund", "returned by the channel");
  if (refund->charged != 0 || amount <= 0) return gone_on("refund", "borne by the platform");
  if (auto fine = check_money_at_hand(on, receipt->channel, refund->currency); !fine) return fine;
  const auto journal = post(context, {EntryType::external_refund_charged, refund->merchant_id, receipt->channel,
                                      refund->currency, amount, refund->id, refund->order_id.value});
  if (!journal) return {};
  refund->charged = amount;
  on.writer.noted(*refund, name_of(EntryType::external_refund_charged), *journal);
  return {};
}

struct Resolution {
  CaseKind kind;
  std::string_view name;
  Carried (*carry_out)(const CaseContext&);  // of an order's case; null: a delivery's
  std::optional<ObjectType> about{};         // only where the case is about such an object

  bool allowed(const Case& row) const { return kind == row.kind && (!about || row.object_type == *about); }
};

constexpr Resolution kResolutions[] = {
    {CaseKind::conflicting_result, "keep", nothing_moves},
    {CaseKind::conflicting_result, "write_off", write_off, ObjectType::payment},
    {CaseKind::amount_mismatch, "refund", refund_mismatch},
    {CaseKind::paid_after_failure, "acknowledge", nothing_moves},
    {CaseKind::external_refund, "accept", accept_external},
    {CaseKind::external_refund, "charge_platform", charge_platform, ObjectType::refund},
    {CaseKind::refunded_twice, "accept", nothing_moves},
    {CaseKind::refunded_twice, "charge_platform", charge_platform},
    {CaseKind::over_refunded, "accept", nothing_moves},
    {CaseKind::over_refunded, "charge_platform", charge_platform},
    {CaseKind::reversal_blocked, "retry", retry_reversal},
    {CaseKind::reversal_blocked, "settled_offline", settled_offline},
    {CaseKind::result_overdue, "keep_querying", nothing_moves},
    {CaseKind::result_overdue, "confirm_unpaid", confirm_unpaid, ObjectType::payment},
    {CaseKind::not_accepted, "send_again", send_again},
    {CaseKind::not_accepted, "keep_querying", nothing_moves},
    {CaseKind::not_accepted, "confirm_unpaid", confirm_unpaid, ObjectType::payment},
    {CaseKind::invariant_violation, "release", release},
    {CaseKind::delivery_exhausted, "resend", nullptr},
    {CaseKind::delivery_exhausted, "give_up", nullptr},
};

const Resolution* find_resolution(const Case& row, std::string_view name) {
  const auto* at =
      std::ranges::find_if(kResolutions, [&](const Resolution& one) { return one.allowed(row) && one.name == name; });
  return at == std::end(kResolutions) ? nullptr : at;
}

// Null as well when it is another merchant's.
template <class Command>
const Case* find_case(const Context& context, const Command& command) {
  const Case* row = command.root.value == 0 ? nullptr : find_child<Case>(context.rows, command.root, command.case_id);
  return row != nullptr && row->merchant_id == command.merchant_id ? row : nullptr;
}

std::unexpected<Refusal> no_such_case() { return refuse(RefusalCode::not_found, "There is no such case."); }

std::unexpected<Refusal> not_now(const Case& row, std::string_view what) {
  return refuse(RefusalCode::illegal_transition, fmt::format("The case is {}: {}.", name_of(row.state), what), {},
                std::string(name_of(row.state)));
}

template <class Command>
void add_root(const Command& command, ReadSet& reads) {
  if (command.root.value != 0) add_id(reads, command.root);
  reads.merchants.push_back(command.merchant_id);
}

void note_step(Context& context, const Case& row, const std::string& who) {
  context.detail = ResolutionStep{row.id, row.resolution.value_or(""), row.note.value_or(""), who};
}

template <Aggregate T>
void propose(const ProposeResolution& command, Context& context) {
  AggregateWriter<T> writer(context, typename AggregateWriter<T>::RootId{command.root.value});
  Case& row = *find_row(children_in<Case>(writer.aggregate()), command.case_id);
  row.resolution = command.resolution;
  row.note = command.note;
  row.proposed_by = command.proposed_by;
  note_step(context, row, command.proposed_by);
  writer.step(row, CaseEvent::propose);
}

void approve_delivery(Context& context, const ApproveResolution& command) {
  DeliveryWriter writer(context, DeliveryId{command.root.value});
  Case& row = *find_row(writer.aggregate().cases, command.case_id);
  row.approved_by = command.approved_by;
  writer.step(row, CaseEvent::approve);
  const bool again = row.resolution == "resend";
  writer.step(again ? DeliveryEvent::resend : DeliveryEvent::give_up);
  if (!again) return;
  writer.delivery().due_at = context.now;
  claim_attempt(writer);
}

}  // namespace

std::vector<std::string_view> resolutions_of(const Case& row) {
  std::vector<std::string_view> names;
  for (const Resolution& one : kResolutions)
    if (one.allowed(row)) names.push_back(one.name);
  return names;
}

void add_reads(const ProposeResolution& command, ReadSet& reads) { add_root(command, reads); }

Decision decide(const ProposeResolution& command, Context& context) {
  const Case* found = find_case(context, command);
  if (found == nullptr) return no_such_case();
  if (find_resolution(*found, command.resolution) == nullptr)
    return refuse(
        RefusalCode::invalid_request,
        fmt::format("This case of kind {} allows: {}.", name_of(found->kind), fmt::join(resolutions_of(*found), ", ")),
        "resolution");
  if (context.cell(case_machine, found->state, CaseEvent::propose).kind == fsm::CellKind::refuse)
    return not_now(*found, "it takes no proposal");

  for_each_aggregate_type([&]<class T>(std::type_identity<T>) {
    if constexpr (kHasChildType<T, Case>)
      if (command.root.type == AggregateWriter<T>::RootId::type) propose<T>(command, context);
  });
  return CommandResult{.object = command.case_id, .home = command.root};
}

void add_reads(const ApproveResolution& command, ReadSet& reads) {
  add_root(command, reads);
  if (command.channel.empty()) return;
  for (const EntryType type : {EntryType::receipt_in_suspense, EntryType::receipt_written_off,
                               EntryType::reversal_settled_offline, EntryType::external_refund_charged})
    ledger::add_reads(type, command.merchant_id, command.channel, command.currency, reads);
}

Decision decide(const ApproveResolution& command, Context& context) {
  const Case* found = find_case(context, command);
  if (found == nullptr) return no_such_case();
  if (context.cell(case_machine, found->state, CaseEvent::approve).kind == fsm::CellKind::refuse)
    return not_now(*found, "nothing is proposed");
  if (case_machine.is_final(found->state)) return CommandResult{.object = command.case_id, .home = command.root};
  if (command.resolution && command.resolution != found->resolution)
    return not_now(*found, fmt::format("the proposal is {} now", *found->resolution));
  if (found->proposed_by == command.approved_by)
    return refuse(RefusalCode::forbidden, "Whoever proposed a resolution cannot approve it: ask another approver.");

  note_step(context, *found, command.approved_by);
  if (command.root.type == ObjectType::delivery) {
    approve_delivery(context, command);
    return CommandResult{.object = command.case_id, .home = command.root};
  }
  OrderWriter writer(context, OrderId{command.root.value});
  Case& row = *find_row(writer.aggregate().cases, command.case_id);
  row.approved_by = command.approved_by;
  writer.step(row, CaseEvent::approve);
  const Case approved = row;  // carrying it out may add rows beside it
  const Carried carried = find_resolution(approved, *approved.resolution)->carry_out({writer, approved, command});
  if (!carried) return std::unexpected(carried.error());
  if (writer.order().parked) stop_work(writer.aggregate());
  return CommandResult{.object = command.case_id, .home = command.root};
}

}  // namespace finality
