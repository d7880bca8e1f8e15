// Test VFS for SQLite that counts writes and syncs, and injects failures.
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <utility>

namespace finality::sqlite {

/// Registers itself as SQLite's default VFS for its lifetime. Counts the writes and syncs of the database file and of
/// the log, and makes them fail on request. At most one instance may exist.
class InstrumentedVfs {
 public:
  InstrumentedVfs() : real_(sqlite3_vfs_find(nullptr)), watched_(*real_) {
    watched_.zName = "watched";
    watched_.xOpen = open;
    the_only_ = this;
    sqlite3_vfs_register(&watched_, 1);
  }
  ~InstrumentedVfs() {
    sqlite3_vfs_unregister(&watched_);
    sqlite3_vfs_register(real_, 1);
  }
  InstrumentedVfs(const InstrumentedVfs&) = delete;
  InstrumentedVfs& operator=(const InstrumentedVfs&) = delete;

  static constexpr int kRoomy = 1 << 30;
  struct Kind {
    std::atomic<int> syncs{0};
    std::atomic<bool> sync_fails{false};
    std::atomic<int> writes{0};
    std::atomic<int> room{kRoomy};        // number of writes that succeed before the disk is full
    std::atomic<bool> index_full{false};  // of the database file: the shared index of its log cannot grow

   private:
    friend class InstrumentedVfs;
    sqlite3_io_methods watched{};
    sqlite3_io_methods real{};
  };
  Kind file;
  Kind log;

 private:
  template <Kind InstrumentedVfs::* kKind>
  struct Watch {
    static Kind& kind() { return the_only_->*kKind; }
    static int sync(sqlite3_file* file, int flags) {
      kind().syncs += 1;
      return kind().sync_fails ? SQLITE_IOERR_FSYNC : kind().real.xSync(file, flags);
    }
    static int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 at) {
      kind().writes += 1;
      if (kind().room <= 0) return SQLITE_FULL;
      kind().room -= 1;
      return kind().real.xWrite(file, data, size, at);
    }
    static int map_index(sqlite3_file* file, int region, int size, int extend, void volatile** found) {
      if (!kind().index_full || extend == 0) return kind().real.xShmMap(file, region, size, extend, found);
      const int code = kind().real.xShmMap(file, region, size, 0, found);
      return code == SQLITE_OK && *found == nullptr ? SQLITE_IOERR_SHMSIZE : code;
    }
    static void begin(sqlite3_file* file) {
      if (kind().real.xSync == nullptr) {
        kind().real = kind().watched = *file->pMethods;
        kind().watched.xSync = sync;
        kind().watched.xWrite = write;
        if (kind().real.xShmMap != nullptr) kind().watched.xShmMap = map_index;
      }
      file->pMethods = &kind().watched;
    }
  };

  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* opened) {
    const int code = the_only_->real_->xOpen(the_only_->real_, name, file, flags, opened);
    if (code != SQLITE_OK) return code;
    if ((flags & SQLITE_OPEN_MAIN_DB) != 0) Watch<&InstrumentedVfs::file>::begin(file);
    if ((flags & SQLITE_OPEN_WAL) != 0) Watch<&InstrumentedVfs::log>::begin(file);
    return code;
  }

  static inline InstrumentedVfs* the_only_ = nullptr;
  sqlite3_vfs* real_;
  sqlite3_vfs watched_;
};

}  // namespace finality::sqlite
