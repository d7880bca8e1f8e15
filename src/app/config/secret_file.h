// Reads and writes secret files. Two programs on one machine share a secret by a file that only its owner can read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/secret.h"

namespace finality::app {

inline constexpr std::size_t kSecretBytesMax = 4096;

/// Returns `text` without trailing line ends as a secret. Fails if it is empty or longer than kSecretBytesMax. The
/// error contains `name`, never the text.
Result<Secret> secret_of(std::string text, const std::string& name);
/// Reads the secret in the file `path`. Fails like secret_of() or if the file is unreadable. The error names the file.
Result<Secret> read_secret(const std::string& path);
/// Like read_secret(), but creates the file with a random secret if it does not exist.
Result<Secret> read_or_make_secret(const std::string& path);

/// Returns the mode of the file, such as `0644`, if users other than the owner and the group of the file can read or
/// write it. Empty if they cannot, or if the file does not exist.
std::optional<std::string> wide_mode_of(const std::string& path);
/// Logs a warning, with the command to run, if wide_mode_of() returns a mode.
void warn_of_wide_mode(const std::string& path);

/// Atomically replaces the contents of `path` with `text`. Only the owner can read the file.
Result<void> write_private_file(const std::string& path, const std::string& text);
/// Returns the contents of the file `path`; empty if it cannot be read.
std::string read_file(const std::string& path);
/// Returns the contents of the file `path`. Fails if it cannot be read or is longer than `bytes_max`. The error names
/// the file and the reason.
Result<std::string> read_whole_file(const std::string& path, std::size_t bytes_max);

}  // namespace finality::app
