#include "store/sqlite/wal_batcher.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include "base/check.h"
#include "store/sqlite/page_cache.h"

namespace finality::sqlite {
namespace {

constexpr int kLogHeading = 32;
constexpr int kPageHeading = 24;
constexpr int kSizeAfter = 4;             // offset of the header field that is not 0 only in the last frame of a commit
constexpr std::size_t kWriteMax = 65536;  // the largest write that SQLite itself makes; its unix VFS rejects 128 KiB

}  // namespace

/// The file object that SQLite uses as the log. Contains the write buffer. The file object of the default VFS follows
/// it in memory.
class WalBatcher : public sqlite3_file {
 public:
  sqlite3_file* file() { return reinterpret_cast<sqlite3_file*>(this + 1); }

  void begin_commit() {
    gathered_.reserve(kWriteMax);  // not in write(), because an exception must not pass through SQLite
    gathering_ = true;
    ends_commit_ = ended_ = false;
    first_ = kNothing;
    failed_write_ = 0;
  }
  void end_commit() {
    gathering_ = page_is_next_ = false;
    gathered_.clear();
  }
  bool is_written() const { return gathered_.empty(); }
  int failed_write() const { return failed_write_; }

  int write(const void* data, int size, sqlite3_int64 at) {
    first_ = std::min(first_, at);
    if (is_heading(size, at)) ends_commit_ = is_last_frame(data);
    if (gathering_ && at == end_ && is_heading(size, at)) return add_heading(static_cast<const char*>(data));
    if (page_is_next_ && at == end_ && size == kPageBytes) return add_page(static_cast<const char*>(data));
    if (const int code = write_gathered(); code != SQLITE_OK) return code;
    end_ = at + size;
    return write_file(data, size, at);
  }

  int undo() {
    if (!ended_) return SQLITE_OK;
    end_ = first_;
    const int cut = file()->pMethods->xTruncate(file(), first_);
    return cut == SQLITE_OK ? file()->pMethods->xSync(file(), SQLITE_SYNC_NORMAL) : cut;
  }

  int write_gathered() {
    page_is_next_ = false;
    if (gathered_.empty()) return SQLITE_OK;
    const int size = static_cast<int>(gathered_.size());
    const int code = write_file(gathered_.data(), size, end_ - size);
    gathered_.clear();
    return code;
  }

 private:
  static constexpr sqlite3_int64 kNothing = std::numeric_limits<sqlite3_int64>::max();

  int write_file(const void* data, int size, sqlite3_int64 at) {
    const int code = file()->pMethods->xWrite(file(), data, size, at);
    if (code != SQLITE_OK)
      file()->pMethods->xFileControl(file(), SQLITE_FCNTL_LAST_ERRNO, &failed_write_);
    else if (ends_commit_)
      ended_ = true;
    return code;
  }
  static bool is_last_frame(const void* heading) {
    std::uint32_t size_after = 0;
    std::memcpy(&size_after, static_cast<const char*>(heading) + kSizeAfter, sizeof size_after);
    return size_after != 0;
  }
  static bool is_heading(int size, sqlite3_int64 at) {
    return size == kPageHeading && (at - kLogHeading) % (kPageHeading + kPageBytes) == 0;
  }
  int add_heading(const char* heading) {
    if (gathered_.size() + kPageHeading + kPageBytes > kWriteMax)
      if (const int code = write_gathered(); code != SQLITE_OK) return code;
    append(heading, kPageHeading);
    page_is_next_ = true;
    return SQLITE_OK;
  }
  int add_page(const char* page) {
    append(page, kPageBytes);
    page_is_next_ = false;
    return ends_commit_ ? write_gathered() : SQLITE_OK;
  }
  void append(const char* bytes, int size) {
    gathered_.insert(gathered_.end(), bytes, bytes + size);
    end_ += size;
  }

