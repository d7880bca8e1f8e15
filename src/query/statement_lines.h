// Reads the lines of a statement from their index, with what the comparison found for each line.
#pragma once

#include <functional>

#include "channel/statement_sources.h"
#include "model/statement_line.h"
#include "query/show.h"

namespace finality::query {

/// Reads a page of the index of the lines of a statement. Implemented by worker/statements/index/line_index.h.
using IndexOfLines =
    std::function<Result<LinePage>(const Statement& statement, const LineQuery& query, Reader& reader)>;

/// Lists the lines of the statement in the order of the file, each with its match and its difference; none for an empty
/// day. Refuses with `not_found` (the statement does not exist, has no file, or its lines are not indexed and its
/// channel account is not in `sources`), `busy` (its lines are not indexed yet), `file_expired` (its file was deleted)
/// or `storage_read_error`. With a merchant: only lines of its payments and refunds, by their numbers. A statement in
/// which the index shows no such line is then refused like one that does not exist, whatever the reason. `sources`: the
/// channel accounts whose files this server can index. Blocks; takes time for the lines of the page, not for those of
/// the file.
Shown list_statement_lines(Reader& reader, StatementId id, const LineQuery& query, const StatementSources& sources,
                           const IndexOfLines& index_of);

}  // namespace finality::query
