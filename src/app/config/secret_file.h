// Reads and writes secret files, which two programs on one machine share and only their owner can read.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "base/secret.h"

namespace finality::app {

inline constexpr std::size_t kSecretBytesMax = 4096;

/// The secret in `text`, without trailing line ends. An error if it is empty or too long; the error contains `name`,
/// never the text.
Result<Secret> secret_of(std::string text, const std::string& name);
/// The secret in `path`. The error names the file.
Result<Secret> read_secret(const std::string& path);
/// The secret in `path`. Creates the file with a random secret if it does not exist.
Result<Secret> read_or_make_secret(const std::string& path);

/// Atomically replaces the contents of `path` with `text`. Only the owner can read the file.
Result<void> write_private_file(const std::string& path, const std::string& text);
/// The contents of `path`; empty if the file does not exist.
std::string read_file(const std::string& path);
/// The contents of `path`. The error names the file and states why it cannot be read, or that it is longer than
/// `bytes_max`.
Result<std::string> read_whole_file(const std::string& path, std::size_t bytes_max);

}  // namespace finality::app
