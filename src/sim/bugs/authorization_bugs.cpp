#include "sim/bugs/authorization_bugs.h"

#include <algorithm>
#include <utility>

#include "model/out_trade_no.h"
#include "sim/bugs/mutate_rows.h"

namespace finality::sim {
namespace {

using State = AuthorizationState;

/// An order that the commit changes: the stored row, empty for a new order, and the mutable row.
struct ChangedOrder {
  const std::optional<OrderAggregate>& base;
  OrderAggregate& now;

  bool was(const Authorization& row, State state) const {
    const Authorization* known = base ? find_row(base->authorizations, row.id) : nullptr;
    return known != nullptr && known->state == state;
  }
  bool is_new(CaptureId id) const { return !base || find_row(base->captures, id) == nullptr; }
  bool was(const Capture& row, CaptureState state) const {
    return !is_new(row.id) && find_row(base->captures, row.id)->state == state;
  }
};

template <class Visit>
void each_order(WorkingSet& rows, Visit visit) {
  std::vector<std::pair<OrderId, std::optional<OrderAggregate>>> changed;
  rows.orders.each([&](const OrderId& id, const auto& base, const auto& now) {
    if (now && (!base || base->order.version != now->order.version)) changed.emplace_back(id, base);
  });
  for (const auto& [id, base] : changed) visit(ChangedOrder{base, rows.orders.change(id)});
}

template <class Visit>
void each_authorization(WorkingSet& rows, Visit visit) {
  each_order(rows, [&](const ChangedOrder& order) {
    for (Authorization& row : order.now.authorizations) visit(order, row);
  });
}

bool is_open(const Capture& row) { return !capture_machine.is_final(row.state); }

const Capture* find_open(const OrderAggregate& order, const Authorization& authorization) {
  const auto at = std::ranges::find_if(
      order.captures, [&](const Capture& row) { return row.authorization_id == authorization.id && is_open(row); });
  return at == order.captures.end() ? nullptr : &*at;
}

// Returns a new capture of the authorization. Its id follows that of the authorization, so no other row has it.
Capture made_capture(const OrderAggregate& order, const Authorization& authorization, CaptureOrigin origin,
                     MinorUnits amount) {
  Capture capture;
  capture.id = CaptureId{authorization.id.value + 1'000'000};
  capture.order_id = authorization.order_id;
  capture.authorization_id = authorization.id;
  capture.merchant_id = authorization.merchant_id;
  capture.channel_account_id = authorization.channel_account_id;
  capture.origin = origin;
  capture.ordinal = static_cast<std::int64_t>(order.captures.size()) + 1;
  capture.amount = amount;
  capture.currency = authorization.currency;
  capture.is_final = true;
  capture.out_trade_no = out_capture_no(capture.merchant_id, capture.order_id, capture.ordinal);
  capture.created_at = authorization.created_at;
  return capture;
}

void add_capture(OrderAggregate& order, Capture capture) {
  if (find_row(order.captures, capture.id) == nullptr) order.captures.push_back(std::move(capture));
}

// ---- Captures

void capture_twice(WorkingSet& rows) {
  each_order(rows, [](const ChangedOrder& order) {
    std::vector<Capture> copies;
    for (const Capture& row : order.now.captures)
      if (row.state == CaptureState::succeeded && !order.was(row, CaptureState::succeeded)) copies.push_back(row);
    for (Capture& copy : copies) {
      copy.id.value += 1'000'000;
      copy.ordinal += 1;
      add_capture(order.now, std::move(copy));
    }
  });
}

void capture_after_release(WorkingSet& rows) {
  each_authorization(rows, [](const ChangedOrder& order, const Authorization& row) {
    if (order.was(row, State::releasing))
      add_capture(order.now, made_capture(order.now, row, CaptureOrigin::merchant, row.authorized_amount));
  });
}

// Captures at the deadline although the order demands a release.
void capture_at_deadline(WorkingSet& rows) {
  each_authorization(rows, [](const ChangedOrder& order, Authorization& row) {
    const bool is_released =
        row.state == State::releasing && row.end_reason == EndReason::expired && order.was(row, State::authorized);
    if (!is_released || order.now.order.on_capture_deadline == CaptureDeadlineAction::capture) return;
    Capture capture = made_capture(order.now, row, CaptureOrigin::deadline, row.release_amount);
    capture.created_at = row.capture_before.value_or(row.created_at);
    add_capture(order.now, std::move(capture));
  });
}

// Books the captured total although the capture that it contains has no result yet.
void book_total_too_early(WorkingSet& rows) {
  each_authorization(rows, [](const ChangedOrder& order, const Authorization& row) {
    const Capture* open = find_open(order.now, row);
    if (open == nullptr || !row.is_total_waiting) return;
    Receipt receipt;
    receipt.id = ReceiptId{open->id.value + 1'000'001};
    receipt.order_id = row.order_id;
    receipt.capture_id = open->id;
    receipt.merchant_id = row.merchant_id;
    receipt.channel = row.channel;
    receipt.channel_account_id = row.channel_account_id;
    receipt.channel_trade_no = row.channel_trade_no.value_or("");
    receipt.ordinal = open->ordinal;
    receipt.amount = open->amount;
    receipt.currency = open->currency;
    receipt.state = ReceiptState::accepted;
    receipt.created_at = row.created_at;
    if (find_row(order.now.receipts, receipt.id) == nullptr) order.now.receipts.push_back(std::move(receipt));
  });
}

void drop_over_captured_cases(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    std::erase_if(order.cases, [](const Case& row) { return row.kind == CaseKind::over_captured; });
  });
}

