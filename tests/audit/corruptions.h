// Corruptions of the populated store, and the violations that the auditor must report for each.
#pragma once

#include <string>
#include <vector>

namespace finality::audit {

struct Finding {
  std::string invariant;
  std::string type;  // of the invalid row
  std::string id;    // SQL expression for its id, evaluated before the damage
};

struct Corruption {
  std::string name;
  std::string sql;
  std::vector<Finding> findings;  // the auditor must report these; it may report more
};

const std::vector<Corruption>& corruptions();

}  // namespace finality::audit
