// Store session that injects faults as determined by the seed, and reports every durable commit to the auditor. An
// injected bug can make the session incorrect, to verify that the auditor detects the bug.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "sim/auditors/transition_observer.h"
#include "sim/world/failed_part.h"
#include "sim/world/sim_scheduler.h"
#include "store/store.h"

namespace finality::sim {

/// Exception that simulates a crash of the process: SimEngine catches it and destroys the engine's state. No other
/// exception passes through an engine.
struct Crash {
  std::string_view where;
};

/// A bug injected into a store session.
class SessionBug {
 public:
  virtual ~SessionBug() = default;
  /// Commits `rows` to `inner` incorrectly, as the bug defines: changes the rows, commits again after a conflict, or
  /// returns a wrong result.
  virtual CommitResult commit(Session& inner, const WorkingSet& rows, const IdGenerator& ids) = 0;
};

struct SessionHooks {
  TransitionObserver* watch = nullptr;
  std::function<void()> commit_other_engines;
  /// Called with each durable commit, before its replies are sent. `node`: the node number of the session.
  std::function<void(const WorkingSet&, std::int64_t node)> committed;
  FailedPart* failed_part = nullptr;
  /// Called when a load or a commit fails because of the part with the merchant's rows; empty: because of the whole
  /// store.
  std::function<void(std::optional<MerchantId> of_part)> failed;
  bool hides_failed_part = false;                // an injected bug: the part's failure is reported as one of the store
  SessionBug* bug = nullptr;                     // null: commits are not changed
  void (*decision)(WorkingSet& rows) = nullptr;  // null: decisions are not changed
};

std::unique_ptr<Session> make_faulty_session(std::unique_ptr<Session> inner, SimScheduler& scheduler,
                                             const SessionHooks& hooks);

}  // namespace finality::sim