void count_suspense_as_captured(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (const Receipt& receipt : order.receipts) {
      const Capture* capture = receipt.capture_id ? find_row(order.captures, *receipt.capture_id) : nullptr;
      if (capture != nullptr && receipt.state == ReceiptState::suspense)
        find_row(order.authorizations, capture->authorization_id)->captured_amount += receipt.amount;
    }
  });
}

void drop_ordinals(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (Receipt& receipt : order.receipts) receipt.ordinal = 0;
  });
}

void charge_authorizations(WorkingSet& rows) {
  for (Entry& entry : rows.entries)
    if (entry.type == EntryType::fee_charged && entry.document_type == ObjectType::capture)
      entry.document_type = ObjectType::authorization;
}

void refund_another_capture(WorkingSet& rows) {
  each_changed_order(rows, [](OrderAggregate& order) {
    for (Refund& refund : order.refunds)
      for (const Receipt& receipt : order.receipts)
        if (refund.capture_id && receipt.capture_id != refund.capture_id && receipt.state == ReceiptState::accepted)
          refund.receipt_id = receipt.id;
  });
}

void notify_order_per_capture(WorkingSet& rows) {
  each_row(rows.deliveries, is_new, [](DeliveryAggregate& row) {
    if (row.delivery.type == "capture.succeeded") row.delivery.type = "order.succeeded";
  });
}

// ---- Holds

void release_beside_capture(WorkingSet& rows) {
  each_authorization(rows, [](const ChangedOrder& order, Authorization& row) {
    if (row.state == State::authorized && find_open(order.now, row) != nullptr) row.state = State::releasing;
  });
}

void release_captured(WorkingSet& rows) {
  each_authorization(rows, [](const ChangedOrder& order, Authorization& row) {
    if (row.state == State::captured && !order.was(row, State::captured)) row.state = State::releasing;
  });
}

void expire_at_once(WorkingSet& rows) {
  each_authorization(rows, [](const ChangedOrder&, Authorization& row) {
    if (row.state == State::authorized) row.capture_before = row.due_at = row.authorized_at;
  });
}

