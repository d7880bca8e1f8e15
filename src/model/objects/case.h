// Exception case: an entry of the exception queue (差错处理) for a problem that Finality cannot resolve
// automatically. One operator proposes a resolution; another operator approves it. Each object has at most one open
// case of each kind.
#pragma once

#include <optional>
#include <string>

#include "base/time/time.h"
#include "fsm/table.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

enum class CaseKind : std::uint8_t {
  conflicting_result,
  amount_mismatch,
  paid_after_failure,
  external_refund,
  refunded_twice,
  over_refunded,
  reversal_blocked,
  result_overdue,
  not_accepted,  // the channel does not have the request after Policy::sends_max sends
  invariant_violation,
  delivery_exhausted,
  unknown_receipt,
  report_mismatch,   // a later report about a booked payment or refund contradicts the books
  difference,        // a statement and the books differ
  identity,          // an order violates a money identity (资金恒等式)
  over_captured,     // more was captured than the channel held
  external_capture,  // a capture that we did not request, and whose trade the channel did not report
  release_blocked,   // the channel refuses to release what it holds
};
BOOST_DESCRIBE_ENUM(CaseKind, conflicting_result, amount_mismatch, paid_after_failure, external_refund, refunded_twice,
                    over_refunded, reversal_blocked, result_overdue, not_accepted, invariant_violation,
                    delivery_exhausted, unknown_receipt, report_mismatch, difference, identity, over_captured,
                    external_capture, release_blocked)

enum class CaseState : std::uint8_t { open, proposed, resolved };
BOOST_DESCRIBE_ENUM(CaseState, open, proposed, resolved)

enum class CaseEvent : std::uint8_t {
  evidence,  // new evidence of the same problem arrived
  propose,   // an operator proposed a resolution
  approve,   // another operator approved the proposed resolution
  settled,   // the problem ended before operators resolved the case
};
BOOST_DESCRIBE_ENUM(CaseEvent, evidence, propose, approve, settled)

enum class CaseEffect : std::uint8_t { none };
BOOST_DESCRIBE_ENUM(CaseEffect, none)

struct Case {
  CaseId id;
  std::int64_t root_id =
      0;  // id of the order, delivery, unknown receipt or difference to which the object of the case belongs
  MerchantId merchant_id;
  CaseKind kind = CaseKind::conflicting_result;
  ObjectType object_type = ObjectType::payment;
  std::int64_t object_id = 0;
  CaseState state = CaseState::open;
  std::string evidence;  // JSON array, oldest item first; rendered before the commit
  std::optional<std::string> resolution;
  std::optional<std::string> note;
  std::optional<std::string> proposed_by;
  std::optional<std::string> approved_by;
  std::optional<MerchantId> assign_to;  // only with the resolution `assign`: the merchant that receives the money
  Time created_at;
  Time due_at;  // time by which operators should resolve the case
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(Case, (),
                      (id, root_id, merchant_id, kind, object_type, object_id, state, evidence, resolution, note,
                       proposed_by, approved_by, assign_to, created_at, due_at, version))
FINALITY_ROW(Case, "cases", child, "id", "root_id merchant_id kind object_type object_id created_at due_at",
             .about = "a problem that operators decide (差错单), with its evidence", .parent = "root_id", .presence = 4)

inline constexpr auto case_machine = [] {
  using enum CaseState;
  using E = CaseEvent;
  using namespace fsm;
  Table<CaseState, CaseEvent, CaseEffect> t{.name = "case", .title = "差错单"};
  t.initial(open);
  t.final_state(resolved);
  //                open                proposed            resolved
  t.on(E::evidence, {keep, keep, keep});
  t.on(E::propose, {move_to(proposed), keep, refuse});  // a new proposal replaces the previous proposal
  t.on(E::approve, {refuse, move_to(resolved), keep});
  t.on(E::settled, {move_to(resolved), move_to(resolved), keep});
  return t;
}();
constexpr const auto& machine_of(CaseState) { return case_machine; }

}  // namespace finality
