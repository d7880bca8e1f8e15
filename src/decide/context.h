// What a decision is made from, and what it leaves. Deciding is pure: the same context gives the same decision, which
// is what makes deciding again after a conflict safe.
#pragma once

#include <expected>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/time/time.h"
#include "fsm/table.h"
#include "model/cause.h"
#include "model/effect.h"
#include "model/policy.h"
#include "model/refusal.h"
#include "model/working_set.h"

namespace finality {

/// What a merchant is notified of, as it was when the notification was made.
using NotifiedObject = std::variant<OrderAggregate, Refund, Reversal, Case>;

/// One notification and the deliveries whose body it becomes.
struct Notice {
  std::string type;  // `order.succeeded`
  NotifiedObject object;
  std::vector<DeliveryId> deliveries;
};

/// A case that the command's detail is added to as evidence.
struct CaseNote {
  ObjectRef root;  // whose aggregate it is in
  CaseId case_id;
};

struct Context {
  WorkingSet& rows;
  IdGenerator& ids;
  const Policy& policy;
  Time now;
  const Cause& cause;  // the request's
  std::vector<Effect>& effects;
  /// Broken rules found while deciding (an impossible cell, an overflow): the command is undone, its object parked.
  std::vector<std::string>& findings;
  fsm::CellWatch* cell_watch = nullptr;  // of a simulation; null in production

  // What follows becomes text before the command is accepted, by the engine's renderer: the `detail` of the command's
  // events, bodies of deliveries, evidence of cases. Until then these columns are empty.
  CauseKind cause_kind = cause.kind;  // of the command's events; decide() sets it
  Detail detail{};                    // likewise; set before the first of them is recorded
  std::vector<Notice> notices{};
  std::vector<CaseNote> case_notes{};

  /// The cell of a machine: decisions look all of them up here.
  template <class Machine>
  auto cell(const Machine& machine, typename Machine::State state, typename Machine::Event event) const {
    if (cell_watch == nullptr) [[likely]]
      return machine.at(state, event);
    return machine.at(state, event, *cell_watch);
  }
  template <class AnId>
  AnId next_id() {
    return AnId{ids.next()};
  }
};

/// How the caller is shown the object.
enum class Shown : std::uint8_t { object, lock };

/// A command that was carried out.
struct CommandResult {
  ObjectRef object;
  bool created = false;  // 201 rather than 200
  ObjectRef home{};      // the root in whose aggregate it is; a root itself need not say it
  Shown shown = Shown::object;
};

using Decision = std::expected<CommandResult, Refusal>;

inline std::unexpected<Refusal> refuse(RefusalCode code, std::string detail, std::optional<std::string> param = {},
                                       std::optional<std::string> state = {}) {
  return std::unexpected(Refusal{code, std::move(detail), std::move(param), std::move(state)});
}

/// A refusal whose trace is kept: what the command changed is committed.
inline std::unexpected<Refusal> refuse_and_keep(RefusalCode code, std::string detail,
                                                std::optional<std::string> state = {}) {
  return std::unexpected(Refusal{code, std::move(detail), {}, std::move(state), true});
}

}  // namespace finality
