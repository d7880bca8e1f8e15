// Finds the files of statements that a batch replaces.
#pragma once

#include <algorithm>
#include <vector>

#include "model/working_set.h"

namespace finality::store {

/// Returns the statements of which the batch stores the file again. Their commit first deletes the stored parts of the
/// file and of its index: some may have expired, and the new parts can be encrypted with another key.
inline std::vector<StatementId> replaced_files(const WorkingSet& rows) {
  std::vector<StatementId> ids;
  if (rows.statement_parts.empty()) return ids;
  rows.statements.each([&](const StatementId& id, const auto& base, const auto&) {
    const bool had_file = base && base->statement.parts > 0;
    const auto begins_file = [id](const StatementPart& part) { return part.statement_id == id && part.part_no == 0; };
    if (had_file && std::ranges::any_of(rows.statement_parts, begins_file)) ids.push_back(id);
  });
  return ids;
}

}  // namespace finality::store
