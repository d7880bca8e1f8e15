// Invariant 7 in both directions: every event has its postings, every posting has its event, and the amounts match.
#pragma once

#include <map>
#include <tuple>

#include "model/working_set.h"
#include "sim/auditors/findings.h"

namespace finality::sim {

class PostingAuditor {
 public:
  explicit PostingAuditor(Findings& findings) : findings_(findings) {}

  void look_at(const WorkingSet& rows);

 private:
  void check_order(const OrderAggregate& aggregate);
  void check_fees(const OrderAggregate& aggregate, const Payment& payment);
  void check_owners(const WorkingSet& rows, const OrderAggregate& aggregate);
  void require(EntryType type, ObjectRef document, MinorUnits amount);

  Findings& findings_;
  std::map<std::tuple<EntryType, ObjectType, std::int64_t>, MinorUnits> posted_;  // the amount moved by each posting
};

}  // namespace finality::sim
