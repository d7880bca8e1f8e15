// Batches the page writes of a commit to SQLite's write-ahead log.
#pragma once

struct sqlite3;

namespace finality::sqlite {

class WalBatcher;

/// The name of a VFS for sqlite3_open_v2: the default VFS with a log whose writes can be batched. Registered by the
/// first call. Thread safe.
const char* gathering_vfs();

/// Batches the log writes of `connection` during its lifetime. SQLite writes each page to the log with two calls: a
/// 24-byte frame header and the page. This class buffers them until the page that ends the commit, and writes them
/// together in pieces of up to 64 KiB. Every other operation on the log flushes the buffer first. Readers ignore the
/// frames of a commit until its last one is written, and the last write returns errors as any page's write would.
/// Construct it immediately before COMMIT and destroy it immediately after: if COMMIT fails, the destructor discards
/// the buffer, which must not be written later.
/// Source: https://www.sqlite.org/fileformat2.html#the_write_ahead_log (§4.1).
/// REQUIRES: the connection was opened with gathering_vfs(), has pages of kPageBytes, and has read before.
class BatchedCommit {
 public:
  explicit BatchedCommit(sqlite3* connection);
  ~BatchedCommit();
  BatchedCommit(const BatchedCommit&) = delete;
  BatchedCommit& operator=(const BatchedCommit&) = delete;

  /// Whether the buffer is empty: true after every successful COMMIT.
  bool is_written() const;

 private:
  WalBatcher& log_;
};

}  // namespace finality::sqlite
