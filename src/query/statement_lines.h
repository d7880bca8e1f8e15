// Reads the lines of a statement from their index, with what the comparison found for each line.
#pragma once

#include <functional>

#include "model/statement_line.h"
#include "query/show.h"

namespace finality::query {

/// Reads a page of the index of the lines of a statement. Implemented by worker/statements/index/line_index.h.
using IndexOfLines =
    std::function<Result<LinePage>(const Statement& statement, const LineQuery& query, Reader& reader)>;

/// Lists the lines of the statement in the order of the file, each with its match and its difference. With a merchant:
/// only lines of its payments and refunds, by their numbers. Refuses with `not_found` (the statement does not exist,
/// has no file, or has no line of the merchant), `busy` (its lines are not indexed yet), `file_expired` (its file was
/// deleted) or `storage_read_error`. Blocks; takes time for the lines of the page, not for those of the file.
Shown list_statement_lines(Reader& reader, StatementId id, const LineQuery& query, const IndexOfLines& index_of);

}  // namespace finality::query