  // Offset of the end of the last write or buffered frame. Only writes at this offset are buffered. SQLite sometimes
  // rewrites an earlier page of the same commit and the headers after it. These writes are not buffered, because a
  // frame that ends the commit need not follow them.
  sqlite3_int64 end_ = -1;
  sqlite3_int64 first_ = kNothing;  // lowest offset of the writes since begin_commit()
  std::vector<char> gathered_;
  int failed_write_ = 0;  // errno
  bool gathering_ = false;
  bool page_is_next_ = false;
  bool ends_commit_ = false;  // the last frame header that was written or buffered ends a commit
  bool ended_ = false;        // a part of the log up to such a frame may have been written since begin_commit()
};

// SQLite aligns the memory of a file object to 8 bytes. The file object that follows this one in memory needs the same
// alignment.
static_assert(alignof(WalBatcher) <= 8 && sizeof(WalBatcher) % 8 == 0);

namespace {

WalBatcher& log_of(sqlite3_file* file) { return *static_cast<WalBatcher*>(file); }

int close(sqlite3_file* log) {
  sqlite3_file* file = log_of(log).file();
  const int code = file->pMethods->xClose(file);
  log_of(log).~WalBatcher();
  return code;
}

int write(sqlite3_file* log, const void* data, int size, sqlite3_int64 at) { return log_of(log).write(data, size, at); }

/// Forwards a call to the file object of the default VFS.
template <auto kMethod, class... Arguments>
int ask(sqlite3_file* log, Arguments... arguments) {
  sqlite3_file* file = log_of(log).file();
  return (file->pMethods->*kMethod)(file, arguments...);
}
/// Writes the buffer to the file, then forwards the call to the file object of the default VFS.
template <auto kMethod, class... Arguments>
int write_and_ask(sqlite3_file* log, Arguments... arguments) {
  const int code = log_of(log).write_gathered();
  return code == SQLITE_OK ? ask<kMethod>(log, arguments...) : code;
}

using Methods = sqlite3_io_methods;
constexpr Methods kMethods = {.iVersion = 1,
                              .xClose = close,
                              .xRead = write_and_ask<&Methods::xRead>,
                              .xWrite = write,
                              .xTruncate = write_and_ask<&Methods::xTruncate>,
                              .xSync = write_and_ask<&Methods::xSync>,
                              .xFileSize = write_and_ask<&Methods::xFileSize>,
                              .xLock = ask<&Methods::xLock>,
                              .xUnlock = ask<&Methods::xUnlock>,
                              .xCheckReservedLock = ask<&Methods::xCheckReservedLock>,
                              .xFileControl = write_and_ask<&Methods::xFileControl>,
                              .xSectorSize = ask<&Methods::xSectorSize>,
                              .xDeviceCharacteristics = ask<&Methods::xDeviceCharacteristics>};

int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* opened) {
  sqlite3_vfs* disk = sqlite3_vfs_find(nullptr);
  if ((flags & SQLITE_OPEN_WAL) == 0) return disk->xOpen(disk, name, file, flags, opened);
  WalBatcher* log = new (file) WalBatcher;
  log->pMethods = nullptr;  // SQLite does not close a file object without methods; set only after the file is open
  const int code = disk->xOpen(disk, name, log->file(), flags, opened);
  if (code == SQLITE_OK)
    log->pMethods = &kMethods;
  else
    log->~WalBatcher();
  return code;
}

}  // namespace

const char* gathering_vfs() {
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs made = *sqlite3_vfs_find(nullptr);
    made.zName = "gathering";
    made.szOsFile += static_cast<int>(sizeof(WalBatcher));
    made.pNext = nullptr;
    made.xOpen = open;
    return made;
  }();
  static const int registered = sqlite3_vfs_register(&vfs, 0);
  FINALITY_CHECK(registered == SQLITE_OK, "SQLite rejected the VFS");
  return vfs.zName;
}

namespace {

WalBatcher& log_of(sqlite3* connection) {
  sqlite3_file* found = nullptr;
  sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &found);
  FINALITY_CHECK(found != nullptr && found->pMethods == &kMethods, "the connection's log does not support batching");
  return log_of(found);
}

}  // namespace

BatchedCommit::BatchedCommit(sqlite3* connection) : log_(log_of(connection)) { log_.begin_commit(); }

BatchedCommit::~BatchedCommit() { log_.end_commit(); }

bool BatchedCommit::is_written() const { return log_.is_written(); }

int BatchedCommit::failed_write() const { return log_.failed_write(); }

int BatchedCommit::undo() { return log_.undo(); }

}  // namespace finality::sqlite
