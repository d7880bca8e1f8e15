// Batches the page writes of a commit to SQLite's write-ahead log, so that a commit needs fewer system calls.
#pragma once

struct sqlite3;

namespace finality::sqlite {

class WalBatcher;

/// Returns the name of a VFS for sqlite3_open_v2(). It is the default VFS, except that BatchedCommit can batch the
/// writes to the log. The first call registers the VFS. Thread safe.
const char* gathering_vfs();

/// Batches the log writes of `connection` during its lifetime. SQLite writes each page to the log with two calls: a
/// 24-byte frame header and the page. This class buffers header and page up to the last page of the commit, and writes
/// them in pieces of up to 64 KiB. Every other operation on the log writes the buffer first. Batching is safe, because
/// readers ignore the frames of a commit until its last frame is written. SQLite receives errors of the buffered writes
/// from the call that writes the buffer.
///
/// Construct it immediately before COMMIT and destroy it immediately after COMMIT. If COMMIT fails, the destructor
/// discards the buffer, because its frames must not be written later.
///
/// Source: https://www.sqlite.org/fileformat2.html#the_write_ahead_log (§4.1).
/// REQUIRES: the connection was opened with gathering_vfs(), has pages of kPageBytes, and has read before.
class BatchedCommit {
 public:
  explicit BatchedCommit(sqlite3* connection);
  ~BatchedCommit();
  BatchedCommit(const BatchedCommit&) = delete;
  BatchedCommit& operator=(const BatchedCommit&) = delete;

  /// Whether all frames have been written to the log. True after every successful COMMIT.
  bool is_written() const;
  /// The errno of the last write to the log that failed; 0 if no write has failed.
  int failed_write() const;
  /// After a failed COMMIT: makes sure that recovery will not find its transaction. SQLite can fail after it has
  /// written the frame that ends the commit, for example because the log's index cannot grow. In this process the
  /// transaction is then rolled back, but the recovery after a crash would find it. This function cuts the log before
  /// the frames of the COMMIT and syncs it. Returns SQLite's code: after an error the outcome of the COMMIT is unknown.
  /// REQUIRES: the transaction has ended, and no later one has begun.
  int undo();

 private:
  WalBatcher& log_;
};

}  // namespace finality::sqlite
