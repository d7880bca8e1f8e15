// Reads statements, their lines and differences from the store, and renders them as JSON objects of the API. All
// functions block while they read.
#pragma once

#include <optional>
#include <string>

#include "base/secret.h"
#include "channel/statement_sources.h"
#include "query/show.h"

namespace finality::query {

/// Reads the file of a statement, for its lines. Implemented by worker/statements/sealed_file.h.
using FileOfStatement = std::function<Result<std::string>(const Statement& statement, Reader& reader)>;

std::expected<StatementAggregate, Refusal> find_statement(Reader& reader, StatementId id);
Shown list_statements(Reader& reader, const StatementFilter& filter, const Page& page);

/// A page of lines: those after line number `after`, at most `limit`.
struct LinePage {
  std::int64_t after = 0;
  std::size_t limit = 10;
};
/// Lists the lines of the statement in the order of the file. Refuses with `not_found` (the statement does not exist or
/// has no file) or `storage_read_error` (the file cannot be read).
Shown list_statement_lines(Reader& reader, StatementId id, const LinePage& page, const StatementSources& sources,
                           const FileOfStatement& file_of);

/// `merchant`: refuses with `not_found` if the difference belongs to another merchant; empty for operators.
std::expected<DifferenceAggregate, Refusal> find_difference(Reader& reader, std::optional<MerchantId> merchant,
                                                            DifferenceId id);
Shown list_differences(Reader& reader, const DifferenceFilter& filter, const Page& page);

}  // namespace finality::query
