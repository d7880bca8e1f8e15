// Input and output of a decision. decide() is deterministic and performs no I/O, so a command can be decided again
// after a commit conflict.
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

/// An authorization with its captures.
struct AuthorizationSnapshot {
  Authorization authorization;
  std::vector<Capture> captures;
};

/// A copy of the object of a notification, made when the notification was created.
using NotifiedObject = std::variant<OrderAggregate, AuthorizationSnapshot, Capture, Refund, Reversal, Case>;

/// One notification and the deliveries that carry it in their body.
struct Notice {
  std::string type;  // for example `order.succeeded`
  NotifiedObject object;
  std::vector<DeliveryId> deliveries;
};

/// A case to which the command adds evidence: the text of Context::detail.
struct CaseNote {
  ObjectRef root;  // root of the aggregate that contains the case
  CaseId case_id;
};

struct Context {
  WorkingSet& rows;
  IdGenerator& ids;
  const Policy& policy;
  Time now;
  const Cause& cause;  // cause of the submitted command
  std::vector<Effect>& effects;
  /// Violations found while deciding, such as an impossible cell or an overflow. After a finding the engine undoes the
  /// command and parks its order.
  std::vector<std::string>& findings;
  fsm::CellWatch* cell_watch = nullptr;  // set by simulations; null in production

  // The engine renders the members below as text before it accepts the command: the `detail` of events, the body of
  // deliveries and the evidence of cases. These columns are empty until then.
  CauseKind cause_kind = cause.kind;  // cause of the command's events; set by decide()
  Detail detail{};                    // detail of the command's events; set before the first event is recorded
  std::vector<Notice> notices{};
  std::vector<CaseNote> case_notes{};

  /// Returns the cell of a machine for a state and event. Reports each lookup to `cell_watch`, if set.
  template <class Machine>
  auto cell(const Machine& machine, typename Machine::State state, typename Machine::Event event) const {
    if (cell_watch == nullptr) [[likely]]
      return machine.at(state, event);
    return machine.at(state, event, *cell_watch);
  }
  /// Returns a new id, greater than all ids that `ids` returned before.
  template <class AnId>
  AnId next_id() {
    return AnId{ids.next()};
  }
};

/// Representation of the object in the response: the object itself, or the account's lock with its token.
enum class Shown : std::uint8_t { object, lock };

/// The result of a successful command.
struct CommandResult {
  ObjectRef object;
  bool created = false;  // HTTP status 201 instead of 200
  ObjectRef home{};      // root of the aggregate that contains the object; unset when the object is a root
  Shown shown = Shown::object;
};

using Decision = std::expected<CommandResult, Refusal>;

std::unexpected<Refusal> refuse(RefusalCode code, std::string detail, std::optional<std::string> param = {},
                                std::optional<std::string> state = {});

/// Returns a refusal whose changes are committed, such as a stored refused transfer.
std::unexpected<Refusal> refuse_and_keep(RefusalCode code, std::string detail, std::optional<std::string> state = {});

}  // namespace finality
