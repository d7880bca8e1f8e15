// Index of the lines of a statement (StatementPart with a negative number), so that a page of lines costs as much as
// its lines, not as much as the file. Made once per file, when the file is compared (StatementService).
//
//   part -1             the numbers of the parts below
//   lines               the lines of the file in its order, kLinesPerPart in each part
//   lines of merchants  the merchant, the position and the number of each line that names a merchant, sorted
//
// A page is found by a binary search over the parts. Each part is compressed and encrypted like the file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/secret.h"
#include "model/statement_line.h"
#include "store/store.h"
#include "worker/statements/index/line_bytes.h"
#include "worker/statements/line_keys.h"

namespace finality {

/// A line that names a merchant.
struct NamedLine {
  std::int64_t merchant = 0;
  std::int64_t position = 0;  // among all lines, from 0
  std::int64_t line_no = 0;
};

/// Makes the index of a file. Not thread safe.
class LineIndexBuilder {
 public:
  /// `key`, `sha256`: as for seal_file().
  LineIndexBuilder(Secret key, std::string sha256, ChannelAccountId account);

  /// Takes the next line of the file.
  void add(const StatementLine& line);
  /// Returns the parts -1, -2, … Call once, after the last line.
  std::vector<Bytes> finish();

 private:
  void seal();

  Secret key_;
  std::string sha256_;
  LineKeys keys_;
  ByteWriter pending_;  // the next part
  std::int64_t lines_ = 0;
  std::vector<NamedLine> named_;
  std::vector<Bytes> parts_;  // the first one is empty until the end
};

/// Reads a page of lines from the index of the statement. Returns an error if the index is incomplete or damaged, or
/// was encrypted with another key. REQUIRES: the statement has an index, and its parts have not expired.
Result<LinePage> read_line_index(const Secret& key, const Statement& statement, const LineQuery& query, Reader& reader);

}  // namespace finality
