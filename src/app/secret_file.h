// A secret that two programs of one machine share: a file only its owner can read.
#pragma once

#include <string>

#include "base/result.h"
#include "base/secret.h"

namespace finality::app {

/// The secret in `path`; a new random one when there is no such file.
Result<Secret> read_or_make_secret(const std::string& path);

/// Replaces `path` by `text` in one step, readable by its owner alone.
Result<void> write_private_file(const std::string& path, const std::string& text);
/// Empty when there is no such file.
std::string read_file(const std::string& path);

}  // namespace finality::app
