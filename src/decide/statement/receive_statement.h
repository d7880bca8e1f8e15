// Stores the file of a statement, downloaded by a server or uploaded by an operator.
#pragma once

#include <string>
#include <vector>

#include "decide/statement/expect_statement.h"

namespace finality {

struct ReceiveStatement {
  StatementDay day;
  StatementId newest;               // newest version of the statement with that source; 0: the file is the first
  std::int64_t newest_version = 0;  // its file_version; 0: the file is the first
  StatementSource source = StatementSource::fetched;
  std::string sha256;        // of the file as received, in hexadecimal
  std::int64_t bytes = 0;    // size of the file as received
  std::vector<Bytes> parts;  // the file, compressed, encrypted and cut (StatementPart)
};

void add_reads(const ReceiveStatement& command, ReadSet& reads);

/// The same file as the newest version changes nothing, unless that version was rejected: then the file is stored
/// again, because parts of it may have expired, and is read again. Another file becomes the newest version, a new row
/// unless that version has no file yet. The received statement is due now. Refuses with `not_found` if `newest` is not
/// a statement of that day, and with `illegal_transition` if another file has become the next version meanwhile: the
/// caller then looks up the newest version and submits again.
Decision decide(const ReceiveStatement& command, Context& context);

}  // namespace finality
