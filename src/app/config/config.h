// Reader of the server's configuration (TOML). Every deviation from docs/reference/configuration.md is an error that
// names the file, the line, the setting and the allowed values.
#pragma once

#include <cstddef>
#include <string>

#include "app/node.h"

namespace finality::app {

inline constexpr std::size_t kIoThreadsMax = 64;
inline constexpr double kTimeScaleMin = 0.001;
inline constexpr double kTimeScaleMax = 1'000'000;
inline constexpr std::int64_t kKeepDaysMax = 36'500;
inline constexpr std::int64_t kQuotaMax = 1'000'000'000;  // of each quota in [statements]
inline constexpr std::int64_t kKeepFilesDaysMin = 100;

/// Reads the configuration file `path` and the files that it includes. Secrets come from other files or the environment
/// (`secret_file`, `secret_env`). `warnings` of the result has what the caller should log.
Result<NodeOptions> read_config(const std::string& path);

}  // namespace finality::app
