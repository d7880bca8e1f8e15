// Checks invariant 7 in both directions: each document has its postings, each posting has its document, and their
// amounts match.
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
  void check_fees(const OrderAggregate& aggregate, const Receipt& receipt);
  void check_adjustment(const WorkingSet& rows, const Adjustment& adjustment);
  void check_owners(const WorkingSet& rows, const OrderAggregate& aggregate);
  void check_conversions(const WorkingSet& rows, const OrderAggregate& aggregate);
  void require(EntryType type, ObjectRef document, MinorUnits amount);

  Findings& findings_;
  std::map<std::tuple<EntryType, ObjectType, std::int64_t>, MinorUnits> posted_;  // posted amount by type and document
};

}  // namespace finality::sim
