#include "sim/auditors/step_auditor.h"

#include <set>

#include "base/id.h"
#include "base/time/time.h"
#include "sim/mutation/machine_of.h"
#include "sim/mutation/state_invariants.h"
#include "sim/world/faults.h"

namespace finality::sim {
namespace {

constexpr const char* kSteps = "1 steps";
constexpr const char* kVersions = "1 versions";
constexpr const char* kFinal = "1 final states";
constexpr const char* kTimes = "19 times";

constexpr Duration kCommitTakesMax = std::chrono::minutes(1);   // from the decision to the flush of its commit
constexpr Duration kIdsReservedMax = std::chrono::minutes(15);  // by which restarts let ids lead the clock

}  // namespace

fsm::View::ViewCell StepAuditor::cell_at(CellId id) const {
  if (!mutant_ || mutant_->cell != id) return cell_of(id);
  const fsm::SeenCell& cell = mutant_->becomes;
  const bool moves = cell.kind == fsm::CellKind::move;
  return {cell.kind, moves ? machine_of(id).states[cell.to].name : std::string_view(), cell.actions};
}

void StepAuditor::look_at(const WorkingSet& rows, Time now, std::int64_t node) {
  for (const Event& event : rows.events) {
    check_event(event);
    check_time(event, now);
  }
  check_versions(rows);
  check_ids(rows, node);
}

void StepAuditor::check_event(const Event& event) {
  const ObjectRef object(event.object_type, event.object_id);
  const auto machine = machine_of(event.object_type);
  if (!machine) return;
  const auto before = states_.find(object);
  if (!event.from_state) {
    findings_.require(before == states_.end(), kSteps, "{} was created twice", to_text(object));
    states_[object] = {*machine, event.to_state};
    return;
  }
  const fsm::View& view = all_machines()[*machine];
  if (before != states_.end())
    findings_.require(before->second.second == *event.from_state, kSteps, "{} was {}, but {} was applied to {}",
                      to_text(object), before->second.second, event.event, *event.from_state);
  states_[object] = {*machine, event.to_state};
  const auto from = state_of(view, *event.from_state);
  const auto to = state_of(view, event.to_state);
  findings_.require(from && to, kSteps, "{} has a state that its machine does not define", to_text(object));
  const auto event_index = event_of(view, event.event);
  if (!from || !to) return;
  if (!event_index) {  // an event that is not in the table changes no state
    findings_.require(from == to, kSteps, "{} changed state by {}, which is not an event", to_text(object),
                      event.event);
    return;
  }
  const auto cell = cell_at({*machine, *from, *event_index});
  const bool moves = cell.kind == fsm::CellKind::move;
  const bool is_as_defined = moves ? cell.to == event.to_state : cell.kind == fsm::CellKind::keep && from == to;
  findings_.require(is_as_defined, kSteps, "{}: {} led from {} to {}, contrary to the table", to_text(object),
                    event.event, *event.from_state, event.to_state);
  findings_.require(from == to || accounts_for(view.name, event.event, event.to_state), kSteps,
                    "{} became {} by {}, which cannot lead there", to_text(object), event.to_state, event.event);
  findings_.require(!view.states[*from].final || from == to, kFinal, "{} left its final state {}", to_text(object),
                    *event.from_state);
}

void StepAuditor::check_time(const Event& event, Time now) {
  findings_.require(std::chrono::abs(event.at - now) <= kClockErrorMax + kCommitTakesMax, kTimes,
                    "{} is dated {} at {}", to_text(event.id), to_rfc3339(event.at), to_rfc3339(now));
  const Time of_id = time_of_id(event.id.value);
  findings_.require(of_id <= now + kClockErrorMax + kIdsReservedMax, kTimes, "{} has the time {} at {}",
                    to_text(event.id), to_rfc3339(of_id), to_rfc3339(now));
  findings_.require(of_id >= event.at, kTimes, "{} has the time {}, before its event at {}", to_text(event.id),
                    to_rfc3339(of_id), to_rfc3339(event.at));
}

template <class Row>
void StepAuditor::check_root(const Row& now, std::int64_t base_version, std::int64_t steps) {
  if (now.version == base_version) return;
  std::int64_t& version = versions_[now.id];
  findings_.require(version == base_version, kVersions, "{} was at version {}, but a commit changed it from {} to {}",
                    to_text(now.id), version, base_version, now.version);
  findings_.require(now.version - base_version == steps, kVersions, "{} changed from version {} to {} with {} events",
                    to_text(now.id), base_version, now.version, steps);
  version = now.version;
}

void StepAuditor::check_versions(const WorkingSet& rows) {
  std::map<std::int64_t, std::set<std::int64_t>> versions;  // versions with an event, by root object
  for (const Event& event : rows.events) versions[event.root_id].insert(event.root_version);
  std::map<AccountId, std::int64_t> moved;
  for (const Entry& entry : rows.entries) moved[entry.account_id] += 1;
  const auto steps_of = [&versions](auto id) {
    const auto at = versions.find(id.value);
    return at == versions.end() ? std::int64_t{0} : static_cast<std::int64_t>(at->second.size());
  };
  const auto check = [&](const auto&, const auto& base, const auto& now) {
    if (now) check_root(*now, base ? base->version : 0, steps_of(now->id));
  };
  rows.orders.each([&](const OrderId& id, const auto& base, const auto& now) {
    if (now) check_root(now->order, base ? base->order.version : 0, steps_of(id));
  });
  rows.deliveries.each([&](const DeliveryId& id, const auto& base, const auto& now) {
    if (now) check_root(now->delivery, base ? base->delivery.version : 0, steps_of(id));
  });
  rows.unknown_receipts.each([&](const UnknownReceiptId& id, const auto& base, const auto& now) {
    if (now) check_root(now->unknown_receipt, base ? base->unknown_receipt.version : 0, steps_of(id));
  });
  rows.statements.each([&](const StatementId& id, const auto& base, const auto& now) {
    if (now) check_root(now->statement, base ? base->statement.version : 0, steps_of(id));
  });
  rows.differences.each([&](const DifferenceId& id, const auto& base, const auto& now) {
    if (now) check_root(now->difference, base ? base->difference.version : 0, steps_of(id));
  });
  rows.accounts.each([&](const AccountId& id, const auto& base, const auto& now) {
    if (!now || now->version == (base ? base->version : 0)) return;
    // Each version has an event or a ledger entry. The first entry of a ledger account also creates the account.
    const std::int64_t steps = now->version - (base ? base->version : 0);
    findings_.require(steps <= steps_of(id) + moved[id] + (base ? 0 : 1), kVersions,
                      "{} rose by {} versions with {} events and {} entries", to_text(id), steps, steps_of(id),
                      moved[id]);
    check_root(*now, base ? base->version : 0, steps);
  });
  rows.transfers.each(check);
  rows.prices.each(check);
  rows.adjustments.each(check);
}

void StepAuditor::check_id(std::int64_t id, ObjectRef object) {
  findings_.require(ids_.insert(id).second, "14 unique ids", "{} has an id that is already in use", to_text(object));
}

void StepAuditor::check_ids(const WorkingSet& rows, std::int64_t node) {
  for (const Event& event : rows.events) {
    findings_.require(node_of_id(event.id.value) == node, "14 fencing", "{} has another node number than node {}",
                      to_text(event.id), node);
    check_id(event.id.value, event.id);
    if (!event.from_state && event.object_type != ObjectType::receipt)
      check_id(event.object_id, {event.object_type, event.object_id});
  }
  for (const Entry& entry : rows.entries) check_id(entry.id.value, entry.id);
}

}  // namespace finality::sim
