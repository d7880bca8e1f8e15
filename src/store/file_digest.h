// SHA-256 of a backup, in a file beside it that `sha256sum --check` reads. It shows whether a backup is still the file
// that was written: a check of the content cannot find a changed byte in a row.
#pragma once

#include <string>

#include "base/result.h"

namespace finality::store {

/// The file that contains the digest of `file`.
inline std::string digest_file_of(const std::string& file) { return file + ".sha256"; }

/// Returns the SHA-256 of a file, in lower-case hexadecimal.
Result<std::string> sha256_of(const std::string& file);

/// Copies `from` to the new or truncated file `to`, which only its owner can read. Returns the SHA-256 of the bytes
/// copied. Does not sync `to`.
Result<std::string> copy_file(const std::string& from, const std::string& to);

/// Writes the digest of `file` to digest_file_of(file), and syncs it to the disk.
Result<void> write_digest(const std::string& file, const std::string& sha256);

/// Returns the SHA-256 in digest_file_of(file). The name in the digest file is not compared, so that a backup and its
/// digest can be renamed. Errors state what to do.
Result<std::string> read_digest(const std::string& file);

/// Compares the SHA-256 of the bytes of `file` with the expected one.
Result<void> compare_digests(const std::string& file, const std::string& found, const std::string& expected);

}  // namespace finality::store
