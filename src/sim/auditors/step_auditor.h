// Checks invariants 1 and 14: every transition is in its table, and final states do not change. Each version has an
// event or entry and is one higher than the previous version. Ids are unique. The times of events and ids follow no
// spike of a clock.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "model/working_set.h"
#include "sim/auditors/findings.h"
#include "sim/mutation/mutant.h"

namespace finality::sim {

class StepAuditor {
 public:
  /// `mutant`: the changed cell of the transition tables that the engines use; empty if the tables are unchanged. The
  /// auditor uses the same tables, so that only the consequences of a mutant violate an invariant.
  StepAuditor(Findings& findings, const std::optional<Mutant>& mutant) : findings_(findings), mutant_(mutant) {}

  /// Checks the transitions of a commit. `now`: the simulated time, without the clock error of the engine. `node`: the
  /// node number that the committing session holds.
  void look_at(const WorkingSet& rows, Time now, std::int64_t node);

 private:
  void check_event(const Event& event);
  void check_time(const Event& event, Time now);
  template <class Row>
  void check_root(const Row& now, std::int64_t base_version, std::int64_t steps);
  void check_versions(const WorkingSet& rows);
  void check_ids(const WorkingSet& rows, std::int64_t node);
  void check_id(std::int64_t id, ObjectRef object);

  fsm::View::ViewCell cell_at(CellId id) const;

  Findings& findings_;
  const std::optional<Mutant>& mutant_;
  std::map<ObjectRef, std::int64_t> versions_;                       // last committed version of each root object
  std::map<ObjectRef, std::pair<std::size_t, std::string>> states_;  // last committed machine and state of each object
  std::unordered_set<std::int64_t> ids_;
};

}  // namespace finality::sim