void forget_late_holds(WorkingSet& rows) {
  each_authorization(rows, [](const ChangedOrder&, Authorization& row) {
    if (!authorization_machine.is_final(row.state)) return;
    row.close_pending = false;
    row.due_at.reset();
  });
}

// Keeps a hold that the order does not need. `is_kept`: which of them.
template <class IsKept>
void keep_late_holds(WorkingSet& rows, IsKept is_kept) {
  each_authorization(rows, [&](const ChangedOrder& order, Authorization& row) {
    if (row.state != State::releasing || row.end_reason != EndReason::late || !is_kept(order.now)) return;
    row.state = State::authorized;
    row.end_reason.reset();
    row.capture_before = row.channel_capture_before;
  });
}
void keep_second_hold(WorkingSet& rows) {
  keep_late_holds(rows, [](const OrderAggregate& order) { return order.order.state == OrderState::authorized; });
}
void keep_hold_after_close(WorkingSet& rows) {
  keep_late_holds(rows, [](const OrderAggregate& order) {
    return order.order.close_requested && order.order.state != OrderState::authorized;
  });
}

void close_after_lapse(WorkingSet& rows) {
  each_order(rows, [](const ChangedOrder& order) {
    Order& row = order.now.order;
    const bool has_lapsed = std::ranges::any_of(order.now.authorizations, [](const Authorization& one) {
      return one.state == State::captured && one.end_reason == EndReason::expired;
    });
    if (has_lapsed && row.state == OrderState::succeeded) row.state = OrderState::closed;
  });
}

void ignore_final_flag(WorkingSet& rows) {
  each_authorization(rows, [](const ChangedOrder& order, Authorization& row) {
    const bool is_final = std::ranges::any_of(order.now.captures, [&](const Capture& capture) {
      return capture.authorization_id == row.id && capture.is_final && capture.state == CaptureState::succeeded &&
             capture.amount < row.authorized_amount;
    });
    if (!is_final || row.state != State::captured || order.was(row, State::captured)) return;
    row.state = State::authorized;
    row.end_reason.reset();
  });
}

void ignore_partial_approval(WorkingSet& rows) {
  each_authorization(rows, [](const ChangedOrder&, Authorization& row) {
    if (row.state == State::authorized) row.authorized_amount = std::max(row.authorized_amount, row.amount);
  });
}

void keep_wallet_holds(WorkingSet& rows) {
  lose_rows(rows.holds, [](const auto& base, const Hold& now) {
    return base && now.source == kWallet && base->state != now.state;
  });
}

// ---- Requests and results

void send_under_another_number(CaptureCall& call) {
  const Capture& capture = call.capture;
  if (call.kind == CaptureCallKind::send_capture)
    call.capture.out_trade_no =
        out_capture_no(capture.merchant_id, capture.order_id, capture.ordinal + 1 + call.deadline.ms % 100);
}

void release_captured_amount(AuthorizationCall& call) {
  if (call.kind == AuthorizationCallKind::release_authorization)
    call.authorization.release_amount += call.authorization.captured_amount;
}

template <class Call, void (*kAlter)(Call& call)>
void altered(Effect& effect) {
  if (auto* call = std::get_if<Call>(&effect)) kAlter(*call);
}

void treat_unknown_as_captured(Evidence& evidence, const Capture& capture) {
  if (evidence.kind != EvidenceKind::unknown || evidence.is_not_now) return;
  evidence.kind = EvidenceKind::paid;
  evidence.channel_trade_no = "believed-" + capture.out_trade_no;
  evidence.amount = capture.amount;
  evidence.currency = capture.currency;
}

void treat_unknown_as_refused(Evidence& evidence, const Capture&) {
  if (evidence.kind == EvidenceKind::unknown && !evidence.is_not_now) evidence.kind = EvidenceKind::failed;
}

void treat_not_now_as_refused(Evidence& evidence, const Capture&) {
  if (evidence.is_not_now)
    evidence = {
        .kind = EvidenceKind::failed, .source = evidence.source, .asked_at = evidence.asked_at, .code = evidence.code};
}

