// Ways to damage a lived-in store, and what the auditor must say of each.
#pragma once

#include <string>
#include <vector>

namespace finality::audit {

struct Finding {
  std::string invariant;
  std::string type;  // of the row at fault
  std::string id;    // a query for its id, asked before the damage
};

struct Corruption {
  std::string name;
  std::string sql;
  std::vector<Finding> findings;  // among all that the auditor finds
};

const std::vector<Corruption>& corruptions();

}  // namespace finality::audit
