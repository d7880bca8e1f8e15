// Finds the newest version of the statement of a day, for the commands that need its id.
#pragma once

#include "decide/statement/expect_statement.h"
#include "store/store.h"

namespace finality {

/// Returns the newest version with that source; empty if there is none. Fetched and uploaded versions of a day are
/// counted apart.
Result<std::optional<Statement>> newest_version(Reader& reader, const StatementDay& day, StatementSource source);

}  // namespace finality
