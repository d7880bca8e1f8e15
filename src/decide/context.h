// What a decision is made from, and what it leaves. Deciding is pure: the same context gives the same decision, which
// is what makes deciding again after a conflict safe.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "model/effect.h"
#include "model/event.h"
#include "model/policy.h"
#include "model/refusal.h"
#include "model/working_set.h"

namespace finality {

/// Why a command came: kept with every event it makes.
struct Cause {
  CauseKind kind = CauseKind::api;
  std::string detail;  // JSON object
  /// What was asked of the channel and what it answered, masked: a JSON object, or empty. It is kept once, with the
  /// first event that the command makes.
  std::string exchange{};
  /// The request's, as W3C Trace Context has it, or empty: whoever is asked outside because of the command gets it too.
  std::string traceparent{};
};

struct Context {
  WorkingSet& rows;
  IdGenerator& ids;
  const Policy& policy;
  Time now;
  Cause cause;
  std::vector<Effect>& effects;
  /// Broken rules found while deciding (an impossible cell, an overflow): the command is undone, its object parked.
  std::vector<std::string>& findings;

  template <class AnId>
  AnId next_id() {
    return AnId{ids.next()};
  }
};

/// How the caller is shown the object.
enum class Shown : std::uint8_t { object, lock };

/// A command that was carried out.
struct Done {
  ObjectRef object;
  bool created = false;  // 201 rather than 200
  OrderId home{};        // the order whose aggregate it belongs to, where it belongs to one
  Shown shown = Shown::object;
};

using Decision = std::expected<Done, Refusal>;

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
