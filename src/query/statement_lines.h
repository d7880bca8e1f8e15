// Reads the lines of a statement from its stored file, with what the comparison found for each line.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "channel/statement_sources.h"
#include "query/show.h"

namespace finality::query {

/// Reads the file of a statement. Implemented by worker/statements/sealed_file.h.
using FileOfStatement = std::function<Result<std::string>(const Statement& statement, Reader& reader)>;

/// A page of lines: those after line number `after`, at most `limit`.
struct LinePage {
  std::int64_t after = 0;
  std::size_t limit = 10;
};

/// Lists the lines of the statement in the order of the file, each with its match and its difference. `merchant`: only
/// lines of this merchant's payments and refunds, by their numbers; empty for operators. Refuses with `not_found` (the
/// statement does not exist or has no file), `file_expired` (its file was deleted), `storage_read_error` (the file
/// cannot be read) or `busy` (`stop` was requested, which ends the parser). Blocks; parses the file from its start to
/// the end of the page, so a page of a large file can take seconds.
Shown list_statement_lines(Reader& reader, StatementId id, std::optional<MerchantId> merchant, const LinePage& page,
                           const StatementSources& sources, const FileOfStatement& file_of,
                           const std::stop_token& stop = {});

}  // namespace finality::query
