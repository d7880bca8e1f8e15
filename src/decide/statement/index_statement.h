// Stores the index of the lines of a statement (worker/statements/index/line_index.h).
#pragma once

#include <string>
#include <vector>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct IndexStatement {
  StatementId statement_id;
  std::string sha256;        // of the file whose lines the index contains
  std::vector<Bytes> parts;  // of the index: parts -1, -2, … of the statement (StatementPart)
};

void add_reads(const IndexStatement& command, ReadSet& reads);

/// Changes nothing if the statement has an index already, if its file is another one, or if it is rejected: the file of
/// a rejected statement can be replaced in the same batch. Refuses with `not_found` if
/// the statement does not exist.
Decision decide(const IndexStatement& command, Context& context);

}  // namespace finality
