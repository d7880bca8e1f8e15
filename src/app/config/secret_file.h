// A secret that two programs of one machine share: a file only its owner can read.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "base/secret.h"

namespace finality::app {

inline constexpr std::size_t kSecretBytesMax = 4096;

/// The secret in `text`, without the line ends after it. Refuses an empty one; the error says `name`, never the text.
Result<Secret> secret_of(std::string text, const std::string& name);
/// The secret in `path`. An error names the file.
Result<Secret> read_secret(const std::string& path);
/// The same; a new random one when there is no such file.
Result<Secret> read_or_make_secret(const std::string& path);

/// Replaces `path` by `text` in one step, readable by its owner alone.
Result<void> write_private_file(const std::string& path, const std::string& text);
/// Empty when there is no such file.
std::string read_file(const std::string& path);
/// An error names the file and says why it cannot be read, or that it is longer than `bytes_max`.
Result<std::string> read_whole_file(const std::string& path, std::size_t bytes_max);

}  // namespace finality::app