void treat_release_again_as_refused(AuthorizationEvidence& evidence) {
  if (evidence.kind == AuthorizationEvidenceKind::release_again)
    evidence.kind = AuthorizationEvidenceKind::release_refused;
}

// Takes the end of a hold for a hold.
void ignore_lapse(AuthorizationEvidence& evidence) {
  if (evidence.kind != AuthorizationEvidenceKind::expired) return;
  evidence.kind = AuthorizationEvidenceKind::authorized;
  evidence.released = 0;
}

// Dates a hold by the arrival of its report.
void ignore_start(AuthorizationEvidence& evidence) { evidence.authorized_at.reset(); }

void ignore_captures(AuthorizationEvidence& evidence) {
  evidence.captures.clear();
  evidence.captured = 0;
}

// Dates each report of a hold in another currency after everything that is known.
void renew_wrong_currency(AuthorizationEvidence& evidence) {
  if (evidence.kind == AuthorizationEvidenceKind::authorized && evidence.currency != Currency{{'C', 'N', 'Y'}})
    evidence.asked_at = evidence.asked_at + std::chrono::hours(1000);
}

constexpr Bug kBugs[] = {
    {.name = "an amount is captured twice", .decision = capture_twice},
    {.name = "a capture is sent under a new number each time",
     .effect = altered<CaptureCall, send_under_another_number>},
    {.name = "a capture follows a release", .decision = capture_after_release},
    {.name = "a release is requested beside an open capture", .decision = release_beside_capture},
    {.name = "an authorization is released after the capture of the whole", .decision = release_captured},
    {.name = "the deadline of captures is the time of the authorization", .decision = expire_at_once},
    {.name = "a hold begins when its report arrives", .authorization_evidence = ignore_start},
    {.name = "a deadline captures instead of releasing", .decision = capture_at_deadline},
    {.name = "a late hold is forgotten", .decision = forget_late_holds},
    {.name = "a second hold is kept", .decision = keep_second_hold},
    {.name = "a hold after the close is kept", .decision = keep_hold_after_close},
    {.name = "an old report of a hold in another currency is taken for a new one",
     .authorization_evidence = renew_wrong_currency},
    {.name = "a lapse is ignored", .authorization_evidence = ignore_lapse},
    {.name = "a lapse after a capture closes the order", .decision = close_after_lapse},
    {.name = "a capture without an answer is believed", .capture_evidence = treat_unknown_as_captured},
    {.name = "a capture without an answer is refused", .capture_evidence = treat_unknown_as_refused},
    {.name = "a temporary refusal of a capture is final", .capture_evidence = treat_not_now_as_refused},
    {.name = "a temporary refusal of a release is final", .authorization_evidence = treat_release_again_as_refused},
    {.name = "a capture by another system is forgotten", .authorization_evidence = ignore_captures},
    {.name = "a captured total is booked while a capture is open", .decision = book_total_too_early},
    {.name = "an over-capture opens no case", .decision = drop_over_captured_cases},
    {.name = "the amount of a release ignores captures", .effect = altered<AuthorizationCall, release_captured_amount>},
    {.name = "each capture is notified as the end of the order", .decision = notify_order_per_capture},
    {.name = "money in suspense is counted as captured", .decision = count_suspense_as_captured},
    {.name = "a fee is charged for the authorization", .decision = charge_authorizations},
    {.name = "a refund returns another capture", .decision = refund_another_capture},
    {.name = "receipts of captures that share a number have no ordinal", .decision = drop_ordinals},
    {.name = "the final flag of a capture is ignored", .decision = ignore_final_flag},
    {.name = "a partial approval is taken for the whole", .decision = ignore_partial_approval},
    {.name = "the hold of a wallet authorization is not ended", .decision = keep_wallet_holds},
};

}  // namespace

std::span<const Bug> authorization_bugs() { return kBugs; }

}  // namespace finality::sim
