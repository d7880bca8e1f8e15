// Damage of a store's file. After SQLite has found a damaged page, nothing is written to the file: a commit or a
// checkpoint could write over pages from which an operator can still recover rows.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/result.h"

namespace finality::sqlite {

/// Whether SQLite has found damage in the file of a store. The file PATH.damaged keeps this across restarts, until an
/// operator restores a backup. Shared by all connections of a store. Thread safe.
class Damage {
 public:
  /// Looks for PATH.damaged. `path`: of the store.
  explicit Damage(std::string path);
  Damage(const Damage&) = delete;
  Damage& operator=(const Damage&) = delete;

  bool is_found() const { return found_; }
  /// If `code` is one of SQLite's codes for a damaged file: logs `message`, creates PATH.damaged, and is_found() is
  /// true from now on.
  void inspect(int code, const char* message);
  /// States that the store is damaged, and how to restore it.
  std::string advice() const;

 private:
  std::string path_;
  std::atomic<bool> found_ = false;
};

/// Removes PATH.damaged after the store was restored.
void forget_damage(const std::string& path);

}  // namespace finality::sqlite
