// Input and output of a decision. decide() is pure: the same context yields the same decision, so a command can be
// decided again after a conflict.
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

/// The object of a notification, in its state when the notification was created.
using NotifiedObject = std::variant<OrderAggregate, Refund, Reversal, Case>;

/// One notification and the deliveries that have it as their body.
struct Notice {
  std::string type;  // `order.succeeded`
  NotifiedObject object;
  std::vector<DeliveryId> deliveries;
};

/// A case to whose evidence the command's detail is added.
struct CaseNote {
  ObjectRef root;  // of the aggregate that contains the case
  CaseId case_id;
};

struct Context {
  WorkingSet& rows;
  IdGenerator& ids;
  const Policy& policy;
  Time now;
  const Cause& cause;  // of the submitted command
  std::vector<Effect>& effects;
  /// Violations found while deciding (an impossible cell, an overflow): the command is undone, its object parked.
  std::vector<std::string>& findings;
  fsm::CellWatch* cell_watch = nullptr;  // set by simulations; null in production

  // The engine's renderer turns the members below into text before the command is accepted: the `detail` of events, the
  // body of deliveries, the evidence of cases. These columns are empty until then.
  CauseKind cause_kind = cause.kind;  // of the command's events; decide() sets it
  Detail detail{};                    // of the command's events; set before the first event is recorded
  std::vector<Notice> notices{};
  std::vector<CaseNote> case_notes{};

  /// Returns the cell of a machine. Decisions look up every cell through this function, so that `cell_watch` sees it.
  template <class Machine>
  auto cell(const Machine& machine, typename Machine::State state, typename Machine::Event event) const {
    if (cell_watch == nullptr) [[likely]]
      return machine.at(state, event);
    return machine.at(state, event, *cell_watch);
  }
  /// Returns a new id, greater than all before.
  template <class AnId>
  AnId next_id() {
    return AnId{ids.next()};
  }
};

/// The representation of the object in the response.
enum class Shown : std::uint8_t { object, lock };

/// The result of a successful command.
struct CommandResult {
  ObjectRef object;
  bool created = false;  // 201 instead of 200
  ObjectRef home{};      // the root of the aggregate that contains the object; unset when the object is a root
  Shown shown = Shown::object;
};

using Decision = std::expected<CommandResult, Refusal>;

inline std::unexpected<Refusal> refuse(RefusalCode code, std::string detail, std::optional<std::string> param = {},
                                       std::optional<std::string> state = {}) {
  return std::unexpected(Refusal{code, std::move(detail), std::move(param), std::move(state)});
}

/// A refusal with committed changes, such as a refused transfer.
inline std::unexpected<Refusal> refuse_and_keep(RefusalCode code, std::string detail,
                                                std::optional<std::string> state = {}) {
  return std::unexpected(Refusal{code, std::move(detail), {}, std::move(state), true});
}

}  // namespace finality
