#include "sim/auditors/case_auditor.h"

#include <algorithm>

namespace finality::sim {
namespace {

constexpr const char* kCases = "3 exception queue";

/// A pair of state and event that requires an open exception case. An empty state matches all states.
struct Duty {
  ObjectType type;
  std::string_view state;
  std::string_view event;
  CaseKind kind;
};

constexpr Duty kDuties[] = {
    {ObjectType::payment, "succeeded", "failed", CaseKind::conflicting_result},
    {ObjectType::payment, "succeeded", "closed", CaseKind::conflicting_result},
    {ObjectType::payment, "succeeded", "not_found", CaseKind::conflicting_result},
    {ObjectType::payment, "succeeded", "not_found_while_closing", CaseKind::conflicting_result},
    {ObjectType::payment, "under_review", "failed", CaseKind::conflicting_result},
    {ObjectType::payment, "under_review", "closed", CaseKind::conflicting_result},
    {ObjectType::payment, "under_review", "not_found", CaseKind::conflicting_result},
    {ObjectType::payment, "under_review", "not_found_while_closing", CaseKind::conflicting_result},
    {ObjectType::payment, "", "paid_mismatch", CaseKind::amount_mismatch},
    {ObjectType::payment, "", "paid_after_failure", CaseKind::paid_after_failure},
    {ObjectType::authorization, "authorized", "failed", CaseKind::conflicting_result},
    {ObjectType::authorization, "authorized", "closed", CaseKind::conflicting_result},
    {ObjectType::authorization, "authorized", "not_found", CaseKind::conflicting_result},
    {ObjectType::authorization, "authorized", "not_found_while_closing", CaseKind::conflicting_result},
    {ObjectType::authorization, "releasing", "failed", CaseKind::conflicting_result},
    {ObjectType::authorization, "releasing", "closed", CaseKind::conflicting_result},
    {ObjectType::authorization, "releasing", "not_found", CaseKind::conflicting_result},
    {ObjectType::authorization, "releasing", "not_found_while_closing", CaseKind::conflicting_result},
    {ObjectType::authorization, "captured", "failed", CaseKind::conflicting_result},
    {ObjectType::authorization, "captured", "closed", CaseKind::conflicting_result},
    {ObjectType::authorization, "captured", "not_found", CaseKind::conflicting_result},
    {ObjectType::authorization, "captured", "not_found_while_closing", CaseKind::conflicting_result},
    {ObjectType::authorization, "", "authorized_after_failure", CaseKind::paid_after_failure},
    {ObjectType::authorization, "", "authorized_mismatch", CaseKind::amount_mismatch},
    {ObjectType::authorization, "releasing", "release_refused", CaseKind::release_blocked},
    {ObjectType::authorization, "captured", "release_refused", CaseKind::release_blocked},
    {ObjectType::authorization, "released", "release_refused", CaseKind::release_blocked},
    {ObjectType::authorization, "failed", "release_refused", CaseKind::release_blocked},
    {ObjectType::authorization, "closed", "release_refused", CaseKind::release_blocked},
    {ObjectType::capture, "", "captured_after_failure", CaseKind::paid_after_failure},
    {ObjectType::capture, "", "captured_mismatch", CaseKind::amount_mismatch},
    {ObjectType::capture, "succeeded", "refused", CaseKind::conflicting_result},
    {ObjectType::capture, "succeeded", "not_found", CaseKind::conflicting_result},
    {ObjectType::refund, "succeeded", "refused", CaseKind::conflicting_result},
    {ObjectType::refund, "succeeded", "not_found", CaseKind::conflicting_result},
    {ObjectType::reversal, "pending", "refused", CaseKind::reversal_blocked},
    {ObjectType::reversal, "processing", "refused", CaseKind::reversal_blocked},
    {ObjectType::reversal, "succeeded", "refused", CaseKind::conflicting_result},
    {ObjectType::reversal, "succeeded", "not_found", CaseKind::conflicting_result},
    {ObjectType::delivery, "pending", "attempts_used_up", CaseKind::delivery_exhausted},
};

const Duty* duty_of(const Event& event) {
  const auto* at = std::ranges::find_if(kDuties, [&](const Duty& duty) {
    return event.from_state && duty.type == event.object_type && duty.event == event.event &&
           (duty.state.empty() || duty.state == *event.from_state);
  });
  return at == std::end(kDuties) ? nullptr : at;
}

const std::vector<Case>& cases_of(const Event& event, const WorkingSet& rows) {
  if (event.root_type == ObjectType::order) return rows.orders.find(OrderId{event.root_id})->cases;
  if (event.root_type == ObjectType::unknown_receipt)
    return rows.unknown_receipts.find(UnknownReceiptId{event.root_id})->cases;
  return rows.deliveries.find(DeliveryId{event.root_id})->cases;
}

bool is_case_open(const std::vector<Case>& cases, CaseKind kind, std::int64_t object) {
  return std::ranges::any_of(cases, [&](const Case& row) {
    return row.kind == kind && row.object_id == object && !case_machine.is_final(row.state);
  });
}

template <class Rows>
const Case* newly_approved(const Rows* before, const Case& row) {
  const Case* previous = before != nullptr ? find_row(before->cases, row.id) : nullptr;
  const bool is_new = row.state == CaseState::resolved && row.approved_by &&
                      (previous == nullptr || previous->state != CaseState::resolved);
  return is_new ? &row : nullptr;
}

}  // namespace

void CaseAuditor::look_at(const WorkingSet& rows, Time now) {
  for (const Event& event : rows.events) {
    check_event(event, rows);
    if (event.object_type == ObjectType::exception_case && event.event == "propose")
      proposed_at_[CaseId{event.object_id}] = now;
  }
  rows.orders.each([&](const OrderId&, const auto& base, const auto& now) {
    if (now && (!base || base->order.version != now->order.version)) check_order(base, *now);
  });
  rows.deliveries.each([&](const DeliveryId&, const auto& base, const auto& now) {
    if (now && (!base || base->delivery.version != now->delivery.version)) check_delivery(base, *now);
  });
  rows.unknown_receipts.each([&](const UnknownReceiptId&, const auto& base, const auto& now) {
    if (!now || (base && base->unknown_receipt.version == now->unknown_receipt.version)) return;
    if (now->unknown_receipt.is_contradicted) contradicted_.insert(now->unknown_receipt.id);
    for (const Case& row : now->cases) check_case(row);
  });
  rows.differences.each([&](const DifferenceId&, const auto& base, const auto& now) {
    if (!now || (base && base->difference.version == now->difference.version)) return;
    for (const Case& row : now->cases) check_case(row);
  });
}

bool CaseAuditor::proposed_otherwise(const ApproveResolution& command, Time since) const {
  const auto row = cases_.find(command.case_id);
  const auto proposed = proposed_at_.find(command.case_id);
  const auto differs = [&](const Case& now) {
    return now.resolution != command.resolution || now.assign_to != command.reviewed_merchant;
  };
  return (row != cases_.end() && differs(row->second)) || (proposed != proposed_at_.end() && proposed->second >= since);
}

bool CaseAuditor::approved_as_reviewed(const ApproveResolution& command) const {
  const auto at = decided_.find(command.case_id);
  if (at == decided_.end()) return false;
  const Case& decided = at->second;
  return (decided.version == command.version + 1 && decided.proposed_by != command.approved_by) ||
         decided.version <= command.version;
}

bool CaseAuditor::has_changed(const ApproveResolution& command) const {
  const auto at = cases_.find(command.case_id);
  return at != cases_.end() && at->second.version != command.version;
}

bool CaseAuditor::may_have_left_decidable_states(CaseId id, const StateHistory& states, Time from, Time to) const {
  const auto at = cases_.find(id);
  if (at == cases_.end()) return false;
  const Case& row = at->second;
  if (row.kind == CaseKind::external_refund || row.kind == CaseKind::refunded_twice ||
      row.kind == CaseKind::over_refunded)
    return row.resolution == "charge_platform" ||     // another case may have charged the amount
           row.object_type == ObjectType::payment ||  // the refunded amount is unknown here
           row.object_type == ObjectType::capture;
  if (row.kind == CaseKind::conflicting_result)
    return row.resolution == "write_off";                  // the channel may have settled it
  if (row.kind == CaseKind::amount_mismatch) return true;  // the remaining amount is unknown here
  if (row.kind == CaseKind::reversal_blocked)
    return states.was_in(row.object_id, {"pending", "processing", "succeeded", "settled_offline"}, from, to);
  if (row.kind == CaseKind::release_blocked) return true;  // the rest of the hold is unknown here
  if (row.kind == CaseKind::unknown_receipt)
    return row.resolution != "keep" && contradicted_.contains(UnknownReceiptId{row.object_id});
  return (row.kind == CaseKind::result_overdue || row.kind == CaseKind::not_accepted) &&
         states.was_in(row.object_id,
                       {"authorized", "releasing", "captured", "released", "succeeded", "failed", "closed"}, from, to);
}

// Checks that the same commit opens the exception case that an event listed in kDuties requires, or records the event
// in the open case. The latter changes the case's version, so that operators do not approve what they have not seen.
void CaseAuditor::check_event(const Event& event, const WorkingSet& rows) {
  const Duty* duty = duty_of(event);
  if (duty == nullptr) return;
  const std::vector<Case>& cases = cases_of(event, rows);
  const bool is_recorded = std::ranges::any_of(rows.events, [&](const Event& other) {
    const Case* row = other.object_type == ObjectType::exception_case && other.root_id == event.root_id
                          ? find_row(cases, CaseId{other.object_id})
                          : nullptr;
    return row != nullptr && row->kind == duty->kind && row->object_id == event.object_id;
  });
  findings_.require(is_recorded, kCases, "{} was {} and received {}: no case was opened or changed",
                    to_text(ObjectRef(event.object_type, event.object_id)), *event.from_state, event.event);
}

// Checks that a proposal and its approval are of different keys, and that a case without a proposal has no key.
void CaseAuditor::check_keys(const Case& row) {
  const bool is_settled = row.state == CaseState::resolved && row.resolution == "settled";
  const bool is_approved = row.state == CaseState::resolved && !is_settled;
  findings_.require(row.proposed_by.has_value() == (is_approved || row.state == CaseState::proposed) &&
                        row.approved_by.has_value() == is_approved,
                    "8 two operators", "{} is {} with resolution {}, proposed by {}, approved by {}", to_text(row.id),
                    name_of(row.state), row.resolution.value_or("none"), row.proposed_by.value_or("no key"),
                    row.approved_by.value_or("no key"));
  findings_.require(!row.approved_by || row.approved_by != row.proposed_by, "8 two operators",
                    "{} was approved by the key that proposed it", to_text(row.id));
}

// Checks that a changed case has a new version.
void CaseAuditor::check_case(const Case& row) {
  check_keys(row);
  const auto [at, is_new] = cases_.try_emplace(row.id, row);
  const Case& previous = at->second;
  const bool same = previous.evidence == row.evidence && previous.resolution == row.resolution &&
                    previous.state == row.state && previous.approved_by == row.approved_by &&
                    previous.assign_to == row.assign_to;
  findings_.require(is_new || same || previous.version != row.version, "1 versions", "{} changed without a step",
                    to_text(row.id));
  at->second = row;
  if (row.state == CaseState::resolved) decided_.try_emplace(row.id, row);
}

void CaseAuditor::check_order(const std::optional<OrderAggregate>& base, const OrderAggregate& now) {
  const OrderAggregate* before = base ? &*base : nullptr;
  for (const Case& row : now.cases) {
    check_case(row);
    const Case* approved = newly_approved(before, row);
    const Reversal* was = before != nullptr ? find_row(before->reversals, ReversalId{row.object_id}) : nullptr;
    const Reversal* is = find_row(now.reversals, ReversalId{row.object_id});
    if (approved == nullptr || row.kind != CaseKind::reversal_blocked) continue;
    findings_.require(is != nullptr, kCases, "{} was approved, but its reversal does not exist", to_text(row.id));
    if (is == nullptr) continue;
    if (row.resolution == "settled_offline")  // operators then pay in cash
      findings_.require(is->state == ReversalState::settled_offline, kCases, "{} was approved as {}, but {} is {}",
                        to_text(row.id), *row.resolution, to_text(is->id), name_of(is->state));
    else if (was != nullptr && was->state == ReversalState::blocked)
      findings_.require(is->state != ReversalState::blocked, kCases, "{} was approved as {}, without effect",
                        to_text(row.id), *row.resolution);
  }
  for (const Reversal& reversal : now.reversals)
    findings_.require(!reversal_machine.is_final(reversal.state) ||
                          !is_case_open(now.cases, CaseKind::reversal_blocked, reversal.id.value),
                      kCases, "{} is {}, but its reversal_blocked case is open", to_text(reversal.id),
                      name_of(reversal.state));
  for (const CaseKind kind : {CaseKind::result_overdue, CaseKind::not_accepted}) {
    const auto require_outstanding = [&](const auto& row, bool is_outstanding) {
      findings_.require(is_outstanding || !is_case_open(now.cases, kind, row.id.value), kCases,
                        "{} is {}, but its case for an outstanding result is open", to_text(row.id),
                        name_of(row.state));
    };
    for (const Reversal& reversal : now.reversals)
      require_outstanding(reversal, !reversal_machine.is_final(reversal.state));
    for (const Refund& refund : now.refunds) require_outstanding(refund, !refund_machine.is_final(refund.state));
    for (const Payment& payment : now.payments) require_outstanding(payment, payment.outstanding_since.has_value());
    for (const Authorization& row : now.authorizations) require_outstanding(row, row.outstanding_since.has_value());
    for (const Capture& capture : now.captures) require_outstanding(capture, !capture_machine.is_final(capture.state));
  }
}

void CaseAuditor::check_delivery(const std::optional<DeliveryAggregate>& base, const DeliveryAggregate& now) {
  const Delivery& delivery = now.delivery;
  const DeliveryAggregate* before = base ? &*base : nullptr;
  for (const Case& row : now.cases) {
    check_case(row);
    if (before == nullptr || before->delivery.state != DeliveryState::exhausted) continue;
    if (newly_approved(before, row) == nullptr) continue;
    findings_.require(delivery.state != DeliveryState::exhausted, kCases, "{} was approved as {}, without effect",
                      to_text(row.id), *row.resolution);
  }
  findings_.require(delivery.state != DeliveryState::exhausted || !delivery.delivered_at, kCases,
                    "{} was delivered, but its state is exhausted", to_text(delivery.id));
  findings_.require(delivery.state != DeliveryState::delivered ||
                        !is_case_open(now.cases, CaseKind::delivery_exhausted, delivery.id.value),
                    kCases, "{} is delivered, but its delivery_exhausted case is open", to_text(delivery.id));
}

}  // namespace finality::sim
