// A store session that fails as determined by the seed and reports every commit to the auditor. A planted bug can make
// it incorrect, to verify that the auditor detects it.
#pragma once

#include <functional>
#include <memory>

#include "sim/auditors/transition_observer.h"
#include "sim/world/sim_scheduler.h"
#include "store/store.h"

namespace finality::sim {

/// The process has crashed: the owner of the engine destroys it. This is the only exception that passes through an
/// engine, and only in simulations.
struct Crash {
  std::string_view where;
};

/// A bug planted in a session.
class SessionBug {
 public:
  virtual ~SessionBug() = default;
  /// Commits to `inner` with the bug's changes.
  virtual CommitResult commit(Session& inner, const WorkingSet& rows, const IdGenerator& ids) = 0;
};

struct SessionHooks {
  TransitionObserver* watch = nullptr;
  std::function<void()> commit_other_engines;
  /// Called with each durable commit, before any reply.
  std::function<void(const WorkingSet&, std::int64_t node)> committed;
  SessionBug* bug = nullptr;                     // null: the store is correct
  void (*decision)(WorkingSet& rows) = nullptr;  // null: decisions are unchanged
};

std::unique_ptr<Session> make_faulty_session(std::unique_ptr<Session> inner, SimScheduler& scheduler,
                                             const SessionHooks& hooks);

}  // namespace finality::sim
