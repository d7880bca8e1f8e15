// Text files that get their final name only when they are complete and durable. They have mode 0600 (only the owner can
// read and write), because they contain customer data.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/crypto/digest.h"
#include "base/result.h"

namespace finality::store {

/// The temporary name under which the file at `path` is written until it is complete.
std::filesystem::path unfinished(const std::filesystem::path& path);

/// Writes a text file line by line. Not thread safe.
class LineWriter {
 public:
  /// Creates or truncates the temporary file unfinished(path). finish() renames it to `path`.
  static Result<LineWriter> open(std::filesystem::path path);

  Result<void> add(const std::string& line);
  /// Syncs the file to the disk, renames it to its final name and returns its SHA-256.
  Result<std::string> finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  LineWriter(std::filesystem::path path, std::FILE* file);

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::unique_ptr<Sha256> digest_;
};

/// Reads a text file, calls `take` with each line and returns the file's SHA-256. Stops at the first error of `take`
/// and returns the error.
Result<std::string> read_lines(const std::filesystem::path& path,
                               const std::function<Result<void>(const std::string&)>& take);

/// Syncs a directory to the disk, so that created and renamed files survive a loss of power.
Result<void> sync_directory(const std::filesystem::path& path);

}  // namespace finality::store
