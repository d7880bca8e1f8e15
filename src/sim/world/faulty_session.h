// A store session that fails as the seed wants it, shows every commit to the auditor, and can be made worse on purpose
// (a planted bug), to see whether the auditor notices.
#pragma once

#include <functional>
#include <memory>

#include "sim/auditors/transition_observer.h"
#include "sim/world/sim_scheduler.h"
#include "store/store.h"

namespace finality::sim {

/// The process has ended: whoever holds the engine throws it away. The only exception that passes through an engine,
/// and only here.
struct Crash {
  std::string_view where;
};

/// A bug planted from outside.
class SessionBug {
 public:
  virtual ~SessionBug() = default;
  /// Commits in `inner` as the bug would have it.
  virtual CommitResult commit(Session& inner, const WorkingSet& rows, const IdGenerator& ids) = 0;
};

struct SessionHooks {
  TransitionObserver* watch = nullptr;
  std::function<void()> let_others_commit;
  /// Called with what the store now has for good, before anybody is answered.
  std::function<void(const WorkingSet&, std::int64_t node)> committed;
  SessionBug* bug = nullptr;                     // none: the store is right
  void (*decision)(WorkingSet& rows) = nullptr;  // none: what was decided is right
};

std::unique_ptr<Session> make_faulty_session(std::unique_ptr<Session> inner, SimScheduler& scheduler,
                                             const SessionHooks& hooks);

}  // namespace finality::sim
