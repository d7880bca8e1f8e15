// Files that are there under their names only when they are whole and on the disk. They hold what customers did: only
// their owner may read them.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/crypto/digest.h"
#include "base/result.h"

namespace finality::store {

/// What a file is called until it is whole.
std::filesystem::path unfinished(const std::filesystem::path& path);

/// A text file, line by line. Not thread safe.
class LineWriter {
 public:
  /// Begins `unfinished(path)` anew.
  static Result<LineWriter> open(std::filesystem::path path);

  Result<void> add(const std::string& line);
  /// Makes it durable, gives it its name and answers with its SHA-256.
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

/// Reads a text file line by line and answers with its SHA-256. The first error of `take` ends it.
Result<std::string> read_lines(const std::filesystem::path& path,
                               const std::function<Result<void>(const std::string&)>& take);

/// Makes the names in a directory durable.
Result<void> sync_directory(const std::filesystem::path& path);

}  // namespace finality::store
