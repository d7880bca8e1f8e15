// The write-ahead log written commit by commit instead of page by page.
#pragma once

struct sqlite3;

namespace finality::sqlite {

class WalBatcher;

/// The name of a VFS for sqlite3_open_v2, made at the first call: the default one, with a log that can be gathered.
/// Thread safe.
const char* gathering_vfs();

/// While it lives, what `connection` commits is gathered. SQLite writes each page into the log with two calls, 24 bytes
/// of heading and the page; here they wait for the page that ends the commit, and go to the file together, in pieces of
/// up to 64 KiB. Whatever else is asked of the log writes first what waits. Until the last page is written nobody looks
/// at the others, and an error comes back from its write as it would from any page's. To be made right before the
/// COMMIT and to end right after it: what waits when nothing was committed is nobody's, and must not be written later.
/// Source: https://www.sqlite.org/fileformat2.html#the_write_ahead_log (§4.1).
/// REQUIRES: the connection was opened with gathering_vfs(), its pages have kPageBytes, and it has read before.
class BatchedCommit {
 public:
  explicit BatchedCommit(sqlite3* connection);
  ~BatchedCommit();
  BatchedCommit(const BatchedCommit&) = delete;
  BatchedCommit& operator=(const BatchedCommit&) = delete;

  /// Nothing waits: true after every COMMIT that was done.
  bool is_written() const;

 private:
  WalBatcher& log_;
};

}  // namespace finality::sqlite
