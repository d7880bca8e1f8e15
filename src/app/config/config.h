// The server's configuration file (TOML). Whatever is not exactly as docs/reference/configuration.md says is an error
// that names the setting and what is allowed.
#pragma once

#include <cstddef>
#include <string>

#include "app/node.h"

namespace finality::app {

inline constexpr std::size_t kConfigBytesMax = 16 << 10;  // the parser recurses into what is nested
inline constexpr std::size_t kIoThreadsMax = 64;
inline constexpr double kTimeScaleMin = 0.001;
inline constexpr double kTimeScaleMax = 1'000'000;
inline constexpr std::int64_t kKeepDaysMax = 36'500;

/// Reads `path`. Secrets come from files or the environment (`secret_file`, `secret_env`), never from this file.
Result<NodeOptions> read_config(const std::string& path);

}  // namespace finality::app
